"""The measures of a simulation: regret at checkpoints, or the samples that searches need."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Integers
from discreet.guarantee import Guarantee, Json
from discreet.simulation.records import RegretRecord
from discreet.simulation.statistics import (
    least_samples,
    mean_interval,
    median_of_means,
    share_interval,
)

if TYPE_CHECKING:
    from discreet.simulation.contenders import Contender
    from discreet.simulation.results import Results

Row = TypeVar("Row", covariant=True)
TidyColumns = Mapping[str, NDArray[np.generic]]
QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, kw_only=True)
class Measure(ABC, Generic[Row]):
    """The measurements of every contender in every trial."""

    what: ClassVar[str]
    clipped: int = 0  # number of values in the data outside their range

    @property
    @abstractmethod
    def trials(self) -> Integers:
        """The numbers of the trials that are finished."""

    @property
    @abstractmethod
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""

    @property
    @abstractmethod
    def curves(self) -> int:
        """How many curves or rows a plot has."""

    @abstractmethod
    def summarise(self, results: Results[Row]) -> list[Row]:
        """Return a row for each contender."""

    @abstractmethod
    def tabulate(self, results: Results[Row]) -> TidyColumns:
        """Return the tidy table."""

    @abstractmethod
    def facts(self) -> Json:
        """Return what the manifest says about the measure."""


class RegretRow(TypedDict):
    """The regret of one contender; None for values that need more trials."""

    algorithm: str
    label: str
    epsilon: float | None
    regret_mean: float
    regret_low: float | None
    regret_high: float | None
    regret_median_of_means: float
    regret_gini_low: float | None
    regret_gini_high: float | None
    regret_per_round: float
    twin: str | None
    times_twin: float | None  # also None if one of the two does not learn
    learns: bool  # whether both it and its twin in these results learn
    regret_bound: float | None
    bound_is_vacuous: bool | None
    oracle_calls_per_round: float | None  # None if it uses no linear oracle
    rounds: int
    trials: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Regret(Measure[RegretRow]):
    """Regret and loss of every contender, trial and checkpoint."""

    what: ClassVar[str] = "regret"

    checkpoints: Integers
    # how many earlier actions losses depended on; None if there is no limit
    remembers: int | None
    record: RegretRecord  # of all trials, in memory or in files

    @property
    def reacts(self) -> bool:
        """Whether losses depended on earlier actions, which most regret bounds do not cover."""
        return self.remembers != 0

    @property
    def trials(self) -> Integers:
        """The numbers of the trials that are finished."""
        return self.record.trials

    @property
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""
        return self.record.seconds

    @property
    def curves(self) -> int:
        """One for each contender."""
        return int(self.seconds.size)

    def summarise(self, results: Results[RegretRow]) -> list[RegretRow]:
        """Return the regret at the end of the game, a row for each contender."""
        return [self._row(index, results) for index in range(len(results.contenders))]

    def _row(self, index: int, results: Results[RegretRow]) -> RegretRow:
        contender, final = results.contenders[index], self.record.final[index]
        mean, median = mean_interval(final), median_of_means(final)
        twin = self._means(results).get(str(contender.facts.get("twin")))
        covers = self.remembers is not None and self.remembers <= contender.facts.get("memory", 0)
        bound = contender.facts.get("regret_bound") if covers else None
        learns = all(
            each.private.learner.learns
            for each in results.contenders
            if each is contender or each.algorithm == contender.facts.get("twin")
        )
        calls = self.record.calls[index] if self.record.calls else None
        played = results.rounds * int(self.trials.size)
        return {
            "algorithm": contender.algorithm,
            "label": contender.label,
            "epsilon": finite_epsilon(contender.private.guarantee),
            "regret_mean": mean.value,
            "regret_low": None if np.isnan(mean.low) else mean.low,
            "regret_high": None if np.isnan(mean.high) else mean.high,
            "regret_median_of_means": median.value,
            "regret_gini_low": median.low,
            "regret_gini_high": median.high,
            "regret_per_round": mean.value / results.rounds,
            "twin": contender.facts.get("twin") or None,
            "times_twin": mean.value / twin if learns and twin is not None and twin > 0.0 else None,
            "learns": learns,
            "regret_bound": bound,
            "bound_is_vacuous": None if bound is None else bool(bound >= self.blind(results)),
            "oracle_calls_per_round": None if calls is None else calls / played,
            "rounds": results.rounds,
            "trials": int(self.trials.size),
            "seconds": float(self.seconds[index]),
        }

    def blind(self, results: Results[RegretRow]) -> float:
        """Return the regret of uniform play if it took part, or else its upper bound."""
        most = results.rounds * results.problem.blind_regret(results.bounds)
        return min(most, self._means(results).get("uniform", most))

    def _means(self, results: Results[RegretRow]) -> dict[str, float]:
        """Return the mean regret of every algorithm without privacy, and of uniform play."""
        final = self.record.final.mean(axis=1)
        return {
            contender.algorithm: float(mean)
            for contender, mean in zip(results.contenders, final, strict=True)
            if not contender.private.guarantee.is_private or contender.algorithm == "uniform"
        }

    def tabulate(self, results: Results[RegretRow]) -> TidyColumns:
        """Return a table with one row for each contender, trial and checkpoint."""
        shown = results.contenders, results.environment, self.checkpoints, self.trials
        return tabulate_regret(*shown, self.record.regret, self.record.loss)

    def facts(self) -> Json:
        """Return what the manifest says about regret."""
        return {
            "note": "guarantees are about the actions of one algorithm, not about this file: it "
            "holds losses and regret",
        }


def tabulate_regret(
    contenders: Sequence[Contender],
    environment: str,
    checkpoints: Integers,
    trials: Integers,
    regret: Floats,
    loss: Floats,
) -> TidyColumns:
    """Return a table with one row for each contender, trial and checkpoint."""
    who, trial, mark = (axis.ravel() for axis in np.indices(regret.shape))
    return {
        "algorithm": np.array([contender.algorithm for contender in contenders], object)[who],
        "label": np.array([contender.label for contender in contenders], object)[who],
        "epsilon": np.array([contender.private.guarantee.epsilon for contender in contenders])[who],
        "environment": np.full(who.size, environment, object),
        "trial": trials[trial],
        "round": checkpoints[mark],
        "loss": loss.ravel(),
        "regret": regret.ravel(),
    }


class Line(NamedTuple):
    """A contender and its allowed error probability; one run may serve several."""

    contender: int
    error: float


class SearchRow(TypedDict):
    """The samples of one line; None for values unknown because trials were cut off."""

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
class Searches(Measure[SearchRow]):
    """Samples, answer and pulls of every contender, allowed error and trial.

    A trial that has no answer at the horizon is *cut off*: it counts as neither right nor wrong,
    and a contender with such a trial has no mean.
    """

    what: ClassVar[str] = "searches"

    means: Floats  # mean loss of every arm, as a fraction of the range
    best: Integers  # the right answers
    lines: tuple[Line, ...]
    numbers: Integers  # of the trials
    samples: Integers  # line, trial
    answers: Integers  # line, trial; -1 where there is none
    pulls: Integers  # line, trial, arm
    played: Floats  # seconds of every contender, summed over trials

    @property
    def trials(self) -> Integers:
        """The numbers of the trials that are finished."""
        return self.numbers

    @property
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""
        return self.played

    @property
    def curves(self) -> int:
        """One for each line."""
        return len(self.lines)

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """Which searches had no answer at the horizon: line, trial."""
        return np.asarray(self.answers < 0)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which searches had the right answer: line, trial."""
        return np.isin(self.answers, self.best)

    def label(self, line: int, contenders: Sequence[Contender]) -> str:
        """Return the name of a line: its contender, and the allowed error if there are several."""
        owner, error = self.lines[line]
        several = sum(each.contender == owner for each in self.lines) > 1
        return contenders[owner].label + (f", error {error:g}" if several else "")

    def summarise(self, results: Results[SearchRow]) -> list[SearchRow]:
        """Return the samples and how often answers were wrong, a row for each line."""
        means = {
            (results.contenders[owner].algorithm, error): float(self.samples[index].mean())
            for index, (owner, error) in enumerate(self.lines)
            if not results.contenders[owner].private.guarantee.is_private
            and not self.cut_off[index].any()
        }
        return [self._row(index, results, means) for index in range(len(self.lines))]

    def _row(
        self, index: int, results: Results[SearchRow], means: dict[tuple[str, float], float]
    ) -> SearchRow:
        owner, error = self.lines[index]
        contender, samples, cut = (
            results.contenders[owner],
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
            int(value) if value < results.rounds or known else None for value in quantiles
        )
        return {
            "algorithm": contender.algorithm,
            "label": self.label(index, results.contenders),
            "epsilon": finite_epsilon(contender.private.guarantee),
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
            "reference": self.reference(index, results.contenders),
            "proved": contender.facts.get("bound_source"),
            "horizon": results.rounds,
            "trials": int(self.trials.size),
            "seconds": float(self.seconds[owner]),
        }

    def reference(self, line: int, contenders: Sequence[Contender]) -> float | None:
        """Return T* kl(ν, 1 - ν): a lower bound for Gaussian rewards of the same variance.

        It is None if the contender does not state its variance, or if two arms are the best.
        """
        owner, error = self.lines[line]
        variance = contenders[owner].facts.get("parameters", {}).get("variance")
        return None if variance is None else least_samples(self.means, float(variance), error)

    def tabulate(self, results: Results[SearchRow]) -> TidyColumns:
        """Return the tidy table: one row for each line and trial."""
        line, trial = (axis.ravel() for axis in np.indices(self.samples.shape))
        who = np.array([each.contender for each in self.lines])[line]
        epsilons = np.array(
            [contender.private.guarantee.epsilon for contender in results.contenders]
        )
        return {
            "algorithm": np.array([contender.algorithm for contender in results.contenders])[who],
            "label": np.array([contender.label for contender in results.contenders])[who],
            "epsilon": epsilons[who],
            "environment": np.full(line.size, results.environment),
            "error": np.array([each.error for each in self.lines])[line],
            "trial": self.trials[trial],
            "samples": self.samples.ravel(),
            "answer": self.answers.ravel(),
            "correct": self.correct.ravel(),
            "cut_off": self.cut_off.ravel(),
            **{f"pulls_{arm}": self.pulls[:, :, arm].ravel() for arm in range(self.pulls.shape[2])},
        }

    def facts(self) -> Json:
        """Return what the manifest says about searches."""
        return {
            "means": self.means.tolist(),
            "note": "guarantees are about the decisions of one search and when it stops, not "
            "about this file",
        }


def finite_epsilon(guarantee: Guarantee) -> float | None:
    """Return the epsilon for a table; None where nothing is guaranteed."""
    return guarantee.epsilon if math.isfinite(guarantee.epsilon) else None
