"""Options of commands that plot: file, logarithmic axes, size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from discreet.cli import options
from discreet.errors import DiscreetError, show_path
from discreet.output import output_file

if TYPE_CHECKING:
    from discreet.simulation import Results

PICTURES, CURVES = (".pdf", ".svg", ".png"), ".csv"
SIZE = re.compile(r"(\d+(?:\.\d*)?)[x,](\d+(?:\.\d*)?)")


class FigureFile(NamedTuple):
    """A figure to write: its path, axes and size."""

    path: Path
    log: str
    size: tuple[float, float] | None

    def write(self, results: Results[Any]) -> None:
        """Write the figure; the file appears complete or not at all."""
        with output_file(self.path) as file:
            if self.path.suffix.lower() == CURVES:
                results.to_csv(file, curves=True)
                return
            from discreet.plot import write

            write(results, file, log=self.log, size=self.size)


def figure_options(command: options.DecoratedCommand) -> options.DecoratedCommand:
    """Add the options for a figure."""
    for decorate in reversed(
        (
            options.option(
                options.OUTPUT,
                "--plot",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Plot the results to this PDF, SVG or PNG file, or write curves to CSV.",
            ),
            options.option(
                options.OUTPUT,
                "--log-axes",
                type=click.Choice(["x", "y", "xy"]),
                help="Axes of the plot that are logarithmic.",
            ),
            options.option(
                options.OUTPUT,
                "--size",
                metavar="WxH",
                help="Width and height of the plot in inches; 3.3x2.4 fits one column.",
            ),
        )
    ):
        command = decorate(command)
    return command


def figure_file(plot: Path | None, log: str | None, size: str | None) -> FigureFile | None:
    """Return the requested figure, if any; refuse bad options before anything is computed."""
    if plot is None:
        for name, value in (("--log-axes", log), ("--size", size)):
            if value is not None:
                raise DiscreetError(f"{name} needs --plot.")
        return None
    if plot.suffix.lower() != CURVES:
        from discreet.plot import require_matplotlib

        require_matplotlib()
    if plot.suffix.lower() not in (*PICTURES, CURVES):
        raise DiscreetError(
            f"--plot is {show_path(plot)}, but must end in one of {', '.join(PICTURES)}, or in "
            f"{CURVES} to write the curves."
        )
    if not plot.resolve().parent.is_dir():
        raise DiscreetError(
            f"--plot is {show_path(plot)}, but there is no folder {show_path(plot.parent)}."
        )
    return FigureFile(plot, log or "", None if size is None else _read_size(size))


def _read_size(text: str) -> tuple[float, float]:
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise DiscreetError(
            f"--size is '{text}', but must be a width and a height in inches, such as 3.3x2.4."
        )
    from discreet.plot import FigureChoice

    size = FigureChoice(size=(float(found[1]), float(found[2]))).size
    assert size is not None
    return size
