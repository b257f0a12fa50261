"""Results of best-arm searches, as text."""

from __future__ import annotations

from functools import partial

import click

from discreet.cli.text import number, table
from discreet.errors import count
from discreet.simulation import Results, SearchRow

HEAD = (
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


def print_searches(results: Results[SearchRow]) -> None:
    """Print a table: samples taken, and how often answers were wrong."""
    short = partial(number, digits=4)
    summary = results.summary()
    rows = [
        [
            row["label"],
            short(row["samples_mean"]),
            _span(row["samples_low"], row["samples_high"]),
            *(short(row[level]) for level in ("samples_q10", "samples_q50", "samples_q90")),
            "-" if row["times_twin"] is None else f"{short(row['times_twin'])} ×",
            short(row["reference"]),
            f"{row['wrong']}",
            f"{row['error_low']:.3f} to {row['error_high']:.3f}",
        ]
        for row in summary
    ]
    click.echo(
        f"Samples until {results.problem.rivals} is found, {results.environment} losses, error at "
        f"most {results.problem.parameters()['error']:g}, {count(results.trials.size, 'trial')}"
    )
    table(HEAD, rows, right=range(1, len(HEAD)))
    click.echo(
        "T* kl(ν, 1 - ν): lower bound for Gaussian rewards of the same variance. Error rate: 95 "
        "% interval."
    )
    for row in summary:
        if row["cut_off"]:
            click.echo(
                f"{row['label']}: {count(row['cut_off'], 'trial')} of {row['trials']:,} had no "
                f"answer after {results.rounds:,} rounds, so there is no mean."
            )


def _span(low: float | None, high: float | None) -> str:
    return (
        "-"
        if low is None or high is None
        else f"{number(low, digits=4)} to {number(high, digits=4)}"
    )
