"""discreet simulate: play algorithms against an adversary."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from componentjit import being_compiled
from discreet.algorithms import algorithm
from discreet.cli import interrupts, options
from discreet.cli.searches import print_searches
from discreet.cli.text import number, table
from discreet.environments import environment_names, environments
from discreet.errors import DiscreetError, count
from discreet.options import Values, parse_all
from discreet.output import output_file, output_folder
from discreet.simulation import Results, SearchResults, search
from discreet.simulation import simulate as run
from discreet.simulation.experiment import Progress
from discreet.simulation.results import parquet_writer


@click.command(
    epilog="Example: discreet simulate batched-tsallis-inf tsallis-inf uniform --environment "
    "stochastic --arms 4 --rounds 100000 --trials 50 --epsilon 1 --epsilon 0.1 --seed 1 --output "
    "my-run"
)
@click.argument("names", nargs=-1, required=True, type=options.AlgorithmName(), metavar="NAME...")
@click.option(
    "--environment",
    type=options.EnvironmentName(),
    help=f"The adversary (default: that of the problem): {', '.join(environment_names())}.",
)
@options.files
@options.problem_parameters
@click.option(
    "--rounds",
    type=options.RoundsOption(),
    default=None,
    help=f"Number of rounds (default: 10000, or the rows of the file); {options.NOT_TOLD}.",
)
@click.option(
    "--trials", type=int, default=24, show_default=True, help="Number of independent trials."
)
@click.option(
    "--epsilon",
    type=float,
    multiple=True,
    default=[1.0],
    show_default=True,
    help="Privacy; may be repeated.",
)
@options.delta
@options.settings
@click.option(
    "--clip",
    is_flag=True,
    help="Clip losses outside their declared range instead of refusing them.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same numbers."
)
@click.option("--workers", type=int, help="Number of threads (default: all cores).")
@options.on
@click.option(
    "--output", type=click.Path(path_type=Path), help="New folder for results, manifest and plot."
)
@click.option("--overwrite", is_flag=True, help="Write into the output folder even if it exists.")
@click.option(
    "--resume", is_flag=True, help="Go on with a run that was broken off in the output folder."
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
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
    """Play algorithms against an adversary over many trials and show their regret, or how long searches took.

    A private algorithm plays once for each epsilon. All algorithms of a trial meet the same game.
    Ctrl-C ends the run early and keeps the trials that are finished.
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
        why = "is not for searches" if searching else "needs --output, and no --overwrite"
        raise DiscreetError(f"--resume {why}.")
    with contextlib.ExitStack() as stack:
        folder = None
        if output is not None:
            parquet_writer()
            from discreet.plot import regret, require_matplotlib, searches  # noqa: F401 (now: after an interrupt all should end soon)

            require_matplotlib()
            folder = output
            if searching or (overwrite and output.exists()):
                folder = stack.enter_context(output_folder(output, overwrite=overwrite))
        with progress_bar(quiet=quiet) as bar:
            arguments |= {"epsilon": epsilon, "options": parsed, "resume": resume}
            go = _search if searching else _play
            results, files = go(names, folder, _keeping_finished(bar("trials")), arguments)
        if as_json:
            clipped = {} if isinstance(results, SearchResults) else {"clipped": results.clipped}
            click.echo(
                json.dumps({"results": results.summary(), **clipped}, indent=2, ensure_ascii=False)
            )
        elif isinstance(results, SearchResults):
            print_searches(results)
        else:
            _print(results)
    if files and not as_json:
        click.echo(f"Written to {output}: {', '.join(files)}")
    if interrupts.requested() or results.trials.size < results.asked:
        go_on = (
            "; go on with --resume"
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
) -> tuple[Results | SearchResults, list[str]]:
    """Simulate; return what came out, and the names of the files that were written."""
    needed: Mapping[str, Any] = arguments
    results = run(names, output=folder, progress=progress, keep_finished=True, **needed)
    if folder is None:
        return results, []
    from discreet.plot.regret import plot_regret

    with output_file(folder / "regret.png") as picture:
        plot_regret(results, picture)
    return results, ["results.parquet", "manifest.json", "regret.png"]


def _search(
    names: tuple[str, ...], folder: Path | None, progress: Progress, arguments: Values
) -> tuple[Results | SearchResults, list[str]]:
    """Search, in losses that are made in their range; return what came out, and the names of the files."""
    needed: dict[str, Any] = {
        name: value for name, value in arguments.items() if name not in ("resume", "clip")
    }
    results = search(names, progress=progress, keep_finished=True, **needed)
    if folder is None:
        return results, []
    from discreet.plot.searches import plot_searches

    files = [*results.save(folder), plot_searches(results, folder / "samples.png")]
    return results, [file.name for file in files]


def _keeping_finished(show: Progress | None) -> Progress:
    """Return a progress that passes interrupts on, and keeps what is finished as soon as there is something to keep."""

    def progress(done: int, asked: int) -> None:
        if done:
            interrupts.keep_finished()
        interrupts.check()
        if show is not None:
            show(done, asked)

    return progress


def _print(results: Results) -> None:
    short = functools.partial(number, digits=4)
    summary = results.summary()
    rows = [
        [
            row["label"],
            short(row["regret_mean"]),
            "-"
            if row["regret_low"] is None
            else f"{short(row['regret_low'])} to {short(row['regret_high'])}",
            short(row["regret_median_of_means"]),
            number(row["regret_per_round"], digits=3),
            "-" if row["times_twin"] is None else f"{short(row['times_twin'])} ×",
            short(row["regret_bound"]) + (" *" if row["bound_is_vacuous"] else ""),
            f"{row['seconds']:.1f}",
        ]
        for row in summary
    ]
    click.echo(
        f"Regret after {results.rounds:,} rounds against {results.problem.rivals}, "
        f"{results.environment} losses, {count(results.trials.size, 'trial')}"
    )
    head = [
        "algorithm",
        "mean regret",
        "95 % interval",
        "median of means",
        "a round",
        "to its twin",
        "proved bound",
        "seconds",
    ]
    table(head, rows, right=range(1, len(head)))
    if any(row["times_twin"] is not None for row in summary):
        click.echo(
            "To its twin: as a multiple of the regret of the same algorithm without privacy."
        )
    if any(row["bound_is_vacuous"] for row in summary):
        click.echo(
            "* says nothing: who learns nothing has a regret of at most "
            f"{short(results.blind_regret)} here."
        )
    if results.clipped:
        click.echo(f"Clipped: {results.problem.clipped_words(results.clipped, results.bounds)}.")


@contextlib.contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str], Progress | None]]:
    """Yield what announces a part of the work and gives its progress: a bar each, on the error stream."""
    if quiet:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        Task,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars
    from rich.text import Text

    class WhatIsDone(ProgressColumn):
        """A part of the work, or who waits for the compiler."""

        def render(self, task: Task) -> Text:
            return Text(
                task.description if (name := being_compiled()) is None else compiling_words(name)
            )

    parts = (WhatIsDone(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Bars(*parts, console=Console(stderr=True))

    def announce(title: str) -> Progress:
        task = bars.add_task("preparing", total=None)

        def show(done: int, asked: int) -> None:
            bars.start()  # not before: what is refused at once needs no bar
            bars.update(
                task, description=title if done else "preparing", completed=done, total=asked
            )

        return show

    try:
        yield announce
    finally:
        if bars.live.is_started:
            bars.stop()


def compiling_words(name: str) -> str:
    """Return what to say while something is compiled.

    >>> compiling_words("exp3"), compiling_words("")
    ('compiling exp3, once', 'compiling, once')
    """
    return f"{f'compiling {name}'.strip()}, once"
