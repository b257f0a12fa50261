"""Contextual bandits: each round shows a feature vector for every arm.

Features are as private as outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Record
from discreet.errors import DiscreetError, check_int, check_positive, count, unknown_name
from discreet.lengths import check_arm
from discreet.problems.arms import MOST_ARMS
from discreet.problems.base import Environment, Game, Problem, Tabled, TableGame
from discreet.ranges import Range

Against = Literal["context", "arm"]
TOLERANCE = 1e-9  # allowance for rounding by which a context may be too long


@dataclass(frozen=True)
class Contexts(Problem):
    """Arms with features that change every round; the comparator is the best arm per context.

    With ``against="arm"`` the comparator plays the same arm in every round, as without contexts.

    >>> problem = Contexts(10, 5)
    >>> str(problem), problem.sizes, problem.rivals
    ('arms with contexts', '10 arms with 5 features', 'the best arm of 10 for every context')
    >>> Contexts(10, 5, against="arm").rivals
    'the best fixed arm of 10'
    """

    title = "contextual bandit"
    feedback = "loss of the played arm, with its features"
    default_environment = "contexts-gaussian"
    shows_private: ClassVar[bool] = True

    arms: int = field(default=10, metadata={"help": "Number of arms."})
    dimension: int = field(default=10, metadata={"help": "Number of features per arm."})
    norm: float = field(default=1.0, metadata={"help": "Largest norm of a feature vector."})
    against: Against = field(
        default="context",
        metadata={"help": "Compare with the best arm per context ('context') or overall ('arm')."},
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))
        object.__setattr__(
            self, "dimension", check_int("dimension", self.dimension, minimum=1, maximum=10_000)
        )
        object.__setattr__(self, "norm", check_positive("norm", self.norm))
        if self.against not in get_args(Against):
            raise unknown_name("against", self.against, get_args(Against))

    def __str__(self) -> str:
        return "arms with contexts"

    @property
    def sizes(self) -> str:
        """The number of arms and features."""
        return f"{self.arms:,} arms with {count(self.dimension, 'feature')}"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best arm" if self.against == "context" else "the best fixed arm"

    @property
    def rivals(self) -> str:
        """The comparator, and the number of candidates."""
        return f"{self.rival} of {self.arms:,}" + (
            " for every context" if self.against == "context" else ""
        )

    @property
    def actions(self) -> int:
        """The number of entries of a round: the features of every arm."""
        return self.arms * self.dimension

    @property
    def facts(self) -> dict[str, str]:
        """The declared properties of contexts."""
        return {"contexts": f"of length at most {self.norm:g}; they are private, as outcomes are"}

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of uniform play, which plays the best arm as often as any other."""
        return bounds.width * (1.0 - 1.0 / self.arms)

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
        """Return the game with outcomes and contexts as declared, or refuse it."""
        contexts = cast(ContextGame, game)
        shape = (self.arms, self.dimension)
        if contexts.table.ndim != 3 or contexts.table.shape[1:] != shape:
            raise DiscreetError(
                f"contexts of a {row} have the shape {contexts.table.shape[1:]}, but {shape[0]} "
                f"arms with {shape[1]} features are declared."
            )
        lengths = np.sqrt(np.einsum("sad,sad->sa", contexts.table, contexts.table))
        if not (lengths <= self.norm * (1.0 + TOLERANCE)).all():
            if not clip or not np.isfinite(lengths).all():
                raise DiscreetError(self._too_long(contexts, lengths, before, row, column))
            shorter = np.minimum(1.0, self.norm / np.maximum(lengths, 1e-300))
            contexts = contexts._replace(table=contexts.table * shorter[:, :, None])
        outside = ~((contexts.outcomes >= bounds.low) & (contexts.outcomes <= bounds.high))
        if clip and outside.any() and not np.isnan(contexts.outcomes).any():
            contexts = contexts._replace(
                outcomes=np.clip(contexts.outcomes, bounds.low, bounds.high)
            )
        elif outside.any():
            first, arm = (int(i) for i in np.argwhere(outside)[0])
            raise DiscreetError(
                f"{row} {first + before + 1}, {column} {arm + 1}: the loss is "
                f"{contexts.outcomes[first, arm]:g}, but the declared range is {bounds.low:g} to "
                f"{bounds.high:g}; declare a wider one, or clip."
            )
        checked, number = Problem.check(
            self, contexts, bounds, clip=clip, before=before, row=row, column=column
        )
        moved = int((lengths > self.norm * (1.0 + TOLERANCE)).sum()) + int(outside.sum())
        return cast(Tabled, checked), number + moved

    def _too_long(
        self, game: ContextGame, lengths: Floats, before: int, row: str, column: str
    ) -> str:
        """Return a message about the first context that cannot be played."""
        scene, arm = (int(i) for i in np.argwhere(~(lengths <= self.norm * (1.0 + TOLERANCE)))[0])
        first = int(np.argmax(game.which == scene)) + before + 1
        what = (
            f"length {lengths[scene, arm]:g}"
            if np.isfinite(lengths[scene, arm])
            else "entries that are not finite"
        )
        return (
            f"{row} {first}, {column} {arm + 1}: the context has {what}, but at most "
            f"{self.norm:g} is declared; declare a larger norm, or clip."
        )

    def probe(self, rounds: int, rng: Generator) -> ContextGame:
        """Return a game of random losses and contexts: both are private."""
        features = rng.standard_normal((rounds, self.arms, self.dimension))
        features *= (
            self.norm
            * rng.random((rounds, self.arms, 1))
            / np.linalg.norm(features, axis=2, keepdims=True)
        )
        losses = rng.random((rounds, self.arms))
        return ContextGame(losses, losses, features, np.arange(rounds))

    def samples(self, game: Game) -> list[int]:
        """Return all arms."""
        return list(range(self.arms))

    def rival_losses(self, game: Game, losses: Floats) -> Floats:
        """Return the smallest loss of every round, or all losses."""
        found: Floats = losses.min(axis=1, keepdims=True) if self.against == "context" else losses
        return found

    def best(self, total: Floats) -> float:
        """Return the loss of the best arm of every round, or that of the best single arm."""
        return float(total[0] if self.against == "context" else total[1:].min())

    def neighbours(self, rounds: int, bounds: Range) -> tuple[ContextGame, ContextGame]:
        """Return two games with a single context; the first loss is the lowest or the highest."""
        table = np.zeros((1, self.arms, self.dimension))
        table[:, :, 0] = self.norm
        found = []
        for first in (bounds.low, bounds.high):
            losses = np.full((rounds, self.arms), bounds.low + bounds.width / 2)
            losses[0] = first
            found.append(ContextGame(losses, losses, table, np.zeros(rounds, np.int64)))
        return found[0], found[1]

    def for_audit(self) -> tuple[Contexts, int]:
        """Return few arms and features."""
        return Contexts(2, 2), 8


class ContextGame(TableGame[int, Record, Floats]):
    """Rounds with contexts: ``table[which[t]]`` are the features of all arms in round t.

    ``losses[t, i]`` is the mean loss of arm i, by which players are scored; ``outcomes[t, i]`` is
    the feedback.
    """

    action_shape = ()
    shows_private: ClassVar[bool] = True

    outcomes: Floats
    table: Floats  # scene, arm, feature
    which: Integers

    @property
    def choices(self) -> int:
        """The number of features: learners estimate one coefficient for each."""
        return int(self.table.shape[2])

    def observe(self, t: int) -> Floats:
        """Show the features, arms by features."""
        scene: Floats = self.table[self.which[t]]
        return scene

    def feedback(self, t: int, action: int) -> Record:
        """Return the record of the round: the features of the arm that was played, and its loss."""
        return Record(self.table[self.which[t], action], self.outcomes[t, action])

    def loss(self, t: int, action: int) -> float:
        """Return the mean loss of the arm."""
        check_arm(action, self.losses.shape[1])  # compiled code would read other memory
        loss: float = self.losses[t, action]
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the loss of the best arm per round, and then that of every arm, per stretch."""
        return np.add.reduceat(
            np.column_stack([self.losses.min(axis=1), self.losses]), starts, axis=0
        )

    def rescaled(self, shift: float, factor: float) -> ContextGame:
        """Return the game with all losses on another scale and unchanged features."""
        return self._replace(
            losses=shift + factor * self.losses, outcomes=shift + factor * self.outcomes
        )


class ContextsEnvironment(Environment):
    """An environment with contexts."""

    on_unit_scale = True

    arms: int
    dimension: int
    norm: float
    against: Against = "context"

    @property
    def problem(self) -> Contexts:
        """The arms and features of the environment."""
        return Contexts(self.arms, self.dimension, self.norm, self.against)

    def played(self, features: Floats, means: Floats, coins: Floats) -> ContextGame:
        """Return the game with these features, and rewards of 0 or 1 with these means.

        ``coins`` are the uniform numbers that determine the rewards.
        """
        losses = 1.0 - means
        found: Any = (coins[:, None] < losses).astype(np.float64)
        return ContextGame(losses, found, self.norm * features, np.arange(len(features)))
