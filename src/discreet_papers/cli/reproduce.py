"""discreet reproduce: the papers' figures and tables."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from discreet.cli import on, overwrite, progress_bar, quiet, seed
from discreet.output import output_folder
from discreet.plot import require_matplotlib
from discreet_papers.reproduce import FORMATS, reproduction, reproductions


class ReproductionName(click.ParamType[str]):
    """The name of a reproduction, completed by the shell."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin with what is typed."""
        return [
            CompletionItem(name, help=each.title)
            for name, each in reproductions().items()
            if name.startswith(incomplete)
        ]


@click.command(
    help="Compute a figure or table of a paper.\n\nWrites pictures, and their numbers as tables. "
    f"NAME is one of {', '.join(reproductions())}.",
    epilog="Example: discreet reproduce tossou-figure-1 --output figure --trials 24 --rounds 16384",
)
@click.argument("name", type=ReproductionName())
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="New folder for figures and tables.",
)
@overwrite
@click.option("--trials", type=int, help="Number of trials (default: as in the paper).")
@click.option(
    "--rounds",
    type=int,
    help="Number of rounds, the largest where there are several (default: as in the paper).",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    default=["png"],
    show_default=True,
    help="Format of the figures (repeatable).",
)
@seed(default=1)
@on
@quiet
def reproduce(
    name: str,
    output: Path,
    overwrite: bool,
    trials: int | None,
    rounds: int | None,
    formats: tuple[str, ...],
    seed: int,
    on: str,
    quiet: bool,
) -> None:
    """Compute a reproduction; its folder is written completely or not at all."""
    known = reproduction(name)
    require_matplotlib()
    start = time.perf_counter()
    with output_folder(output, overwrite=overwrite) as folder:
        with progress_bar(quiet=quiet) as bar:
            size: dict[str, Any] = {"trials": trials, "rounds": rounds, "seed": seed}
            text = known.run(folder, on=on, step=bar, formats=formats, **size)
        files = sorted(path.name for path in folder.iterdir())
    click.echo(text)
    click.echo(f"Written to {output} in {time.perf_counter() - start:.0f} s: {', '.join(files)}")
