"""discreet counters: the error of running sums at equal privacy."""

from __future__ import annotations

import json
from pathlib import Path

import click

from discreet.cli import as_json, number, progress_bar, quiet, seed, table
from discreet.errors import DiscreetError, check_int, repeated
from discreet.output import output_file
from discreet.plot import require_matplotlib
from discreet_papers.cli import check_writable
from discreet_papers.counters import BOUND, COUNTERS, Comparison, compare, plot_counters

PICTURES = (".png", ".pdf", ".svg")


@click.command(
    epilog="Example: discreet counters --horizon 1024 --horizon 16384 --copies 2000 --output "
    "counters.png"
)
@click.option(
    "--horizon",
    type=int,
    multiple=True,
    default=[2**10, 2**14, 2**18],
    show_default=True,
    help="Rounds (repeatable).",
)
@click.option(
    "--copies",
    type=int,
    default=0,
    show_default=True,
    help="Streams to simulate, besides the exact formulas.",
)
@seed(default=1)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw the comparison to this PNG, PDF or SVG file.",
)
@quiet
@as_json
def counters(
    horizon: tuple[int, ...],
    copies: int,
    seed: int,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare running sums: mean squared error at equal privacy.

    Equal privacy means Gaussian noise with μ = 1, for numbers of sensitivity 1. Multiply by
    (sensitivity / μ)² for other guarantees. The largest error over time and its mean over time are
    computed exactly; with --copies they are also measured on the real channels. unbounded,
    restarts, hybrid and tapered need not know the number of rounds.
    """
    for rounds in horizon:
        check_int("horizon", rounds, minimum=2, maximum=2**24)
        if horizon.count(rounds) > 1:
            raise repeated(f"horizon {rounds}", horizon.count(rounds))
    if output is not None:
        require_matplotlib()
        if output.suffix.lower() not in PICTURES:
            raise DiscreetError(
                f"output is {output}, but the name of a picture must end in one of "
                f"{', '.join(PICTURES)}."
            )
        check_writable(output)
    rows = []
    with progress_bar(quiet=quiet) as bar:
        step = bar("counters")
        total = len(horizon) * len(COUNTERS)
        for rounds in horizon:
            for name in COUNTERS:
                rows.append(compare(name, rounds, copies=copies, seed=seed))
                if step is not None:
                    step(len(rows), total)
    if as_json:
        click.echo(json.dumps([_as_json(row) for row in rows], indent=2))
    else:
        _print_table(rows, simulated=copies > 0)
    if output is not None:
        with output_file(output) as file:
            plot_counters(rows, file)
        if not as_json:
            click.echo(f"Written to {output}")


def _as_json(row: Comparison) -> dict[str, object]:
    facts: dict[str, object] = {
        "counter": row.counter,
        "rounds": row.rounds,
        "largest": row.computed.largest,
        "mean": row.computed.mean,
    }
    if row.simulated is not None:
        facts |= {"simulated_largest": row.simulated.largest, "simulated_mean": row.simulated.mean}
    return facts | {"lower_bound": row.lower_bound}


def _print_table(rows: list[Comparison], *, simulated: bool) -> None:
    click.echo("Mean squared error of running sums at equal privacy (μ = 1, sensitivity 1)")
    measured = ["largest, measured", "mean, measured"] if simulated else []
    head = ["counter", "rounds", "largest", "mean", *measured]
    lines = []
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        numbers = [number(x, digits=4) for x in (*row.computed, *(row.simulated or ()))]
        lines.append([row.counter, f"{row.rounds:,}", *numbers])
        if following is None or following.rounds != row.rounds:
            bound = number(row.lower_bound, digits=4)
            empty = [""] * (len(head) - 3)
            lines.append([BOUND, f"{row.rounds:,}", bound, *empty])
    table(head, lines, right=range(1, len(head)))
