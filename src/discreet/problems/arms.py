"""Bandits: play arms and see their losses, to keep losses small or to find the best arm."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int, check_share
from discreet.lengths import check_arm
from discreet.problems.base import Environment, Problem, TableGame
from discreet.problems.coins import Coins
from discreet.ranges import Range

MOST_ARMS = 10_000_000  # more would take gigabytes per game
HORIZON = 10_000_000  # rounds after which a search gives up
TIE = 1e-12  # means this close to the minimum count as equal, because of rounding


@dataclass(frozen=True)
class Arms(Problem):
    """Arms: the learner plays one and sees its loss; the comparator is the best fixed arm.

    >>> problem = Arms(4)
    >>> str(problem), problem.sizes, problem.rivals, problem == Arms(4)
    ('arms', '4 arms', 'the best fixed arm of 4', True)
    """

    title = "adversarial bandit"
    stochastic_title = "stochastic bandit"
    feedback = "loss of the played arm"
    default_environment = "stochastic"

    arms: int = field(default=4, metadata={"help": "Number of arms."})

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))

    def __str__(self) -> str:
        return "arms"

    @property
    def sizes(self) -> str:
        """The number of arms."""
        return f"{self.arms:,} arms"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed arm"

    @property
    def rivals(self) -> str:
        """The comparator, and the number of candidates."""
        return f"the best fixed arm of {self.arms:,}"

    @property
    def actions(self) -> int:
        """One loss per arm."""
        return self.arms

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of uniform play, which plays the best arm as often as any other."""
        return bounds.width * (1.0 - 1.0 / self.arms)

    def probe(self, rounds: int, rng: Generator) -> ArmGame:
        """Return a game of random losses."""
        return ArmGame(rng.random((rounds, self.arms)))

    def neighbours(self, rounds: int, bounds: Range) -> tuple[ArmGame, ArmGame]:
        """Return two games in which the first loss is the lowest or the highest.

        All other losses are in the middle.
        """
        one, other = first_differs(rounds, self.arms, bounds)
        return ArmGame(one), ArmGame(other)


class ArmGame(TableGame[int, float]):
    """Rounds of a bandit game: ``losses[t, i]`` is the loss of arm i in round t."""

    action_shape = ()

    @property
    def choices(self) -> int:
        """The number of arms."""
        return int(self.losses.shape[1])

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that was played."""
        loss: float = self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same: the feedback is the loss."""
        check_arm(action, self.losses.shape[1])  # compiled code would read other memory
        loss: float = self.losses[t, action]
        return loss


class ArmsEnvironment(Environment):
    """An environment on arms."""

    arms: int

    @property
    def problem(self) -> Arms:
        """The arms of the environment."""
        return Arms(self.arms)

    def fixed_means(self) -> Floats:
        """Return the mean loss of every arm, as a fraction of the range.

        This requires independent, identically distributed rounds. It is empty if means may change:
        then no arm is the right answer.
        """
        return np.zeros(0)

    def coins(self) -> Coins | None:
        """Return the coins that toss the losses of every round and arm, if there are any."""
        return None


def coins_of(environment: Environment) -> Coins | None:
    """Return an environment's coins, if it has any.

    A class that overrides ``deal`` without ``coins`` has none.
    """
    if not isinstance(environment, ArmsEnvironment):
        return None
    telling, dealing = (
        next(base for base in type(environment).__mro__ if name in vars(base))
        for name in ("coins", "deal")
    )
    return environment.coins() if issubclass(telling, dealing) else None


def first_differs(rounds: int, columns: int, bounds: Range) -> tuple[Floats, Floats]:
    """Return two tables of losses that differ in the first row.

    The first row is all low or all high, and all others are in the middle.
    """
    one = np.full((rounds, columns), bounds.low + (bounds.high - bounds.low) / 2)
    other = one.copy()
    one[0], other[0] = bounds.low, bounds.high
    return one, other


@dataclass(frozen=True)
class BestArm(Problem):
    """Arms with fixed mean losses; the search is for the arm with the smallest mean.

    The answer may be wrong with probability at most ``error``. The game stops when the learner has
    an answer, and the score is the number of rounds. A round is a sample.

    >>> problem = BestArm(10, error=0.05)
    >>> str(problem), problem.score
    ('best-arm search', 'wrong answer')
    >>> problem.sizes
    '10 arms, error at most 0.05'
    """

    title = "best-arm search"
    feedback = "loss of the played arm"
    default_environment = "stochastic"
    default_rounds = HORIZON
    score = "wrong answer"
    stops = True

    arms: int = field(default=4, metadata={"help": "Number of arms."})
    error: float = field(default=0.1, metadata={"help": "Allowed probability of a wrong answer."})

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))
        object.__setattr__(self, "error", check_share("error", self.error))

    def __str__(self) -> str:
        return "best-arm search"

    @property
    def sizes(self) -> str:
        """The number of arms, and the allowed error."""
        return f"{self.arms:,} arms, error at most {self.error:g}"

    @property
    def rival(self) -> str:
        """The target of the search."""
        return "the best arm"

    @property
    def rivals(self) -> str:
        """The target of the search, and the number of candidates."""
        return f"the best arm of {self.arms:,}"

    @property
    def actions(self) -> int:
        """One loss per arm."""
        return self.arms

    def probe(self, rounds: int, rng: Generator) -> ArmGame:
        """Return a game of random losses."""
        return Arms(self.arms).probe(rounds, rng)

    def neighbours(self, rounds: int, bounds: Range) -> tuple[ArmGame, ArmGame]:
        """Return two games in which the first loss is the lowest or the highest.

        All other losses are in the middle.
        """
        return Arms(self.arms).neighbours(rounds, bounds)

    def borrowed(self) -> Arms:
        """Return the arms whose environments can be searched, if their means are fixed."""
        return Arms(self.arms)

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment on arms, adapted to searches, or refuse it."""
        return to_search(environment, self.error)


class SearchEnvironment(ArmsEnvironment):
    """An environment with fixed means, for best-arm search."""

    environment: ArmsEnvironment
    error: float

    @property
    def problem(self) -> BestArm:  # type: ignore[override]
        """The arms, and the allowed error."""
        return BestArm(self.arms, self.error)

    @property
    def on_unit_scale(self) -> bool:  # type: ignore[override]
        """Whether the losses of the arms are fractions of the range."""
        return self.environment.on_unit_scale

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        game = self.environment.deal(start, stop, rng)
        assert isinstance(game, ArmGame)
        return game

    def best_arms(self) -> Integers:
        """Return every correct answer: the arms with the smallest mean loss."""
        means = self.environment.fixed_means()
        return np.flatnonzero(means <= means.min() + TIE)

    def __repr__(self) -> str:
        return repr(self.environment)


def to_search(environment: Environment, error: float) -> SearchEnvironment:
    """Return an environment on arms, adapted to searches, or refuse one whose means change."""
    if not isinstance(environment, ArmsEnvironment) or environment.fixed_means().size == 0:
        name = type(environment).__name__
        raise DiscreetError(
            f"{name} has no fixed means, but best-arm search needs them: use the environment "
            "'stochastic'."
        )
    return SearchEnvironment(environment.arms, environment, error)
