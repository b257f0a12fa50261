"""Losses and advice from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet.contracts import Environment, Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.advice.scenes import AdviceGame
from discreet.environments.arms.game import least
from discreet.environments.arms.table import Table
from discreet.errors import DiscreetError

TOLERANCE = 1e-9  # by which probabilities may add up to other than 1: rounding


class AdviceTable(Environment):
    """Replays fixed losses and advice: the same game in every trial.

    Advice has the shape (rounds, experts, arms), or (experts, arms) if it is the same in all rounds.

    >>> table = AdviceTable.of(Table(np.array([[0.0, 1.0], [1.0, 0.0]])), np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> table.deal(0, 2, np.random.default_rng(1)).totals([0])
    array([[1., 1.]])
    """

    table: Table
    advice: Floats  # scene, arm, expert

    @classmethod
    def of(cls, table: Table, advice: Floats) -> AdviceTable:
        """Return the game, or refuse advice that is none."""
        given = np.asarray(advice)
        if given.ndim not in (2, 3) or given.dtype.kind not in "biuf":
            raise DiscreetError(
                f"advice has the shape {given.shape}, but must have (rounds, experts, arms) or (experts, arms) numbers."
            )
        scenes = given[None] if given.ndim == 2 else given
        rounds, arms = table.losses.shape
        if scenes.shape[2] != arms:
            raise DiscreetError(f"advice is for {scenes.shape[2]} arms, but the losses have {arms} columns.")
        if len(scenes) not in (1, rounds):
            raise DiscreetError(f"advice has {len(scenes)} rounds, but the losses have {rounds}.")
        check_advice(scenes)
        return cls(table, np.ascontiguousarray(scenes.swapaxes(1, 2), dtype=np.float64))

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.table.actions

    @property
    def experts(self) -> int:
        """The number of experts."""
        return int(self.advice.shape[2])

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return self.table.rounds

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rows start to stop."""
        luck = uniforms(rng, start, stop, 1)[:, 0].copy()
        losses = np.ascontiguousarray(self.table.losses[start:stop])
        if len(self.advice) == 1:
            return AdviceGame(losses, self.advice, np.zeros(stop - start, np.int64), luck)
        return AdviceGame(losses, self.advice[start:stop], np.arange(stop - start), luck)

    def best(self, total: Floats) -> float:
        """Return the loss of the best expert."""
        return least(total)

    def __repr__(self) -> str:
        return f"AdviceTable({self.table.source}: {self.rounds} rounds, {self.experts} experts, {self.actions} arms)"


def read_advice(table: Table, path: Path | str) -> AdviceTable:
    """Return a table of losses with the advice in a ``.npy`` file."""
    path = Path(path)
    try:
        advice = np.load(path, allow_pickle=False)
    except OSError as reason:
        raise DiscreetError(f"{path} cannot be read: {reason.strerror or 'it is not a NPY file'}.") from None
    except (ValueError, EOFError):
        raise DiscreetError(f"{path} is not a NPY file of numbers.") from None
    return AdviceTable.of(table, advice)


def check_advice(advice: Floats, *, before: int = 0) -> None:
    """Refuse advice (round, expert, arm) that is not made of distributions; name the first round and expert."""
    wrong = ~((advice >= 0.0).all(axis=2) & (np.abs(advice.sum(axis=2) - 1.0) <= TOLERANCE))
    if wrong.any():
        t, expert = (int(i) for i in np.argwhere(wrong)[0])
        row = advice[t, expert]
        told = f"adds up to {row.sum():g}" if (row >= 0.0).all() else f"has {row[~(row >= 0.0)][0]:g} in it"
        raise DiscreetError(
            f"round {t + before + 1}, expert {expert + 1}: the advice {told}, but must be a distribution over arms."
        )
