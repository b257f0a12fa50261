"""Replay of a log for learners that see no contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.logged.replayed import ReplayedLog
from discreet.environments.logged.rows import (
    ACCEPTED,
    FOUND,
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
from discreet.problems import Arms, ReactingGame
from discreet.ranges import Range

Source = Path | str | Mapping[str, Sequence[object]]


class LoggedGame(ReactingGame[int, float]):
    """Rounds, each of which is the next accepted row with the arm that the player chose.

    ``memory`` holds the next row, the row of this round, how many were accepted and read, and
    whether there were too few.
    """

    action_shape = ()

    chosen: Integers  # the logged arm of every row that may be accepted
    losses: Floats
    rows: Integers  # which row of the log it is
    arms: int

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.arms

    def loss(self, t: int, action: int) -> float:
        """Return the loss of the next row with this arm."""
        check_arm(action, self.arms)
        place = self.memory[PLACE]
        while place < self.chosen.size and self.chosen[place] != action:
            place += 1
        self.memory[FOUND] = place
        if place >= self.chosen.size:
            return 0.0
        loss: float = self.losses[place]
        return loss

    def feedback(self, t: int, action: int) -> float:
        """Return the same loss, and accept the row."""
        loss = self.loss(t, action)
        place = self.memory[FOUND]
        if place < self.chosen.size:
            self.memory[PLACE] = place + 1
            self.memory[ACCEPTED] += 1
            self.memory[READ] = self.rows[place] + 1
        else:
            self.memory[PLACE] = place
            self.memory[SHORT] = 1
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return zeros: the comparators' scores are in a player's memory."""
        return np.zeros((len(starts), *self.memory.shape))


class Logged(ReplayedLog):
    """Replays a log to learners without contexts: a round is an accepted row."""

    @property
    def problem(self) -> Arms:
        """The arms of the log."""
        return Arms(self.arms)

    def deal(self, start: int, stop: int, rng: Generator) -> LoggedGame:
        """Return a game on the whole log; each player's memory holds its position."""
        rows = accepted_rows(self.accept, rng)
        return LoggedGame(
            memory=new_memory(),
            chosen=self.arm[rows],
            losses=self.losses[rows],
            rows=rows,
            arms=self.arms,
        )


@register_environment(
    "logged", title="a log of decisions with their probabilities, replayed", problem=Arms
)
def logged(
    *,
    bounds: Range,
    log: Source,
    position: int | None = None,
    columns: str | Mapping[str, str] = "",
    least: float | None = None,
) -> Logged:
    """Decisions that were made at random and logged, replayed row by row, without contexts.

    ``log`` is a CSV, Parquet or Arrow file with the columns of the Open Bandit data: item_id (the
    arm), click (the reward), propensity_score (the probability with which the arm was chosen) and,
    if rows belong to several slots, position (the rows of one slot are used). ``columns`` gives
    other names: arm:product,reward:bought,probability:p, or loss:... for losses. Rows keep their
    order; a reward r is the loss low + high - r.

    A row is accepted if the player's arm is the logged one, with probability p_min / p. Other rows
    are skipped. If the log's probabilities are correct, each row is accepted with probability
    p_min, regardless of the player's choices. If rows are also independent, the accepted ones are
    distributed as if the player had made the decisions (docs/logs.md). A round is an accepted row.
    There are about p_min n of them in n rows; games are somewhat shorter, so that the rows suffice
    with probability at least 0.9999. ``least`` replaces p_min if a few rows have a very small
    probability; rows below it are then accepted too rarely, and the result is biased.

    Regret is against the arm with the best SNIPS estimate from the whole log. The best of many
    estimates is too optimistic, so regret is overstated with many arms and few rows. Trials accept
    different rows of the same log, so intervals over trials do not include the variation between
    logs.

    Replay is an evaluation and is not private, even if the algorithm is. ``discreet evaluate``
    estimates what a fixed policy would earn, and can release it with noise.
    """
    rows = rows_of(Log.read(log, position=position, columns=columns), bounds, least)
    return Logged(
        arms=int(rows.means.size),
        arm=rows.arm,
        losses=rows.losses,
        accept=rows.accept,
        means=rows.means,
        rounds=rows.rounds,
        file=rows.source,
        lines=rows.lines,
    )
