"""discreet counters: the error of running sums at equal privacy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from discreet.cli import options
from discreet.cli.simulate import progress_bar
from discreet.cli.text import number, table
from discreet.errors import DiscreetError, check_int
from discreet.guarantee import Json
from discreet.output import output_file
from discreet_papers.counters import COUNTERS, compare
from discreet_papers.counters.errors import Comparison

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
    help="Rounds; repeat it.",
)
@click.option(
    "--copies",
    type=int,
    default=0,
    show_default=True,
    help="Streams to simulate beside the exact formulas.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same numbers."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw the comparison to this PNG file.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@options.as_json
def counters(
    horizon: tuple[int, ...],
    copies: int,
    seed: int,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare running sums: mean squared error at equal privacy (Gaussian noise, μ = 1, numbers that move by 1).

    Multiply by (sensitivity / μ)² for other guarantees. The largest error over time and its mean
    over time are computed exactly; with --copies they are also measured on the real channels.
    unbounded, restarts, hybrid and tapered need not know the number of rounds.
    """
    for rounds in horizon:
        check_int("horizon", rounds, least=2, most=2**24)
        if horizon.count(rounds) > 1:
            raise DiscreetError(
                f"horizon {rounds} is given {horizon.count(rounds)} times, but each is computed "
                "once."
            )
    if output is not None:
        from discreet.plot.canvas import plotting

        plotting()
        _check_picture(output)
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
        click.echo(json.dumps([_facts(row) for row in rows], indent=2))
    else:
        _show(rows, simulated=copies > 0)
    if output is not None:
        from discreet_papers.counters.plot import plot_counters

        with output_file(output) as file:
            plot_counters(rows, file)
        if not as_json:
            click.echo(f"Written to {output}")


def _check_picture(path: Path) -> None:
    """Refuse a picture that cannot be written, before anything is computed."""
    if path.suffix.lower() not in PICTURES:
        raise DiscreetError(
            f"output is {path}, but the name of a picture must end in one of {', '.join(PICTURES)}."
        )
    folder = path.absolute().parent
    if not folder.is_dir():
        raise DiscreetError(f"output is {path}, but there is no folder {folder}.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise DiscreetError(f"output is {path}, but no file can be written there.")


def _facts(row: Comparison) -> Json:
    facts: Json = {
        "counter": row.counter,
        "rounds": row.rounds,
        "largest": row.computed.largest,
        "mean": row.computed.mean,
    }
    if row.simulated is not None:
        facts |= {"simulated_largest": row.simulated.largest, "simulated_mean": row.simulated.mean}
    return facts | {"lower_bound": row.lower_bound}


def _show(rows: list[Comparison], *, simulated: bool) -> None:
    click.echo(
        "Mean squared error of running sums at equal privacy (μ = 1, numbers that move by 1)"
    )
    head = [
        "counter",
        "rounds",
        "largest",
        "mean",
        *(["largest, measured", "mean, measured"] if simulated else []),
    ]
    lines = []
    previous = None
    for row in rows:
        if previous is not None and previous.rounds != row.rounds:
            lines.append(_bound(previous, simulated=simulated))
        figures = [number(value, digits=4) for value in (*row.computed, *(row.simulated or ()))]
        lines.append([row.counter, f"{row.rounds:,}", *figures])
        previous = row
    lines.append(_bound(rows[-1], simulated=simulated))
    table(head, lines, right=range(1, len(head)))


def _bound(row: Comparison, *, simulated: bool) -> list[str]:
    empty = [""] * (3 if simulated else 1)
    return [
        "any factorisation, at least",
        f"{row.rounds:,}",
        number(row.lower_bound, digits=4),
        *empty,
    ]
