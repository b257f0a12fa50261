"""Results as the tables that commands print and notebooks show."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from discreet.display import Display, ShownTable, number
from discreet.errors import count, join_words
from discreet.simulation.measures import RegretRow, Searches, SearchRow

if TYPE_CHECKING:
    from discreet.simulation.results import Results

SEARCH_HEAD = (
    "algorithm",
    "mean samples",
    "95 % interval",
    "10 %",
    "median",
    "90 %",
    "vs. non-private",
    "T* kl",
    "wrong",
    "error rate",
)
short = functools.partial(number, digits=4)


def display_of(results: Results[Any]) -> Display:
    """Return results as tables and notes."""
    if isinstance(results.measure, Searches):
        return _searches(cast("Results[SearchRow]", results))
    return _regret(cast("Results[RegretRow]", results))


def span(low: float | None, high: float | None) -> str:
    """Return an interval in words, or a dash if it is unknown.

    >>> span(1.5, 20.25), span(None, None)
    ('1.5 to 20.25', '-')
    """
    return "-" if low is None or high is None else f"{short(low)} to {short(high)}"


def _regret(results: Results[RegretRow]) -> Display:
    summary = results.summary()
    oracles = any(row["oracle_calls_per_round"] is not None for row in summary)
    rows = [
        [
            row["label"],
            short(row["regret_mean"]),
            span(row["regret_low"], row["regret_high"]),
            short(row["regret_median_of_means"]),
            number(row["regret_per_round"], digits=3),
            _ratio(row),
            short(row["regret_bound"]) + (" *" if row["bound_is_vacuous"] else ""),
            *([number(row["oracle_calls_per_round"], digits=2)] if oracles else []),
            f"{row['seconds']:.1f}",
        ]
        for row in summary
    ]
    head = [
        "algorithm",
        "mean regret",
        "95 % interval",
        "median of means",
        "per round",
        "vs. non-private",
        "proved bound",
        *(["oracle calls per round"] if oracles else []),
        "seconds",
    ]
    before = [
        f"Regret after {results.rounds:,} rounds against {results.rivals}, "
        f"{results.environment} losses, {count(results.trials.size, 'trial')}"
    ]
    if results.arrivals is not None:
        said = str(results.arrivals)
        before.append(
            f"{said[0].upper()}{said[1:]}. Proved bounds do not cover this: none is shown."
        )
        if results.arrivals.known_after() >= results.rounds:
            before.append(f"No outcome is known within {results.rounds:,} rounds: nobody learns.")
    elif results.switches:
        before.append("Proved bounds are against a fixed action: none is shown.")
    table = ShownTable(head, rows, right=range(1, len(head)))
    return Display((*before, table, *_intervals(results), *_regret_notes(results, summary)))


def _ratio(row: RegretRow) -> str:
    """Return regret relative to that without privacy, or that one of the two does not learn."""
    if not row["learns"]:
        return "no learning †"
    return "-" if row["times_twin"] is None else f"{short(row['times_twin'])} ×"


def _regret_notes(results: Results[RegretRow], summary: list[RegretRow]) -> list[str]:
    notes = []
    twins = {row["algorithm"]: row["twin"] for row in summary if row["times_twin"] is not None}
    if twins:
        notes.append(
            "vs. non-private: regret divided by that of its non-private counterpart "
            f"({_counterparts(twins)})."
        )
    if not all(row["learns"] for row in summary):
        notes.append(
            "† it, or its non-private counterpart, learns nothing here: it plays the centre, or "
            "at random, because its bound is vacuous for so few rounds and when_vacuous is centre."
        )
    if any(row["bound_is_vacuous"] for row in summary):
        notes.append(f"* vacuous: uniform play has regret {short(results.blind_regret)} here.")
    if results.remark:
        notes.append(results.remark)
    if results.clipped:
        words = results.problem.clipped_words(results.clipped, results.bounds)
        notes.append(f"Clipped: {words}.")
    return notes


def _counterparts(twins: Mapping[str, str | None]) -> str:
    """Return the name of the counterpart that all algorithms share, or whose each one is."""
    names = list(dict.fromkeys(map(str, twins.values())))
    if len(names) == 1:
        return names[0]
    return ", ".join(
        f"{name} for {join_words([each for each, its in twins.items() if its == name])}"
        for name in names
    )


def _intervals(results: Results[RegretRow]) -> list[str | ShownTable]:
    """Return how often intervals held, and how wide they were, if that was measured."""
    if not results.intervals:
        return []
    level = 100.0 * results.intervals[0]["level"]
    rows = [
        [
            row["label"],
            row["interval"],
            f"{100.0 * row['coverage']:.1f} %",
            number(row["width"], digits=3),
        ]
        for row in results.intervals
    ]
    return [
        f"Intervals of level {level:g} %, from releases: how often they held after every release, "
        "and how wide they were at the end",
        ShownTable(["algorithm", "mean of", "held", "width"], rows, right=(2, 3)),
    ]


def _searches(results: Results[SearchRow]) -> Display:
    """Return samples taken, and how often answers were wrong."""
    summary = results.summary()
    rows = [
        [
            row["label"],
            short(row["samples_mean"]),
            span(row["samples_low"], row["samples_high"]),
            short(row["samples_q10"]),
            short(row["samples_q50"]),
            short(row["samples_q90"]),
            "-" if row["times_twin"] is None else f"{short(row['times_twin'])} ×",
            short(row["reference"]),
            f"{row['wrong']}",
            f"{row['error_low']:.3f} to {row['error_high']:.3f}",
        ]
        for row in summary
    ]
    cut = [
        f"{row['label']}: {count(row['cut_off'], 'trial')} of {row['trials']:,} had no "
        f"answer after {results.rounds:,} rounds, so there is no mean."
        for row in summary
        if row["cut_off"]
    ]
    return Display(
        (
            f"Samples until {results.rivals} is found, {results.environment} losses, error at "
            f"most {results.problem.parameters()['error']:g}, "
            f"{count(results.trials.size, 'trial')}",
            ShownTable(SEARCH_HEAD, rows, right=range(1, len(SEARCH_HEAD))),
            "T* kl(ν, 1 - ν): lower bound for Gaussian rewards of the same variance. Error rate: "
            "95 % interval.",
            *cut,
        )
    )
