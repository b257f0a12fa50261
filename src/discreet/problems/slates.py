"""Semi-bandits: show a slate of items and see the loss of every item shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int
from discreet.lengths import check_arm, check_point
from discreet.problems.arms import MOST_ARMS, Arms, first_differs
from discreet.problems.base import Environment, Game, Problem, TableGame
from discreet.ranges import Range


@dataclass(frozen=True)
class SemiBandit(Problem):
    """Slates: ``shown`` of ``items`` items are shown, and their losses are the feedback.

    The loss of a slate is the sum over its items. The comparator is the best fixed slate. Losses of
    arms serve as losses of items.

    >>> problem = SemiBandit(10, 3)
    >>> str(problem), problem.sizes, problem.rivals
    ('slates', 'slates of 3 of 10 items', 'the best fixed slate of 3 of 10 items')
    """

    title = "semi-bandit"
    feedback = "loss of every item shown"
    default_environment = "stochastic"

    items: int = field(default=10, metadata={"help": "Number of items."})
    shown: int = field(default=3, metadata={"help": "Number of items in a slate."})

    def __post_init__(self) -> None:
        many = check_int("items", self.items, minimum=2, maximum=MOST_ARMS)
        some = check_int("shown", self.shown, minimum=1)
        if some >= many:
            raise DiscreetError(
                f"shown is {some}, but must be less than the number of items, {many}."
            )
        object.__setattr__(self, "items", many)
        object.__setattr__(self, "shown", some)

    def __str__(self) -> str:
        return "slates"

    @property
    def sizes(self) -> str:
        """The size of a slate, and the number of items."""
        return f"slates of {self.shown:,} of {self.items:,} items"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed slate"

    @property
    def rivals(self) -> str:
        """The comparator, and among how many items."""
        return f"the best fixed slate of {self.shown:,} of {self.items:,} items"

    @property
    def actions(self) -> int:
        """One loss per item."""
        return self.items

    def widest(self, bounds: Range) -> float:
        """Return the largest difference between two slates: in the items that are not in both."""
        return bounds.width * min(self.shown, self.items - self.shown)

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of random slates, which show every item equally often."""
        return bounds.width * self.shown * (1.0 - self.shown / self.items)

    def best(self, total: Floats) -> float:
        """Return the sum of the ``shown`` smallest losses."""
        return float(np.partition(total, self.shown - 1)[: self.shown].sum())

    def probe(self, rounds: int, rng: Generator) -> SlateGame:
        """Return a game of random losses."""
        return self.shown_in(rng.random((rounds, self.items)))

    def samples(self, game: Game) -> list[Integers]:
        """Return the best slate of the game, and slates of consecutive items."""
        total = game.totals([0])[0]
        best = np.argsort(total, kind="stable")[: self.shown]
        others = [(np.arange(self.shown) + i) % self.items for i in range(min(self.items, 20))]
        return [np.sort(slate).astype(np.int64) for slate in (best, *others)]

    def neighbours(self, rounds: int, bounds: Range) -> tuple[SlateGame, SlateGame]:
        """Return two games in which all first losses are the lowest or the highest."""
        one, other = first_differs(rounds, self.items, bounds)
        return self.shown_in(one), self.shown_in(other)

    def shown_in(self, losses: Floats) -> SlateGame:
        """Return the game with these losses of items."""
        return SlateGame(losses, np.zeros(self.shown))

    def borrowed(self) -> Arms:
        """Return the arms whose losses are those of items."""
        return Arms(self.items)

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment on arms, adapted to items."""
        name, arms = type(environment).__name__, environment.problem.actions
        if environment.reacts:
            raise DiscreetError(f"{name} reacts to single arms: it has no losses of slates.")
        if arms <= self.shown:
            raise DiscreetError(
                f"{environment.source} has {arms} losses per round, but slates of {self.shown} "
                "need more items."
            )
        return ItemLosses(environment, self.shown)


class SlateGame(TableGame[Integers, Floats]):
    """Rounds of a semi-bandit: ``losses[t, i]`` is the loss of item i in round t."""

    seen: Floats  # the losses of this round's items: a buffer

    @property
    def choices(self) -> int:
        """The number of items."""
        return int(self.losses.shape[1])

    @property
    def action_shape(self) -> tuple[int, ...]:
        """The items of a slate."""
        return (self.seen.size,)

    def feedback(self, t: int, action: Integers) -> Floats:
        """Return the losses of the items shown, in their order."""
        for j in range(self.seen.size):
            self.seen[j] = self.losses[t, action[j]]
        return self.seen

    def loss(self, t: int, action: Integers) -> float:
        """Return the sum of the losses of the items shown."""
        check_point(action.size, self.seen.size)  # compiled code would read other memory
        total = 0.0
        for j in range(self.seen.size):
            check_arm(action[j], self.losses.shape[1])
            total += self.losses[t, action[j]]
        return total


class ItemLosses(Environment):
    """The losses of arms as losses of items: a player sees those of the items shown."""

    environment: Environment
    shown: int

    @property
    def problem(self) -> SemiBandit:
        """Slates with one item per arm."""
        return SemiBandit(self.environment.problem.actions, self.shown)

    @property
    def on_unit_scale(self) -> bool:  # type: ignore[override]
        """Whether the losses of arms are fractions of the range."""
        return self.environment.on_unit_scale

    @property
    def length(self) -> int | None:
        """The length of the environment."""
        return self.environment.length

    @property
    def source(self) -> str:
        """The source of the environment."""
        return self.environment.source

    def deal(self, start: int, stop: int, rng: Generator) -> SlateGame:
        """Return rounds start to stop."""
        game: Any = self.environment.deal(start, stop, rng)
        return self.problem.shown_in(game.losses)

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check the losses of a table."""
        inner, clipped = self.environment.checked(problem, rounds, bounds, clip=clip)
        return self._replace(environment=inner), clipped

    def __repr__(self) -> str:
        return repr(self.environment)
