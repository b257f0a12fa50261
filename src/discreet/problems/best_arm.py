"""Best-arm search: arms are pulled until the best one is known with a stated confidence."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.contracts import Generator, Integers
from discreet.errors import DiscreetError, check_int, check_share
from discreet.problems.arms import MOST_ARMS, ArmGame, Arms, ArmsEnvironment
from discreet.problems.base import Environment, Problem
from discreet.ranges import Range

HORIZON = 10_000_000
TIE = 1e-12  # means that are nearer to the least loss are as good


@dataclass(frozen=True)
class BestArm(Problem):
    """A number of arms with fixed mean losses; which is the least is to be found, wrongly with at most ``error``.

    The game stops when the learner has its answer, and what counts is how many rounds that took. A
    round is a sample.

    >>> problem = BestArm(10, error=0.05)
    >>> str(problem), problem.sizes, problem.score
    ('best-arm search', '10 arms, error at most 0.05', 'wrong answer')
    """

    title = "best-arm search"
    feedback = "loss of the played arm"
    default_environment = "stochastic"
    default_rounds = HORIZON
    score = "wrong answer"
    stops = True

    arms: int = field(default=4, metadata={"help": "Number of arms."})
    error: float = field(
        default=0.1, metadata={"help": "Allowed probability of a wrong answer."}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))
        object.__setattr__(self, "error", check_share("error", self.error))

    def __str__(self) -> str:
        return "best-arm search"

    @property
    def sizes(self) -> str:
        """How many arms there are, and how sure the answer has to be."""
        return f"{self.arms:,} arms, error at most {self.error:g}"

    @property
    def rival(self) -> str:
        """What is searched for."""
        return "the best arm"

    @property
    def rivals(self) -> str:
        """What is searched for, and among how many."""
        return f"the best arm of {self.arms:,}"

    @property
    def actions(self) -> int:
        """A loss for every arm."""
        return self.arms

    def probe(self, rounds: int, rng: Generator) -> ArmGame:
        """Return a game of random losses."""
        return Arms(self.arms).probe(rounds, rng)

    def neighbours(self, rounds: int, bounds: Range) -> tuple[ArmGame, ArmGame]:
        """Return two games in which the first loss is the lowest or the highest, and all others in the middle."""
        return Arms(self.arms).neighbours(rounds, bounds)

    def borrowed(self) -> Arms:
        """Return the arms whose environments serve, if their means do not change."""
        return Arms(self.arms)

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment on arms as one to search in, or refuse it."""
        return to_search(environment, self.error)


class SearchEnvironment(ArmsEnvironment):
    """Arms of which the best is searched for; what is dealt are the losses of an environment with fixed means."""

    environment: ArmsEnvironment
    error: float

    @property
    def problem(self) -> BestArm:  # type: ignore[override]
        """The arms, and how sure the answer has to be."""
        return BestArm(self.arms, self.error)

    @property
    def on_unit_scale(self) -> bool:  # type: ignore[override]
        """Whether the losses of the arms are."""
        return self.environment.on_unit_scale

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        game = self.environment.deal(start, stop, rng)
        assert isinstance(game, ArmGame)
        return game

    def best_arms(self) -> Integers:
        """Return every right answer: the arms with the least mean loss."""
        means = self.environment.fixed_means()
        return np.flatnonzero(means <= means.min() + TIE)

    def __repr__(self) -> str:
        return repr(self.environment)


def to_search(environment: Environment, error: float) -> SearchEnvironment:
    """Return an environment on arms as one to search in, or refuse one whose means change."""
    if not isinstance(environment, ArmsEnvironment) or environment.fixed_means().size == 0:
        name = type(environment).__name__
        raise DiscreetError(
            f"{name} has no fixed means, but best-arm "
            "search "
            "needs "
            "them: "
            "use the "
            "environment "
            "'stochastic'."
        )
    return SearchEnvironment(environment.arms, environment, error)
