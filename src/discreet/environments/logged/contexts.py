"""Replay of a log with contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Record
from discreet.environments.logged.arms import Source
from discreet.environments.logged.replayed import ReplayedLog
from discreet.environments.logged.rows import (
    ACCEPTED,
    PLACE,
    READ,
    SHORT,
    accepted_rows,
    new_memory,
    rows_of,
)
from discreet.environments.registry import register_environment
from discreet.lengths import check_arm
from discreet.logs import Log
from discreet.problems import Contexts, SkippingGame
from discreet.ranges import Range

INSIDE = 0.9  # the share of rows that are not shortened


class LoggedContextGame(SkippingGame[int, Record, Floats]):
    """Rows of a log, shown until the player chooses the logged arm of one that may be accepted.

    ``memory`` holds the row that is shown, how many were accepted and read, and whether there were
    too few.
    """

    action_shape = ()
    shows_private: ClassVar[bool] = True

    chosen: Integers  # the logged arm of every row that may be accepted
    losses: Floats
    rows: Integers  # which row of the log it is
    block: Floats  # row of the log, feature: the same for every arm, each in its own block
    affinity: Floats  # row of the log, arm: the last feature, or no columns
    shown: Floats  # arm, feature

    @property
    def choices(self) -> int:
        """The number of features that a learner learns about."""
        return int(self.shown.shape[1])

    def observe(self, t: int) -> Floats:
        """Show the features of the next row, arms by features."""
        row = self.rows[min(self.memory[PLACE], self.rows.size - 1)]
        size = self.block.shape[1]
        for arm in range(self.shown.shape[0]):
            for i in range(size):
                self.shown[arm, arm * size + i] = self.block[row, i]
            if self.affinity.shape[1] > 0:
                self.shown[arm, self.shown.shape[1] - 1] = self.affinity[row, arm]
        return self.shown

    def accepts(self, action: int) -> bool:
        """Return whether the row has this arm, or no row is left."""
        check_arm(action, self.shown.shape[0])
        place = self.memory[PLACE]
        if place >= self.chosen.size:
            return True
        found: bool = self.chosen[place] == action
        return found

    def skip(self) -> None:
        """Go to the next row."""
        self.memory[PLACE] += 1

    def loss(self, t: int, action: int) -> float:
        """Return the loss of the row."""
        place = self.memory[PLACE]
        if place >= self.losses.size:
            return 0.0
        loss: float = self.losses[place]
        return loss

    def feedback(self, t: int, action: int) -> Record:
        """Return the features of the arm and the loss, and accept the row."""
        loss = self.loss(t, action)
        place = self.memory[PLACE]
        if place < self.chosen.size:
            self.memory[PLACE] = place + 1
            self.memory[ACCEPTED] += 1
            self.memory[READ] = self.rows[place] + 1
        else:
            self.memory[SHORT] = 1
        return Record(self.shown[action], loss)

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return zeros: the comparators' scores are in a player's memory."""
        return np.zeros((len(starts), *self.memory.shape))


class LoggedContexts(ReplayedLog):
    """Replays a log to learners that see contexts: a round is an accepted row."""

    norm: float
    block: Floats
    affinity: Floats

    @property
    def problem(self) -> Contexts:
        """The arms of the log, with a block of features each; the rival is the best single one."""
        size = self.arms * self.block.shape[1] + (self.affinity.shape[1] > 0)
        return Contexts(self.arms, size, self.norm, against="arm")

    def deal(self, start: int, stop: int, rng: Generator) -> LoggedContextGame:
        """Return a game on the whole log; each player's memory holds its position."""
        rows = accepted_rows(self.accept, rng)
        return LoggedContextGame(
            memory=new_memory(),
            chosen=self.arm[rows],
            losses=self.losses[rows],
            rows=rows,
            block=self.block,
            affinity=self.affinity,
            shown=np.zeros((self.arms, self.problem.dimension)),
        )


@register_environment(
    "logged", title="a log of decisions with their probabilities, replayed", problem=Contexts
)
def logged_contexts(
    *,
    bounds: Range,
    norm: float,
    log: Source,
    position: int | None = None,
    columns: str | Mapping[str, str] = "",
    least: float | None = None,
) -> LoggedContexts:
    """Like ``logged`` for arms, with the contexts of the log.

    Features are the columns user_feature_* (for other prefixes use ``columns``, as in
    features:x_,affinity:y_). Numbers are standardised, and a column of other values becomes a
    column of zeros and ones for each value. Each arm has a block of these features and a constant,
    and 0 elsewhere. If there is a column user-item_affinity_* for every arm, it is one more
    feature, with one coefficient for all arms. Features are scaled so that nine of ten rows have
    length at most 1; longer ones are shortened to 1.

    The player sees a row and chooses. If the arm is the logged one, the row is accepted with
    probability p_min / p; if not, the next row is shown. Regret is against the single best arm
    (``against`` is arm), because the best arm for a row is unknown; it is negative where contexts
    help.
    """
    read = Log.read(log, position=position, columns=columns)
    rows = rows_of(read, bounds, least)
    block, affinity = scaled_features(read)
    return LoggedContexts(
        arms=read.arms,
        norm=norm,
        arm=rows.arm,
        losses=rows.losses,
        accept=rows.accept,
        means=rows.means,
        block=norm * block,
        affinity=norm * affinity,
        rounds=rows.rounds,
        file=rows.source,
        lines=rows.lines,
    )


def scaled_features(log: Log) -> tuple[Floats, Floats]:
    """Return a block of features per row, and one more feature per row and arm, of length <= 1."""
    columns, affinity = _standard(log.context), log.affinity
    if affinity.size:
        affinity = (affinity - affinity.mean()) / max(float(affinity.std()), 1e-12)
    constant = float(np.sqrt((columns**2).mean())) if columns.size else 1.0
    block = np.column_stack([columns, np.full(log.rows, constant or 1.0)])
    lengths = np.sqrt((block**2).sum(axis=1) + (affinity**2).max(axis=1, initial=0.0))
    usual = float(np.quantile(lengths, INSIDE))
    shorter = 1.0 / (usual * np.maximum(1.0, lengths / usual))
    return block * shorter[:, None], affinity * shorter[:, None]


def _standard(columns: Floats) -> Floats:
    """Return columns with mean 0 and variance 1; a constant one becomes 0."""
    if not columns.size:
        return columns
    spread = columns.std(axis=0)
    found: Floats = (columns - columns.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return found
