"""discreet simulate: run algorithms in an environment over many trials."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from discreet.algorithms import algorithm
from discreet.cli import interrupts, options
from discreet.cli.intervals import print_intervals
from discreet.cli.progress import progress_bar
from discreet.cli.searches import print_searches
from discreet.cli.text import number, table
from discreet.environments import environments
from discreet.errors import DiscreetError, count
from discreet.options import Values, parse_all
from discreet.output import output_file, output_folder
from discreet.simulation import RegretRow, Results, SearchRow, search
from discreet.simulation import simulate as run
from discreet.simulation.experiment import Progress
from discreet.simulation.results import parquet_writer

_Shown = tuple[Results[object], list[str], Callable[[], None]]
_Go = Callable[[tuple[str, ...], Path | None, Progress, Values], _Shown]


@click.command(
    cls=options.SectionCommand,
    epilog="Example: discreet simulate batched-tsallis-inf tsallis-inf uniform --environment "
    "stochastic --arms 4 --rounds 100000 --trials 50 --epsilon 1 --epsilon 0.1 --seed 1 --output "
    "my-run",
)
@click.argument("names", nargs=-1, required=True, type=options.AlgorithmName(), metavar="NAME...")
@options.option(
    options.GAME,
    "--environment",
    type=options.EnvironmentName(),
    show_default="that of the problem",
    help="Where losses come from (discreet list --environments).",
)
@options.files
@options.option(
    options.GAME,
    "--rounds",
    type=options.RoundsOption(),
    show_default="10000, or the rows of the file",
    help=f"Number of rounds; {options.HIDDEN_HORIZON}.",
)
@options.settings
@options.option(
    options.GAME, "--clip", is_flag=True, help="Clip losses outside the range, not refuse them."
)
@options.late()
@options.problem_parameters
@options.epsilon(multiple=True)
@options.delta
@options.option(
    options.RUN,
    "--trials",
    type=int,
    default=24,
    show_default=True,
    help="Number of independent trials.",
)
@options.seed()
@options.option(
    options.RUN, "--workers", type=int, show_default="all cores", help="Number of threads."
)
@options.on
@options.option(
    options.OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    help="New folder for results, manifest and plot.",
)
@options.overwrite
@options.option(
    options.OUTPUT,
    "--resume",
    is_flag=True,
    help="Resume an interrupted run in the output folder.",
)
@options.option(
    options.OUTPUT,
    "--estimates",
    type=float,
    is_flag=False,
    flag_value=0.95,
    metavar="[LEVEL]",
    help="Report coverage and width of intervals for the means of arms, of level 0.95 or LEVEL.",
)
@options.quiet
@options.as_json
def simulate(
    names: tuple[str, ...],
    epsilon: tuple[float, ...],
    settings: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    resume: bool,
    quiet: bool,
    as_json: bool,
    rounds: options.Rounds | None,
    **arguments: object,
) -> int:
    """Simulate algorithms over many trials; show their regret, or the samples that searches took.

    A private algorithm is run once for each epsilon. In a trial, all algorithms get the same
    losses. Ctrl-C ends the run early and keeps the finished trials. Parameters of a problem apply
    to the algorithms for that problem.
    """
    bounds, texts = options.parse_settings(settings)
    arguments = options.given(arguments) | bounds
    if rounds is not None:
        arguments["rounds"], unknown = rounds
        arguments |= {"unknown_horizon": True} if unknown else {}
    parsed: dict[str, Any] = dict(texts)
    for known in [each.options for each in environments()] + [
        algorithm(name).options for name in names
    ]:
        parsed |= parse_all(known, texts)
    searching = algorithm(names[0]).problem.stops
    if resume and (output is None or overwrite or searching):
        why = "does not work for searches" if searching else "needs --output without --overwrite"
        raise DiscreetError(f"--resume {why}.")
    with contextlib.ExitStack() as stack:
        folder = None
        if output is not None:
            parquet_writer()
            # Imported now, because after an interrupt everything should end soon.
            from discreet.plot import require_matplotlib

            require_matplotlib()
            folder = output
            if searching or (overwrite and output.exists()):
                folder = stack.enter_context(output_folder(output, overwrite=overwrite))
        with progress_bar(quiet=quiet) as bar:
            arguments |= {"epsilon": epsilon, "options": parsed, "resume": resume}
            go: _Go = _search if searching else _play
            results, files, show = go(names, folder, _keeping_finished(bar("trials")), arguments)
        if as_json:
            facts: dict[str, object] = {"results": results.summary(), "clipped": results.clipped}
            facts |= {"estimates": results.intervals} if results.intervals else {}
            facts |= {"remark": results.remark} if results.remark else {}
            click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        else:
            show()
    if files and not as_json:
        click.echo(f"Written to {output}: {', '.join(files)}")
    if interrupts.requested() or results.trials.size < results.asked:
        go_on = (
            "; resume with --resume"
            if files and not searching and results.trials.size < results.asked
            else ""
        )
        click.echo(
            f"Interrupted: {results.trials.size} of {results.asked} trials were finished{go_on}.",
            err=True,
        )
        return interrupts.EXIT_CODE
    return 0


def _play(
    names: tuple[str, ...], folder: Path | None, progress: Progress, arguments: Values
) -> tuple[Results[RegretRow], list[str], Callable[[], None]]:
    """Simulate; return the results, the names of files that were written, and what prints."""
    needed: Mapping[str, Any] = arguments
    results = run(names, output=folder, progress=progress, keep_finished=True, **needed)
    show = functools.partial(_print, results)
    if folder is None:
        return results, [], show
    from discreet.plot import plot_regret

    with output_file(folder / "regret.png") as picture:
        plot_regret(results, picture)
    return results, ["results.parquet", "manifest.json", "regret.png"], show


def _search(
    names: tuple[str, ...], folder: Path | None, progress: Progress, arguments: Values
) -> tuple[Results[SearchRow], list[str], Callable[[], None]]:
    """Search for the best arm; return the same."""
    needed: dict[str, Any] = {
        name: value
        for name, value in arguments.items()
        if name not in ("resume", "clip", "estimates")
    }
    results = search(names, progress=progress, keep_finished=True, **needed)
    show = functools.partial(print_searches, results)
    if folder is None:
        return results, [], show
    from discreet.plot import plot_searches

    files = [*results.save(folder), plot_searches(results, folder / "samples.png")]
    return results, [file.name for file in files], show


def _keeping_finished(show: Progress | None) -> Progress:
    """Return a progress function that passes interrupts on, and keeps finished trials."""

    def progress(done: int, asked: int) -> None:
        if done:
            interrupts.keep_finished()
        interrupts.check()
        if show is not None:
            show(done, asked)

    return progress


def _ratio(row: RegretRow) -> str:
    """Return regret relative to that without privacy, or that one of the two does not learn."""
    if not row["learns"]:
        return "no learning †"
    return "-" if row["times_twin"] is None else f"{number(row['times_twin'], digits=4)} ×"


def _print(results: Results[RegretRow]) -> None:
    short = functools.partial(number, digits=4)
    summary = results.summary()
    oracles = any(row["oracle_calls_per_round"] is not None for row in summary)
    rows = [
        [
            row["label"],
            short(row["regret_mean"]),
            "-"
            if row["regret_low"] is None
            else f"{short(row['regret_low'])} to {short(row['regret_high'])}",
            short(row["regret_median_of_means"]),
            number(row["regret_per_round"], digits=3),
            _ratio(row),
            short(row["regret_bound"]) + (" *" if row["bound_is_vacuous"] else ""),
            *([_per_round(row["oracle_calls_per_round"])] if oracles else []),
            f"{row['seconds']:.1f}",
        ]
        for row in summary
    ]
    click.echo(
        f"Regret after {results.rounds:,} rounds against {results.problem.rivals}, "
        f"{results.environment} losses, {count(results.trials.size, 'trial')}"
    )
    if results.arrivals is not None:
        said = str(results.arrivals)
        click.echo(f"{said[0].upper()}{said[1:]}. Proved bounds do not cover this: none is shown.")
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
    table(head, rows, right=range(1, len(head)))
    print_intervals(results)
    if any(row["times_twin"] is not None for row in summary):
        click.echo("vs. non-private: regret divided by that of its non-private counterpart.")
    if not all(row["learns"] for row in summary):
        click.echo(
            "† it, or its non-private counterpart, learns nothing here: it plays the centre, "
            "or at random, because its bound for so few rounds is vacuous and "
            "when_vacuous=centre was asked for."
        )
    if any(row["bound_is_vacuous"] for row in summary):
        click.echo(f"* vacuous: uniform play has regret {short(results.blind_regret)} here.")
    if results.remark:
        click.echo(results.remark)
    if results.clipped:
        click.echo(f"Clipped: {results.problem.clipped_words(results.clipped, results.bounds)}.")


def _per_round(calls: float | None) -> str:
    return "-" if calls is None else number(calls, digits=2)
