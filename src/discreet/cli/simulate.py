"""discreet simulate: run algorithms in an environment over many trials."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from discreet.algorithms import algorithm
from discreet.cli import interrupts, options
from discreet.cli.figures import figure_file, figure_options
from discreet.cli.progress import progress_bar
from discreet.environments import environments
from discreet.errors import DiscreetError
from discreet.options import Values, parse_all
from discreet.output import output_file, output_folder
from discreet.progress import ShowProgress
from discreet.simulation import RegretRow, Results, SearchRow, search
from discreet.simulation import simulate as run
from discreet.simulation.results import parquet_writer
from discreet.simulation.switching import check_switches

_Shown = tuple[Results[object], list[str]]
_Go = Callable[[tuple[str, ...], Path | None, ShowProgress, Values], _Shown]


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
    options.GAME,
    "--clip",
    is_flag=True,
    help="Clip losses outside the range instead of refusing them.",
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
    help="Report coverage and width of intervals for the arms' means, at level 0.95 or LEVEL.",
)
@figure_options
@options.option(
    options.OUTPUT,
    "--switches",
    type=int,
    help="Compare with the best sequence of arms or experts with at most this many switches.",
)
@options.option(
    options.OUTPUT,
    "--differences",
    metavar="NAME",
    help="Compare the regret of all algorithms with that of this one, trial by trial.",
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
    plot: Path | None,
    log_axes: str | None,
    size: str | None,
    switches: int | None,
    differences: str | None,
    **arguments: object,
) -> int:
    """Simulate algorithms over many trials; show their regret, or the samples that searches took.

    Each private algorithm runs once for each epsilon. Within a trial, all algorithms face the same
    losses. Ctrl-C stops early and keeps the finished trials. The parameters of a problem apply only
    to algorithms for that problem.
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
    figure = figure_file(plot, log_axes, size)
    if switches is not None:
        if searching or output is not None:
            why = "searches have no regret" if searching else "files hold regret to a fixed action"
            raise DiscreetError(f"--switches does not work here: {why}.")
        check_switches(switches)
    if differences is not None and searching:
        raise DiscreetError("--differences does not work for searches, which have no regret.")
    with contextlib.ExitStack() as stack:
        folder = None
        if output is not None:
            parquet_writer()
            # Imported now, because the command should end quickly after an interrupt.
            from discreet.plot import require_matplotlib

            require_matplotlib()
            folder = output
            if searching or (overwrite and output.exists()):
                folder = stack.enter_context(output_folder(output, overwrite=overwrite))
        with progress_bar(quiet=quiet) as bar:
            arguments |= {"epsilon": epsilon, "options": parsed, "resume": resume}
            go: _Go = _search if searching else _play
            results, files = go(names, folder, _keeping_finished(bar("trials")), arguments)
            if switches is not None:
                results = results.against(switches=switches)
        compared = None if differences is None else results.differences(differences)
        if figure is not None:
            figure.write(results)
        if as_json:
            facts: dict[str, object] = {"results": results.summary(), "clipped": results.clipped}
            facts |= {"estimates": results.intervals} if results.intervals else {}
            facts |= {"remark": results.remark} if results.remark else {}
            facts |= {"switches": switches} if switches is not None else {}
            facts |= {"differences": compared.rows} if compared is not None else {}
            click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        else:
            click.echo(str(results))
            if compared is not None:
                click.echo(str(compared))
    if files and not as_json:
        click.echo(f"Written to {output}: {', '.join(files)}")
    if figure is not None and not as_json:
        click.echo(f"Written to {figure.path}")
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
    names: tuple[str, ...], folder: Path | None, progress: ShowProgress, arguments: Values
) -> tuple[Results[RegretRow], list[str]]:
    """Simulate; return the results and the names of the files written."""
    needed: Mapping[str, Any] = arguments
    results = run(names, output=folder, progress=progress, keep_finished=True, **needed)
    if folder is None:
        return results, []
    from discreet.plot import plot_regret

    with output_file(folder / "regret.png") as picture:
        plot_regret(results, picture)
    return results, ["results.parquet", "manifest.json", "regret.png"]


def _search(
    names: tuple[str, ...], folder: Path | None, progress: ShowProgress, arguments: Values
) -> tuple[Results[SearchRow], list[str]]:
    """Search for the best arm; return the results and the names of the files written."""
    needed: dict[str, Any] = {
        name: value
        for name, value in arguments.items()
        if name not in ("resume", "clip", "estimates")
    }
    results = search(names, progress=progress, keep_finished=True, **needed)
    if folder is None:
        return results, []
    from discreet.plot import plot_searches

    files = [*results.save(folder), plot_searches(results, folder / "samples.png")]
    return results, [file.name for file in files]


def _keeping_finished(show: ShowProgress | None) -> ShowProgress:
    """Return a progress function that checks for interrupts and keeps finished trials."""

    def progress(done: int, asked: int) -> None:
        if done:
            interrupts.keep_finished()
        interrupts.check()
        if show is not None:
            show(done, asked)

    return progress
