"""The contracts of games, problems and environments."""

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

    # whether observations are sensitive, like feedback, rather than public
    shows_private: ClassVar[bool] = False
    # whether a regret bound for any losses carries over to random bits with the same means
    carries_bits: ClassVar[bool] = True
    # whether some rounds do not count: new ones are shown until an action is accepted
    skips: ClassVar[bool] = False
    # fields with one row per round; all other fields are the same for all rounds
    by_round: ClassVar[tuple[str, ...]] = ()

    @property
    def choices(self) -> int:
        """The number of arms, experts or dimensions that a learner chooses among.

        It is 0 if unknown.
        """
        return 0

    @property
    def action_shape(self) -> tuple[int, ...] | None:
        """The shape of an action: () for one of several, (n,) for a point.

        It is None if unknown.
        """
        return None

    def observe(self, t: int) -> Observation:
        """Return the observation before round t; by default there is none."""
        return 0  # type: ignore[return-value] # games that show something override this

    def feedback(self, t: int, action: Action) -> Feedback:
        """Return the raw feedback to an action, which goes only to the channel."""
        raise NotImplementedError

    def loss(self, t: int, action: Action) -> float:
        """Return the loss of an action, for scoring only."""
        raise NotImplementedError

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the scores of the comparators, summed over each stretch of rounds.

        A stretch goes from one start to the next.
        """
        raise NotImplementedError

    def rescaled(self, shift: float, factor: float) -> Game:
        """Return the game with every loss x replaced by shift + factor x."""
        raise NotImplementedError

    def followed(self) -> Game:
        """Return the game for players who choose experts instead of arms."""
        raise NotImplementedError


class TableGame(Game[Action, Feedback, Observation]):
    """A game whose losses are a table fixed in advance, with one row per round."""

    by_round = ("losses",)

    losses: Floats

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of the rows of each stretch."""
        return np.add.reduceat(self.losses, starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> Self:
        """Return the game with all losses on another scale."""
        return self._replace(losses=shift + factor * self.losses)


class HasLosses(Protocol):
    """Anything with a table of losses: a game, or the data that games are dealt from."""

    @property
    def losses(self) -> Floats:
        """One row per round."""

    def _replace(self, **changes: Floats) -> Self:
        """Return a copy with other losses."""


Tabled = TypeVar("Tabled", bound=HasLosses)


class ReactingGame(Game[Action, Feedback, Observation]):
    """A game that remembers the player's actions: every player gets its own memory."""

    memory: NDArray[Any]


class SkippingGame(ReactingGame[Action, Feedback, Observation]):
    """A game that accepts only some actions: after any other it shows the next observation."""

    skips: ClassVar[bool] = True

    def accepts(self, action: Action) -> bool:
        """Return whether the action counts for the observation shown."""
        raise NotImplementedError

    def skip(self) -> None:
        """Show the next observation."""
        raise NotImplementedError


class Problem:
    """Defines actions, observations and feedback, and the comparator of regret.

    A problem is a value, ``Arms(4) == Arms(4)``, and a frozen dataclass. Its fields are its
    parameters: they become keywords of functions and options of commands. ``__post_init__`` checks
    them.
    """

    title: ClassVar[str]  # for tables of algorithms: "adversarial bandit"
    # the same for algorithms with a bound only for losses that do not change; None: as above
    stochastic_title: ClassVar[str | None] = None
    feedback: ClassVar[str]  # "loss of the played arm"
    default_environment: ClassVar[str]
    # the rounds of a simulation; the maximum if learners stop by themselves
    default_rounds: ClassVar[int] = 10_000
    score: ClassVar[str] = "expected regret"  # the quantity that an algorithm's stated bound limits
    # whether a game lasts until the learner is done, and its length is the score
    stops: ClassVar[bool] = False
    # whether observations are sensitive, like feedback
    shows_private: ClassVar[bool] = False
    # whether a regret bound for any losses carries over to random bits with the same means
    carries_bits: ClassVar[bool] = True

    def __str__(self) -> str:
        """Return the name of the actions: "arms"."""
        raise NotImplementedError

    @property
    def sizes(self) -> str:
        """Its size: "4 arms"."""
        raise NotImplementedError

    @property
    def rival(self) -> str:
        """The comparator: "the best fixed arm"."""
        raise NotImplementedError

    @property
    def rivals(self) -> str:
        """The comparator with its number: "the best fixed arm of 4"."""
        raise NotImplementedError

    @property
    def actions(self) -> int:
        """The number of entries in a round of losses."""
        raise NotImplementedError

    @property
    def facts(self) -> dict[str, str]:
        """Other facts to print, by name."""
        return {}

    def range_words(self, bounds: Range, noun: str = "losses") -> str:
        """Return the declared range in words."""
        return f"{noun} from {bounds.low:g} to {bounds.high:g}"

    def clipped_words(self, number: int, bounds: Range) -> str:
        """Describe what was clipped."""
        return f"{count(number, 'number')} outside {bounds.low:g} to {bounds.high:g}"

    def widest(self, bounds: Range) -> float:
        """Return the largest difference between the losses of two actions in one round."""
        return bounds.width

    def blind_regret(self, bounds: Range) -> float:
        """Return the largest regret per round of a player who learns nothing.

        A larger bound is vacuous.
        """
        return self.widest(bounds)

    def scale(self, bounds: Range) -> tuple[float, float]:
        """Return the shift and factor that map the unit scale to the declared range."""
        return bounds.low, bounds.width

    def best(self, total: Floats) -> float:
        """Return the loss of the best comparator, given the sum of ``Game.totals`` so far."""
        return float(total.min())

    def bests(self, totals: Floats) -> Floats:
        """Return the same for several sums, one row each."""
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
        """Return the game with all losses as declared, and how many were clipped, or refuse it.

        ``before`` rounds preceded it; ``row`` and ``column`` name the axes of its table.
        """
        losses = game.losses
        if bounds.low <= losses.min() and losses.max() <= bounds.high:
            return game, 0
        outside = ~((losses >= bounds.low) & (losses <= bounds.high))
        if clip and not np.isnan(losses).any():
            clipped = game._replace(losses=np.clip(losses, bounds.low, bounds.high))
            return clipped, int(outside.sum())
        first, arm = (int(i) for i in np.argwhere(outside)[0])
        raise DiscreetError(
            f"{row} {first + before + 1}, {column} {arm + 1}: the loss is {losses[first, arm]:g}, "
            f"but the declared range is {bounds.low:g} to {bounds.high:g}; declare a wider one, "
            "or clip."
        )

    def probe(self, rounds: int, rng: Generator) -> Game:
        """Return a game of random losses in [0, 1] for checks.

        Observations do not depend on ``rng``.
        """
        raise NotImplementedError

    def samples(self, game: Game) -> Sequence[object]:
        """Return actions for checks of a game.

        They are all actions, or include the best one of this game.
        """
        return list(range(self.actions))

    def rival_losses(self, game: Game, losses: Floats) -> Floats:
        """Return the comparators' losses, one row per round, given the losses of ``samples``."""
        return losses

    def neighbours(self, rounds: int, bounds: Range) -> tuple[Game, Game]:
        """Return two games that differ in the first round's feedback as much as possible."""
        raise NotImplementedError

    def for_audit(self) -> tuple[Problem, int]:
        """Return a small version of the problem for audits, and the number of rounds of a run."""
        return self, 10_000

    def borrowed(self) -> Problem | None:
        """Return another problem whose environments can be adapted to this one."""
        return None

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment of the borrowed problem, adapted to this one, or refuse it."""
        raise NotImplementedError

    def parameters(self) -> dict[str, Any]:
        """Return the name and value of every parameter."""
        return {each.name: getattr(self, each.name) for each in fields(cast(Any, self))}


class Environment(Component):
    """Deals games and scores comparators. Only environments score raw losses, never learners."""

    compiles = False
    # whether losses depend on earlier actions, which regret bounds do not cover
    reacts: ClassVar[bool] = False
    # whether each player gets its own losses, and is scored by its own memory
    answers: ClassVar[bool] = False
    # whether losses are fractions of the declared range, not yet scaled
    on_unit_scale: ClassVar[bool] = False

    @property
    def problem(self) -> Problem:
        """The problem it is for."""
        raise NotImplementedError

    @property
    def remembers(self) -> int | None:
        """The number of earlier actions that a loss depends on, or None if there is no limit."""
        return None if self.reacts else 0

    @property
    def length(self) -> int | None:
        """The number of rounds, if they come from data."""
        return None

    @property
    def source(self) -> str:
        """The source of the losses, for messages."""
        return "the environment"

    @property
    def length_words(self) -> str:
        """The number of rounds in words, after the name of the source."""
        return f"has {self.length} rows"

    @property
    def remark(self) -> str:
        """A note on results in this environment, in a few sentences."""
        return ""

    def deal(self, start: int, stop: int, rng: Generator) -> Game:
        """Return rounds start to stop (exclusive) of a game.

        It is called once for each stretch, in order.
        """
        raise NotImplementedError

    def best(self, total: Floats) -> float:
        """Return the loss of the best comparator, given the sum of ``Game.totals`` so far."""
        return self.problem.best(total)

    def bests(self, totals: Floats) -> Floats:
        """Return the same for several sums, one row each."""
        if type(self).best is Environment.best:
            return self.problem.bests(totals)
        return np.array([self.best(row) for row in totals])

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check data once, before the game; return it, and how much was clipped."""
        return self, 0
