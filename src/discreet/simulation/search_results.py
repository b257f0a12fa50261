"""What searches for the best arm gave: samples until the answer, whether it was right, and a manifest."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Integers
from discreet.drawing import plotter
from discreet.errors import count
from discreet.guarantee import Json
from discreet.learners.search.track_and_stop import optimal_weights
from discreet.problems import Problem
from discreet.ranges import Range
from discreet.simulation.results import (
    check_colors,
    contender_facts,
    provenance,
    stated_epsilon,
    to_frame,
    write_results,
)
from discreet.simulation.statistics import mean_interval, share_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from discreet.simulation.experiment import Contender

QUANTILES = (0.1, 0.5, 0.9)


class Line(NamedTuple):
    """A contender, and a probability of a wrong answer that it was allowed: a run may tell of several."""

    contender: int
    error: float


class SearchRow(TypedDict):
    """What one line came to; None for what is not known where trials were cut off."""

    algorithm: str
    label: str
    epsilon: float | None
    error: float
    samples_mean: float | None
    samples_low: float | None
    samples_high: float | None
    samples_q10: int | None
    samples_q50: int | None
    samples_q90: int | None
    wrong: int
    error_rate: float
    error_low: float
    error_high: float
    cut_off: int
    twin: str | None
    times_twin: float | None
    reference: float | None
    proved: str | None
    horizon: int
    trials: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """Samples, answer and pulls of every contender, allowed error and trial.

    A trial that has no answer at the horizon is *cut off*: it counts as neither right nor wrong,
    and a contender with such a trial has no mean.
    """

    contenders: tuple[Contender, ...]
    environment: str
    problem: Problem
    horizon: int
    asked: int
    seed: int
    bounds: Range
    means: Floats  # mean loss of every arm, as a fraction of the range
    best: Integers  # the right answers
    trials: Integers
    lines: tuple[Line, ...]
    samples: Integers  # line, trial
    answers: Integers  # line, trial; -1 where there is none
    pulls: Integers  # line, trial, arm
    seconds: Floats  # contender, summed over trials

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """Which searches had no answer at the horizon: line, trial."""
        return np.asarray(self.answers < 0)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which searches had the right answer: line, trial."""
        return np.isin(self.answers, self.best)

    def label(self, line: int) -> str:
        """Return what a line is called: the contender, and the allowed error if there are several."""
        owner, error = self.lines[line]
        several = sum(each.contender == owner for each in self.lines) > 1
        return self.contenders[owner].label + (f", error {error:g}" if several else "")

    def summary(self) -> list[SearchRow]:
        """Return mean and quantiles of the samples, and how often answers were wrong, a row for each line."""
        means = {
            (self.contenders[owner].algorithm, error): float(self.samples[index].mean())
            for index, (owner, error) in enumerate(self.lines)
            if not self.contenders[owner].private.guarantee.is_private
            and not self.cut_off[index].any()
        }
        return [self._row(index, means) for index in range(len(self.lines))]

    def _row(self, index: int, means: dict[tuple[str, float], float]) -> SearchRow:
        owner, error = self.lines[index]
        contender, samples, cut = (
            self.contenders[owner],
            self.samples[index],
            int(self.cut_off[index].sum()),
        )
        mean, wrong = (
            mean_interval(samples.astype(np.float64)),
            int((~self.correct[index] & ~self.cut_off[index]).sum()),
        )
        share = share_interval(wrong, samples.size)
        twin = means.get((str(contender.facts.get("twin")), error))
        known = cut == 0
        quantiles = np.quantile(samples, QUANTILES, method="higher")
        tenth, half, most = (
            int(value) if value < self.horizon or known else None for value in quantiles
        )
        return {
            "algorithm": contender.algorithm,
            "label": self.label(index),
            "epsilon": stated_epsilon(contender.private.guarantee),
            "error": error,
            "samples_mean": mean.value if known else None,
            "samples_low": None if not known or math.isnan(mean.low) else mean.low,
            "samples_high": None if not known or math.isnan(mean.high) else mean.high,
            "samples_q10": tenth,
            "samples_q50": half,
            "samples_q90": most,
            "wrong": wrong,
            "error_rate": share.value,
            "error_low": share.low,
            "error_high": share.high,
            "cut_off": cut,
            "twin": contender.facts.get("twin") or None,
            "times_twin": mean.value / twin if known and twin else None,
            "reference": self.reference(index),
            "proved": contender.facts.get("bound_source"),
            "horizon": self.horizon,
            "trials": int(self.trials.size),
            "seconds": float(self.seconds[owner]),
        }

    def reference(self, line: int) -> float | None:
        """Return T* kl(ν, 1 - ν): what a search among normal numbers of the same variance and means needs, at least.

        It is None where the contender does not state its variance, or two arms are the best.
        """
        owner, error = self.lines[line]
        variance = self.contenders[owner].facts.get("parameters", {}).get("variance")
        return None if variance is None else least_samples(self.means, float(variance), error)

    def __repr__(self) -> str:
        names = ", ".join(contender.label for contender in self.contenders)
        return f"SearchResults({names}: {self.environment}, {count(self.trials.size, 'trial')})"

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the tidy table: one row for each line and trial."""
        line, trial = (axis.ravel() for axis in np.indices(self.samples.shape))
        who = np.array([each.contender for each in self.lines])[line]
        epsilons = np.array([contender.private.guarantee.epsilon for contender in self.contenders])
        return {
            "algorithm": np.array([contender.algorithm for contender in self.contenders])[who],
            "label": np.array([contender.label for contender in self.contenders])[who],
            "epsilon": epsilons[who],
            "environment": np.full(line.size, self.environment),
            "error": np.array([each.error for each in self.lines])[line],
            "trial": self.trials[trial],
            "samples": self.samples.ravel(),
            "answer": self.answers.ravel(),
            "correct": self.correct.ravel(),
            "cut_off": self.cut_off.ravel(),
            **{f"pulls_{arm}": self.pulls[:, :, arm].ravel() for arm in range(self.pulls.shape[2])},
        }

    def to_pandas(self) -> DataFrame:
        """Return the tidy table as a DataFrame of pandas: one row for each line and trial."""
        return to_frame(self.columns())

    def to_csv(self, path: Path | str) -> Path:
        """Write the tidy table to a file of comma-separated values; return its path."""
        columns = self.columns()
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        return Path(path)

    def plot(self, ax: Axes | None = None, *, colors: Sequence[str] | None = None) -> Axes:
        """Draw which share of the searches has stopped after how many samples, into given axes or new ones."""
        return plotter().draw(self, ax, colors=check_colors(colors, len(self.lines)))

    def manifest(self) -> Json:
        """Return everything that is needed to run this again, and what was promised."""
        return {
            **provenance(),
            "seed": self.seed,
            "environment": self.environment,
            "means": self.means.tolist(),
            "problem": {"plays": str(self.problem), **self.problem.parameters()},
            "horizon": self.horizon,
            "trials": {"asked": self.asked, "finished": int(self.trials.size)},
            "range": {"low": self.bounds.low, "high": self.bounds.high},
            "noise": "floating point: for simulation only",
            "note": "guarantees are about the decisions "
            "of one "
            "search and "
            "when it "
            "stops, not "
            "about "
            "this file",
            "algorithms": [contender_facts(contender) for contender in self.contenders],
        }

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``results.parquet`` and ``manifest.json`` into a folder, made if need be; return their paths."""
        return write_results(folder, self.columns(), self.manifest())


def least_samples(means: Floats, variance: float, error: float) -> float | None:
    """Return T* kl(ν, 1 - ν) for normal numbers with these mean losses; None if two arms are the best.

    >>> losses = np.array([0.4] + [0.6] * 9)
    >>> round(least_samples(losses, 0.25, 0.1)), round(least_samples(losses, 1.1706736, 0.1))
    (352, 1646)
    """
    gains = 1.0 - means
    inverse = optimal_weights(gains, int(gains.argmax()), np.zeros(gains.size))
    if inverse == 0.0:
        return None
    return float(variance / inverse * (1.0 - 2.0 * error) * math.log((1.0 - error) / error))
