"""What a simulation gave: a tidy table at log-spaced rounds, summaries, and a manifest."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from componentjit import source_digest
from discreet.contracts import Floats, Integers
from discreet.drawing import plotter
from discreet.errors import DiscreetError, count, shorten
from discreet.guarantee import Guarantee, Json
from discreet.problems import Problem
from discreet.ranges import Range
from discreet.simulation.records import Record
from discreet.simulation.statistics import mean_interval, median_of_means
from discreet.simulation.trial import Remembered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from discreet.simulation.experiment import Contender


class RegretRow(TypedDict):
    """What one contender came to; None for what one trial cannot tell."""

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
    times_twin: float | None
    regret_bound: float | None
    bound_is_vacuous: bool | None
    rounds: int
    trials: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Results:
    """Regret and loss of every contender, trial and checkpoint."""

    contenders: tuple[Contender, ...]
    environment: str
    problem: Problem
    checkpoints: Integers
    asked: int
    seed: int
    bounds: Range
    # whether losses depended on earlier actions, which the stated regret bounds do not cover
    reacts: bool
    clipped: int
    record: Record  # of all trials, in memory or in files

    @property
    def rounds(self) -> int:
        """The length of the game."""
        return int(self.checkpoints[-1])

    @property
    def trials(self) -> Integers:
        """The numbers of the trials that are finished."""
        return self.record.trials

    @property
    def regret(self) -> Floats:
        """Contender, trial, checkpoint."""
        return self.record.regret

    @property
    def loss(self) -> Floats:
        """Contender, trial, checkpoint."""
        return self.record.loss

    @property
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""
        return self.record.seconds

    @property
    def memory(self) -> Remembered:
        """What games that remember their players knew of them at the end: contender, trial; None if they do not."""
        return self.record.memory

    def summary(self) -> list[RegretRow]:
        """Return the regret at the end of the game, one row a contender; what one trial cannot tell is None."""
        rows: list[RegretRow] = []
        means, blind = self._means(), self.blind_regret
        for index, contender in enumerate(self.contenders):
            final = self.record.final[index]
            mean, median = mean_interval(final), median_of_means(final)
            twin = means.get(str(contender.facts.get("twin")))
            bound = None if self.reacts else contender.facts.get("regret_bound")
            rows.append(
                {
                    "algorithm": contender.algorithm,
                    "label": contender.label,
                    "epsilon": stated_epsilon(contender.private.guarantee),
                    "regret_mean": mean.value,
                    "regret_low": None if np.isnan(mean.low) else mean.low,
                    "regret_high": None if np.isnan(mean.high) else mean.high,
                    "regret_median_of_means": median.value,
                    "regret_gini_low": median.low,
                    "regret_gini_high": median.high,
                    "regret_per_round": mean.value / self.rounds,
                    "twin": contender.facts.get("twin") or None,
                    "times_twin": mean.value / twin if twin is not None and twin > 0.0 else None,
                    "regret_bound": bound,
                    "bound_is_vacuous": None if bound is None else bool(bound >= blind),
                    "rounds": self.rounds,
                    "trials": int(self.trials.size),
                    "seconds": float(self.seconds[index]),
                }
            )
        return rows

    @property
    def blind_regret(self) -> float:
        """The regret of who learns nothing: what uniform play had, if it took part, and at most what it can have."""
        most = self.rounds * self.problem.blind_regret(self.bounds)
        return min(most, self._means().get("uniform", most))

    def _means(self) -> dict[str, float]:
        """Return the mean regret of every algorithm without privacy, and of uniform play."""
        final = self.record.final.mean(axis=1)
        return {
            contender.algorithm: float(mean)
            for contender, mean in zip(self.contenders, final, strict=True)
            if not contender.private.guarantee.is_private or contender.algorithm == "uniform"
        }

    def __repr__(self) -> str:
        names = ", ".join(contender.label for contender in self.contenders)
        return (
            f"Results({names}: {self.environment}, "
            f"{self.rounds} "
            "rounds, "
            f"{count(self.trials.size, 'trial')})"
        )

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the tidy table: one row for each contender, trial and checkpoint."""
        return tidy(
            self.contenders, self.environment, self.checkpoints, self.trials, self.regret, self.loss
        )

    def to_pandas(self) -> DataFrame:
        """Return the tidy table as a DataFrame of pandas: one row for each contender, trial and checkpoint."""
        return to_frame(self.columns())

    def plot(self, ax: Axes | None = None, *, colors: Sequence[str] | None = None) -> Axes:
        """Draw mean regret over rounds, with 95 % bands, into given axes or new ones; return them.

        ``colors`` has one for each contender. The figure of new axes is ``axes.figure``.
        """
        return plotter().draw(self, ax, colors=check_colors(colors, len(self.contenders)))

    def manifest(self) -> Json:
        """Return everything that is needed to run this again, and what was promised."""
        return {
            **provenance(),
            "seed": self.seed,
            "environment": self.environment,
            "problem": {"plays": str(self.problem), **self.problem.parameters()},
            "rounds": self.rounds,
            "trials": {"asked": self.asked, "finished": int(self.trials.size)},
            "range": {"low": self.bounds.low, "high": self.bounds.high, "clipped": self.clipped},
            "noise": "floating point: for simulation only",
            "note": "guarantees are about the actions "
            "of one "
            "algorithm, not "
            "about "
            "this "
            "file: it "
            "holds losses and regret",
            "algorithms": [contender_facts(contender) for contender in self.contenders],
        }

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``results.parquet`` and ``manifest.json`` into a folder, made if need be; return their paths."""
        return write_results(folder, self.columns(), self.manifest())


def tidy(
    contenders: Sequence[Contender],
    environment: str,
    checkpoints: Integers,
    trials: Integers,
    regret: Floats,
    loss: Floats,
) -> dict[str, NDArray[np.generic]]:
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


def check_colors(colors: Sequence[str] | None, needed: int) -> Sequence[str] | None:
    """Return colours, or refuse them if they are too few."""
    if colors is not None and (isinstance(colors, str) or len(colors) < needed):
        raise DiscreetError(
            f"colors is {shorten(colors)}, but must be a "
            "list "
            "with "
            "one for "
            "each of "
            f"{needed} "
            "contenders."
        )
    return colors


def parquet_writer() -> tuple[ModuleType, ModuleType]:
    """Return pyarrow and its Parquet module, or say how to get them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DiscreetError(
            "writing results needs pyarrow: pip install 'discreet[output]'."
        ) from None
    return pyarrow, pyarrow.parquet


def write_results(
    folder: Path | str, columns: Mapping[str, NDArray[np.generic]], manifest: Json
) -> list[Path]:
    """Write a table and a manifest into a folder, made if need be; return their paths."""
    arrow, parquet = parquet_writer()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, facts = folder / "results.parquet", folder / "manifest.json"
    parquet.write_table(arrow.table(columns), table)
    write_manifest(facts, manifest)
    return [table, facts]


def write_manifest(path: Path, manifest: Json) -> None:
    """Write a manifest as JSON."""
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def to_frame(columns: Mapping[str, NDArray[np.generic]]) -> DataFrame:
    """Return a table as a DataFrame of pandas, or say how to get it."""
    try:
        import pandas
    except ImportError:
        raise DiscreetError("to_pandas needs pandas: pip install 'discreet[pandas]'.") from None
    return pandas.DataFrame(columns)


def stated_epsilon(guarantee: Guarantee) -> float | None:
    """Return the epsilon for a table; None where nothing is promised."""
    return guarantee.epsilon if math.isfinite(guarantee.epsilon) else None


def provenance() -> Json:
    """Return by which program, and when, something was computed."""
    return {
        "discreet": version("discreet"),
        "sources": source_digest(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in ("numpy", "numba")}
        | {"python": platform.python_version()},
    }


def contender_facts(contender: Contender) -> Json:
    """Return what a manifest says about a contender."""
    return {
        "algorithm": contender.algorithm,
        "label": contender.label,
        "guarantee": contender.private.guarantee.as_dict(),
        "noise": [noise.as_dict() for noise in contender.private.channel.noise_scales],
        **contender.facts,
    }
