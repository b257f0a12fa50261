"""Losses and advice from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.arms.table import Table, numbers_of, table
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, reason_of
from discreet.problems import Advice, AdviceGame, Environment, Problem
from discreet.ranges import Range
from discreet.tables import load_npy

TOLERANCE = 1e-9  # allowance for rounding by which sums of probabilities may differ from 1


class AdviceTable(Environment):
    """Replays fixed losses and advice: the same game in every trial.

    Advice has the shape (rounds, experts, arms), or (experts, arms) if it is the same in all
    rounds.

    >>> losses, advice = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> table = AdviceTable.of(Table(losses), advice)
    >>> table.deal(0, 2, np.random.default_rng(1)).totals([0])
    array([[1., 1.]])
    """

    table: Table
    advice: Floats  # scene, arm, expert

    @classmethod
    def of(cls, table: Table, advice: Floats) -> AdviceTable:
        """Return the game, or refuse invalid advice."""
        given = np.asarray(advice)
        if given.ndim not in (2, 3) or given.dtype.kind not in "biuf":
            raise DiscreetError(
                f"advice has the shape {given.shape}, but must have (rounds, experts, arms) or "
                "(experts, arms) numbers."
            )
        scenes = given[None] if given.ndim == 2 else given
        rounds, arms = table.losses.shape
        if scenes.shape[2] != arms:
            raise DiscreetError(
                f"advice is for {scenes.shape[2]} arms, but the losses have {arms} columns."
            )
        if len(scenes) not in (1, rounds):
            raise DiscreetError(f"advice has {len(scenes)} rounds, but the losses have {rounds}.")
        check_advice(scenes)
        return cls(table, np.ascontiguousarray(scenes.swapaxes(1, 2), dtype=np.float64))

    @property
    def problem(self) -> Advice:
        """The arms and experts of the files."""
        return Advice(self.table.problem.arms, int(self.advice.shape[2]))

    @property
    def length(self) -> int:
        """The number of rounds."""
        return self.table.length

    @property
    def source(self) -> str:
        """The file of losses."""
        return self.table.source

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rows start to stop."""
        drawn = uniforms(rng, start, stop, 1)[:, 0].copy()
        losses = np.ascontiguousarray(self.table.losses[start:stop])
        constant = len(self.advice) == 1
        advice = self.advice if constant else self.advice[start:stop]
        which = np.zeros(stop - start, np.int64) if constant else np.arange(stop - start)
        return AdviceGame(losses=losses, table=advice, which=which, uniforms=drawn)

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check or clip the losses that will be played."""
        rows: Any
        rows, clipped = self.table.checked(problem, rounds, bounds, clip=clip)
        return self._replace(table=rows, advice=self.advice[:rounds]), clipped

    def __repr__(self) -> str:
        return f"AdviceTable({self.source}: {self.length} rounds, {self.problem.sizes})"


@register_environment(
    "table", title="losses from a CSV or NPY file, one row per round", problem=Advice
)
def advice_table(
    *,
    advice: Path | str | ArrayLike,
    bounds: Range,
    losses: Path | str | ArrayLike | None = None,
    rewards: Path | str | ArrayLike | None = None,
    is_table: bool = False,
) -> AdviceTable:
    """Return a table of losses, or of rewards turned into losses, with advice."""
    rows = table(bounds=bounds, losses=losses, rewards=rewards, is_table=is_table)
    if isinstance(advice, Path | str):
        return read_advice(rows, advice)
    return AdviceTable.of(rows, numbers_of("advice", advice))


def read_advice(table: Table, path: Path | str) -> AdviceTable:
    """Return a table of losses with the advice in a ``.npy`` file."""
    path = Path(path)
    try:
        return AdviceTable.of(table, load_npy(path))
    except OSError as reason:
        raise DiscreetError(
            f"{path} cannot be read: {reason_of(reason, 'it is not an NPY file')}."
        ) from None


def check_advice(advice: Floats, *, before: int = 0) -> None:
    """Refuse advice (round, expert, arm) unless it consists of distributions; name the place."""
    wrong = ~((advice >= 0.0).all(axis=2) & (np.abs(advice.sum(axis=2) - 1.0) <= TOLERANCE))
    if wrong.any():
        t, expert = (int(i) for i in np.argwhere(wrong)[0])
        row = advice[t, expert]
        told = (
            f"adds up to {row.sum():g}"
            if (row >= 0.0).all()
            else f"has {row[~(row >= 0.0)][0]:g} in it"
        )
        raise DiscreetError(
            f"round {t + before + 1}, expert {expert + 1}: the advice {told}, but must be a "
            "distribution over arms."
        )
