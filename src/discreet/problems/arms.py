"""Bandits: one of several arms is played, and its loss is all that is seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import check_int
from discreet.lengths import check_arm
from discreet.problems.base import Environment, Problem, TableGame
from discreet.problems.coins import Coins
from discreet.ranges import Range

MOST_ARMS = 10_000_000


@dataclass(frozen=True)
class Arms(Problem):
    """A number of arms; an arm is played, its loss comes back, and the rival is the best fixed arm.

    >>> problem = Arms(4)
    >>> str(problem), problem.sizes, problem.rivals, problem == Arms(4)
    ('arms', '4 arms', 'the best fixed arm of 4', True)
    """

    title = "adversarial bandit"
    feedback = "loss of the played arm"
    default_environment = "stochastic"

    arms: int = field(default=4, metadata={"help": "Number of arms."})

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))

    def __str__(self) -> str:
        return "arms"

    @property
    def sizes(self) -> str:
        """How many arms there are."""
        return f"{self.arms:,} arms"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed arm"

    @property
    def rivals(self) -> str:
        """The comparator, and among how many."""
        return f"the best fixed arm of {self.arms:,}"

    @property
    def actions(self) -> int:
        """A loss for every arm."""
        return self.arms

    def blind_regret(self, bounds: Range) -> float:
        """Return that of uniform play, which plays every arm as often as the best one."""
        return bounds.width * (1.0 - 1.0 / self.arms)

    def probe(self, rounds: int, rng: Generator) -> ArmGame:
        """Return a game of random losses."""
        return ArmGame(rng.random((rounds, self.arms)))

    def neighbours(self, rounds: int, bounds: Range) -> tuple[ArmGame, ArmGame]:
        """Return two games in which the first loss is the lowest or the highest, and all others in the middle."""
        return ArmGame(first_differs(rounds, self.arms, bounds)[0]), ArmGame(
            first_differs(rounds, self.arms, bounds)[1]
        )


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
        """The arms that there are."""
        return Arms(self.arms)

    def fixed_means(self) -> Floats:
        """Return the mean loss of every arm, as a fraction of the range, if rounds are independent and alike.

        It is empty if they may differ: then nobody can say which arm is the best.
        """
        return np.zeros(0)

    def coins(self) -> Coins | None:
        """Return what tosses the losses of every round and arm, one after the other, if that is how they are dealt."""
        return None


def coins_of(environment: Environment) -> Coins | None:
    """Return an environment's coins; one that deals in another way than the class with the coins has none."""
    if not isinstance(environment, ArmsEnvironment):
        return None
    telling, dealing = (
        next(base for base in type(environment).__mro__ if name in vars(base))
        for name in ("coins", "deal")
    )
    return environment.coins() if issubclass(telling, dealing) else None


def first_differs(rounds: int, columns: int, bounds: Range) -> tuple[Floats, Floats]:
    """Return two tables of losses: the first row is all low or all high, all others are in the middle."""
    one = np.full((rounds, columns), bounds.low + (bounds.high - bounds.low) / 2)
    other = one.copy()
    one[0], other[0] = bounds.low, bounds.high
    return one, other
