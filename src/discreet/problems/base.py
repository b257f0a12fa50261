"""The contracts of what is played: game, problem, environment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from discreet.components import Component
from discreet.contracts import Action, Feedback, Floats, Generator, Observation
from discreet.errors import DiscreetError, count
from discreet.ranges import Range


class Game(Component, Generic[Action, Feedback, Observation]):
    """Some consecutive rounds of an environment, dealt before they are played."""

    shows_private: ClassVar[bool] = (
        False  # whether what is shown is as sensitive as feedback, and not public
    )
    by_round: ClassVar[
        tuple[str, ...]
    ] = ()  # fields with a row for each round, where all others are the same for all

    @property
    def choices(self) -> int:
        """Among how many arms or experts a learner chooses, or in how many dimensions; 0 where it is not known."""
        return 0

    @property
    def action_shape(self) -> tuple[int, ...] | None:
        """The shape of an action: () for one of several, (n,) for a point; None where it is not known."""
        return None

    def observe(self, t: int) -> Observation:
        """Return what is shown before round t is played: nothing."""
        return 0  # type: ignore[return-value] # who shows something says so

    def feedback(self, t: int, action: Action) -> Feedback:
        """Return the raw feedback to an action: it goes to the channel and nowhere else."""
        raise NotImplementedError

    def loss(self, t: int, action: Action) -> float:
        """Return the loss of an action, for scoring only."""
        raise NotImplementedError

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return for each stretch of rounds, from one start to the next, what comparators are scored by."""
        raise NotImplementedError

    def rescaled(self, shift: float, factor: float) -> Game:
        """Return the game with every loss x replaced by shift + factor x."""
        raise NotImplementedError

    def followed(self) -> Game:
        """Return the game of those who play experts instead of arms."""
        raise NotImplementedError


class TableGame(Game[Action, Feedback, Observation]):
    """A game whose losses are a table, fixed before they are played: a row a round."""

    by_round = ("losses",)

    losses: Floats

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of the rows of each stretch."""
        return np.add.reduceat(self.losses, starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> Self:
        """Return the game with all losses on another scale."""
        return self._replace(losses=shift + factor * self.losses)


class HasLosses(Protocol):
    """What has a table of losses: a game, or the data that games are dealt from."""

    @property
    def losses(self) -> Floats:
        """A row a round."""

    def _replace(self, **changes: Floats) -> Self:
        """Return it with other losses."""


Tabled = TypeVar("Tabled", bound=HasLosses)


class ReactingGame(Game[Action, Feedback, Observation]):
    """A game that remembers what a player did: every player gets a memory of its own."""

    memory: NDArray[Any]


class Problem:
    """What is played, seen and fed back, and against what one is compared. A value: ``Arms(4) == Arms(4)``.

    A problem is a frozen dataclass. Its fields are its parameters: they become keywords of
    functions and options of commands; ``__post_init__`` checks them.
    """

    title: ClassVar[str]  # for tables of algorithms: "adversarial bandit"
    feedback: ClassVar[str]  # "loss of the played arm"
    default_environment: ClassVar[str]
    default_rounds: ClassVar[int] = (
        10_000  # of a simulation; where learners stop by themselves, the most there are
    )
    score: ClassVar[str] = "expected regret"  # what an algorithm's stated bound is about
    stops: ClassVar[bool] = (
        False  # whether a game lasts until the learner is done, and how long that takes counts
    )
    shows_private: ClassVar[bool] = (
        False  # whether what is shown before a round is as sensitive as feedback
    )
    # whether a regret bound for any losses carries over to random bits with the same means
    carries_bits: ClassVar[bool] = True

    def __str__(self) -> str:
        """Return what is played: "arms"."""
        raise NotImplementedError

    @property
    def sizes(self) -> str:
        """How large it is: "4 arms"."""
        raise NotImplementedError

    @property
    def rival(self) -> str:
        """What regret is measured against: "the best fixed arm"."""
        raise NotImplementedError

    @property
    def rivals(self) -> str:
        """The same, and how many there are: "the best fixed arm of 4"."""
        raise NotImplementedError

    @property
    def actions(self) -> int:
        """How many numbers a round of losses has."""
        raise NotImplementedError

    @property
    def facts(self) -> dict[str, str]:
        """What else is to be said of it."""
        return {}

    def range_words(self, bounds: Range) -> str:
        """Return the declared range in words."""
        return f"losses from {bounds.low:g} to {bounds.high:g}"

    def clipped_words(self, number: int, bounds: Range) -> str:
        """Return what was clipped, in words."""
        return f"{count(number, 'number')} outside {bounds.low:g} to {bounds.high:g}"

    def widest(self, bounds: Range) -> float:
        """Return by how much the losses of two actions can differ in one round."""
        return bounds.width

    def blind_regret(self, bounds: Range) -> float:
        """Return the most regret a round of a player who learns nothing: a larger bound says nothing."""
        return self.widest(bounds)

    def scale(self, bounds: Range) -> tuple[float, float]:
        """Return shift and factor that bring losses on the unit scale into the declared range."""
        return bounds.low, bounds.width

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed rival, given the sum of ``Game.totals`` so far."""
        return float(total.min())

    def bests(self, totals: Floats) -> Floats:
        """Return the same for several sums, a row each."""
        if type(self).best is Problem.best:
            return cast(
                Floats, totals.reshape(len(totals), math.prod(totals.shape[1:])).min(axis=1)
            )
        return np.array([self.best(row) for row in totals])

    def check(
        self,
        game: Tabled,
        bounds: Range,
        *,
        clip: bool,
        before: int = 0,
        row: str = "round",
        column: str = "arm",
    ) -> tuple[Tabled, int]:
        """Return the game with all losses where they were declared to be, and how many were moved, or refuse it.

        ``before`` rounds went before it; ``row`` and ``column`` are what those of its table are
        called.
        """
        losses = game.losses
        if bounds.low <= losses.min() and losses.max() <= bounds.high:
            return game, 0
        outside = ~((losses >= bounds.low) & (losses <= bounds.high))
        if clip and not np.isnan(losses).any():
            return game._replace(losses=np.clip(losses, bounds.low, bounds.high)), int(
                outside.sum()
            )
        first, arm = (int(i) for i in np.argwhere(outside)[0])
        raise DiscreetError(
            f"{row} {first + before + 1}, {column} "
            f"{arm + 1}: the "
            "loss is "
            f"{losses[first, arm]:g}, "
            "but the declared range "
            f"is {bounds.low:g} to {bounds.high:g}; declare a wider one, or clip."
        )

    def probe(self, rounds: int, rng: Generator) -> Game:
        """Return a game of random losses in [0, 1] for checks; what is observed does not depend on ``rng``."""
        raise NotImplementedError

    def samples(self, game: Game) -> Sequence[object]:
        """Return some actions to check a game with: all of them, or such that one of them is the best in this game."""
        return list(range(self.actions))

    def rival_losses(self, game: Game, losses: Floats) -> Floats:
        """Return what rivals lose, a row a round, given what the ``samples`` do."""
        return losses

    def neighbours(self, rounds: int, bounds: Range) -> tuple[Game, Game]:
        """Return two games that differ in the feedback of the first round, as much as they can."""
        raise NotImplementedError

    def for_audit(self) -> tuple[Problem, int]:
        """Return the problem as small as an audit wants it, and how many rounds a run of it has."""
        return self, 10_000

    def borrowed(self) -> Problem | None:
        """Return another problem whose environments serve this one too, once they are adapted."""
        return None

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment of the borrowed problem as one of this problem, or refuse it."""
        raise NotImplementedError

    def parameters(self) -> dict[str, Any]:
        """Return the name and value of every parameter."""
        return {each.name: getattr(self, each.name) for each in fields(cast(Any, self))}


class Environment(Component):
    """Produces games and scores comparators. Raw scoring lives here, never in a learner."""

    compiles = False
    reacts: ClassVar[bool] = (
        False  # whether losses depend on earlier actions, which regret bounds do not cover
    )
    answers: ClassVar[bool] = (
        False  # whether each player gets losses of its own, and is scored by its own memory
    )
    on_unit_scale: ClassVar[bool] = (
        False  # whether losses are fractions of the declared range, and yet to be scaled
    )

    @property
    def problem(self) -> Problem:
        """What is played in it."""
        raise NotImplementedError

    @property
    def length(self) -> int | None:
        """How many rounds there are, if they come from data."""
        return None

    @property
    def source(self) -> str:
        """Where it comes from, for messages."""
        return "the environment"

    def deal(self, start: int, stop: int, rng: Generator) -> Game:
        """Return rounds start to stop (exclusive) of a game; called once for each stretch, in order."""
        raise NotImplementedError

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed rival, given the sum of ``Game.totals`` so far."""
        return self.problem.best(total)

    def bests(self, totals: Floats) -> Floats:
        """Return the same for several sums, a row each."""
        if type(self).best is Environment.best:
            return self.problem.bests(totals)
        return np.array([self.best(row) for row in totals])

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check data once, as losses of a problem, before it is played; return it and how much was clipped."""
        return self, 0
