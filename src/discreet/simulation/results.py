"""The results of a simulation: a tidy table, a summary, a manifest and a plot."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Generic, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from componentjit import source_digest
from discreet.contracts import Floats, Integers
from discreet.display import Display
from discreet.drawing import plotter
from discreet.errors import DiscreetError, check_path, count, reason_of, shorten, show_path
from discreet.guarantee import Json
from discreet.problems import Problem
from discreet.ranges import Range
from discreet.simulation.arrivals import Arrivals
from discreet.simulation.contenders import NO_BOUND_WITH_SWITCHES, Contender, without_bound
from discreet.simulation.coverage import IntervalRow
from discreet.simulation.dealing import Dealer
from discreet.simulation.differences import PairedDifferences, paired_differences
from discreet.simulation.exporting import arrow_stream, curve_columns, to_pandas, write_csv
from discreet.simulation.measures import Measure, Regret, RegretRow, Row, Searches, TidyColumns
from discreet.simulation.records import InMemory
from discreet.simulation.shown import display_of
from discreet.simulation.switching import (
    best_sequences,
    check_switches,
    check_switching,
    switched_words,
)
from discreet.simulation.trial import Remembered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from discreet.drawing import Colors, PlotOptions

PACKAGES = ("componentjit", "discreet")  # packages whose code the numbers depend on
Kind = TypeVar("Kind", bound=Measure[object])


@dataclass(frozen=True, kw_only=True)
class Results(Generic[Row]):
    """The results of every contender in every trial.

    ``measure`` holds the measurements: regret from ``simulate``, searches from ``search``. Its
    arrays are also properties here (``regret``, ``loss``; ``samples``, ``answers``).
    """

    contenders: tuple[Contender, ...]
    environment: str
    problem: Problem
    rounds: int  # the length of a game; a search that has no answer by then is cut off
    asked: int
    seed: int
    bounds: Range
    measure: Measure[Row]
    arrivals: Arrivals | None = None  # if outcomes were late
    intervals: tuple[IntervalRow, ...] = ()  # of estimates, if requested
    remark: str = ""  # a note on results in this environment
    switches: int = 0  # of the sequence of actions that regret compares with
    dealer: Dealer | None = field(default=None, repr=False, compare=False)  # of its games

    @property
    def rival(self) -> str:
        """The comparator of regret: "the best fixed arm"."""
        return self._switching("sequence") if self.switches else self.problem.rival

    @property
    def rivals(self) -> str:
        """The same with its number: "the best fixed arm of 4"."""
        if not self.switches:
            return self.problem.rivals
        return self._switching(f"sequence of {switched_words(self.problem)}")

    def _switching(self, sequence: str) -> str:
        times = "switch" if self.switches == 1 else "switches"
        return f"the best {sequence} with at most {self.switches:,} {times}"

    @property
    def trials(self) -> Integers:
        """The numbers of the trials that are finished."""
        return self.measure.trials

    @property
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""
        return self.measure.seconds

    def summary(self) -> list[Row]:
        """Return one row for each contender; a value that the trials cannot tell is None."""
        return self.measure.summarise(self)

    def columns(self) -> TidyColumns:
        """Return the tidy table: a row for each contender, trial, and checkpoint of regret."""
        return self.measure.tabulate(self)

    @property
    def clipped(self) -> int:
        """How many values of the data were outside their range and moved to its ends."""
        return self.measure.clipped

    @property
    def regrets(self) -> Regret:
        """The measurements of ``simulate``."""
        return self._measured(Regret)

    @property
    def searches(self) -> Searches:
        """The measurements of ``search``."""
        return self._measured(Searches)

    def _measured(self, kind: type[Kind]) -> Kind:
        if not isinstance(self.measure, kind):
            raise DiscreetError(f"these results have {self.measure.what}, but no {kind.what}.")
        return self.measure

    @property
    def checkpoints(self) -> Integers:
        """The rounds after which regret is known."""
        return self.regrets.checkpoints

    @property
    def regret(self) -> Floats:
        """Regret so far: contender, trial, checkpoint."""
        return self.regrets.record.regret

    @property
    def loss(self) -> Floats:
        """Loss so far: contender, trial, checkpoint."""
        return self.regrets.record.loss

    @property
    def memory(self) -> Remembered:
        """The final memory of games that remember their players: contender, trial; or None."""
        return self.regrets.record.memory

    @property
    def blind_regret(self) -> float:
        """The regret of uniform play if it took part, or else its upper bound."""
        return self.regrets.blind(cast("Results[RegretRow]", self))

    @property
    def samples(self) -> Integers:
        """How many samples each search took: line, trial."""
        return self.searches.samples

    @property
    def answers(self) -> Integers:
        """The arm that each search found, -1 if it was cut off: line, trial."""
        return self.searches.answers

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which searches found a best arm: line, trial."""
        return self.searches.correct

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """Which searches had no answer at the horizon: line, trial."""
        return self.searches.cut_off

    @property
    def pulls(self) -> Integers:
        """How often each search sampled each arm: line, trial, arm."""
        return self.searches.pulls

    def __repr__(self) -> str:
        names = ", ".join(contender.label for contender in self.contenders)
        played = f"{self.rounds} rounds, {count(self.trials.size, 'trial')}"
        played += f", {self.arrivals}" if self.arrivals is not None else ""
        return f"Results({names}: {self.environment}, {played})"

    @property
    def display(self) -> Display:
        """The table that commands print."""
        return display_of(self)

    def __str__(self) -> str:
        return str(self.display)

    def _repr_html_(self) -> str:
        return self.display._repr_html_()

    def against(self, *, switches: int) -> Results[RegretRow]:
        """Return the results with regret against the best sequence that switches that often.

        It is for arms and experts. The best fixed action never switches. This deals all games once
        more. Stored bounds do not cover such regret and are omitted.
        """
        most = check_switches(switches)
        dealer = check_switching(self.dealer)
        regrets = self.regrets
        loss = regrets.record.loss
        best = best_sequences(
            dealer, regrets.checkpoints, switches=most, seed=self.seed, trials=self.trials
        )
        record = InMemory(
            trials=self.trials,
            seconds=self.seconds,
            clipped=regrets.record.clipped,
            regret=loss - best,
            loss=loss,
            memory=regrets.record.memory,
            calls=regrets.record.calls,
        )
        contenders = self.contenders
        if most:
            contenders = tuple(without_bound(each, NO_BOUND_WITH_SWITCHES) for each in contenders)
        measure: Measure[RegretRow] = replace(regrets, record=record)
        found = cast("Results[RegretRow]", self)
        return replace(found, contenders=contenders, measure=measure, switches=most)

    def differences(
        self, to: str | None = None, *, confidence: float = 0.95, simultaneous: bool = False
    ) -> PairedDifferences:
        """Return how much more regret one contender has than another, within the same trials.

        ``to`` is the label of a contender to compare all others with; by default all pairs are
        compared. Trials are independent, and all contenders of a trial meet the same game, so each
        interval is Student's for the mean of the differences. With ``simultaneous`` all intervals
        hold together (Bonferroni's correction).
        """
        found = cast("Results[RegretRow]", self)
        return paired_differences(found, to, confidence=confidence, simultaneous=simultaneous)

    def curves(self, *, level: float = 0.95) -> TidyColumns:
        """Return the values of ``plot``: mean regret at every checkpoint, with its interval."""
        return curve_columns(self, level)

    def to_pandas(self) -> DataFrame:
        """Return the tidy table as a DataFrame of pandas."""
        return to_pandas(self.columns())

    def to_csv(self, path: Path | str, *, curves: bool = False) -> Path:
        """Write the tidy table to a file of comma-separated values; return its path.

        With ``curves`` it holds the values of ``plot``: means over trials, with their intervals.
        """
        return write_csv(self.curves() if curves else self.columns(), path)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the tidy table to any program that reads Arrow: polars, DuckDB, pyarrow."""
        return arrow_stream(self.columns(), requested_schema)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        path: Path | str | None = None,
        **options: Unpack[PlotOptions],
    ) -> Axes:
        """Draw regret over rounds, or the samples of searches; return the axes.

        It draws into given axes or into new ones, whose figure is ``axes.figure``. ``path`` is a
        file to write, too: PDF, SVG or PNG by its ending.

        * ``only`` names the curves to draw, by label or by algorithm, in this order.
        * ``labels`` renames them: a dictionary by label or algorithm, or a list.
        * ``colors`` are a dictionary or a list as well.
        * ``log`` is ``"x"``, ``"y"`` or ``"xy"`` for logarithmic axes. Rounds whose mean regret is
          not above 0 cannot be shown there, and the figure says so.
        * ``size`` is width and height in inches. A figure that is narrower than 4.5 inches is for a
          column of a paper: its type is 7 and 8 points, and it has no title.
        * ``bands`` is the level of confidence bands, 0.95 by default; None draws none.
        * ``title`` replaces the usual title; an empty text leaves it out.
        """
        if ax is not None and options.get("size") is not None:
            raise DiscreetError(
                "size and ax are both given, but axes have the size of their figure: omit one."
            )
        if options.get("only") is None:
            check_colors(options.get("colors"), self.measure.curves)
        axes = plotter().draw(self, ax, **options)
        if path is not None:
            figure = axes.get_figure(root=True)
            assert figure is not None, "axes are in a figure"
            plotter().save(figure, path)
        return axes

    def manifest(self) -> Json:
        """Return everything needed to run this again, and the guarantees."""
        return {
            **provenance(),
            "seed": self.seed,
            "environment": self.environment,
            "problem": {"plays": str(self.problem), **self.problem.parameters()},
            "rounds": self.rounds,
            "trials": {"asked": self.asked, "finished": int(self.trials.size)},
            "range": {
                "low": self.bounds.low,
                "high": self.bounds.high,
                "clipped": self.clipped,
            },
            "noise": "floating point: for simulation only",
            "arrivals": None if self.arrivals is None else self.arrivals.to_json(),
            "estimates": [dict(row) for row in self.intervals],
            **self.measure.facts(),
            **({"remark": self.remark} if self.remark else {}),
            **({"switches": self.switches} if self.switches else {}),
            "algorithms": [contender_facts(contender) for contender in self.contenders],
        }

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``results.parquet`` and ``manifest.json`` into a folder; return their paths."""
        arrow, parquet = parquet_writer()
        folder = Path(check_path("folder", folder))
        table, facts = folder / "results.parquet", folder / "manifest.json"
        if table.is_dir():
            raise DiscreetError(
                f"{show_path(folder)} has the output of simulate, with results.parquet as a "
                "folder: choose another folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            parquet.write_table(arrow.table(dict(self.columns())), table)
            write_manifest(facts, self.manifest())
        except OSError as reason:
            raise DiscreetError(
                f"{show_path(folder)} cannot be written: {reason_of(reason)}."
            ) from None
        return [table, facts]


def check_colors(colors: Colors | None, needed: int) -> None:
    """Refuse a list of colours if they are too few."""
    if colors is None or isinstance(colors, Mapping):
        return
    if isinstance(colors, str) or len(colors) < needed:
        raise DiscreetError(
            f"colors is {shorten(colors)}, but must be a list with one for each of {needed} "
            "contenders."
        )


def parquet_writer() -> tuple[ModuleType, ModuleType]:
    """Return pyarrow and its Parquet module, or say how to install them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DiscreetError(
            "writing results needs pyarrow: pip install 'discreet[output]'."
        ) from None
    return pyarrow, pyarrow.parquet


def write_manifest(path: Path, manifest: Json) -> None:
    """Write a manifest as JSON."""
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def provenance() -> Json:
    """Return the program and time of a computation."""
    return {
        "discreet": version("discreet"),
        "sources": source_digest(*PACKAGES),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in ("numpy", "numba")}
        | {"python": platform.python_version()},
    }


def contender_facts(contender: Contender) -> Json:
    """Return the entries of a manifest about a contender."""
    return {
        "algorithm": contender.algorithm,
        "label": contender.label,
        "guarantee": contender.private.guarantee.as_dict(),
        "noise": [noise.as_dict() for noise in contender.private.channel.noise_scales],
        **contender.facts,
    }
