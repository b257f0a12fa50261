"""discreet warm: compile algorithms ahead of their first use."""

from __future__ import annotations

import click

from discreet.cli import options
from discreet.cli.progress import progress_bar
from discreet.errors import count
from discreet.simulation.warming import problem_names
from discreet.simulation.warming import warm as compile_ahead


@click.command(epilog="Example: discreet warm exp3 batched-htinf; discreet warm --problem arms")
@click.argument("names", nargs=-1, type=options.AlgorithmName(), metavar="[NAME]...")
@click.option(
    "--problem", help=f"Compile all algorithms for one problem: {', '.join(problem_names())}."
)
@click.option(
    "--epsilon",
    type=float,
    default=1.0,
    show_default=True,
    help="Epsilon to compile for.",
)
@options.delta
@click.option("--workers", type=int, default=2, show_default=True, help="Number of processes.")
@options.quiet
def warm(
    names: tuple[str, ...],
    problem: str | None,
    epsilon: float,
    delta: float,
    workers: int,
    quiet: bool,
) -> None:
    """Compile the named algorithms, or all, ahead of their first use.

    Each is compiled for the default environment of its problem.
    """
    with progress_bar(quiet=quiet) as bar:
        found = compile_ahead(
            names,
            problem=problem,
            epsilon=epsilon,
            delta=delta,
            workers=workers,
            progress=bar("compiling"),
        )
    slowest = max(found.seconds, key=lambda name: found.seconds[name])
    click.echo(
        f"{count(len(found.seconds), 'algorithm')} compiled in {found.took:.1f} s ({slowest} took "
        f"longest, {found.seconds[slowest]:.1f} s); cached in {found.folder}."
    )
