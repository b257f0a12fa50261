"""discreet report: a study report from the file of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, cast

import click

from discreet.errors import DiscreetError
from discreet.estimates.table import EstimateKind, Outcomes
from discreet.live.study_report import report_on
from discreet.mechanisms.exact import NoExactNoise


@click.command(epilog="Example: discreet report run.db --format markdown > report.md")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of intervals.")
@click.option(
    "--outcomes",
    type=click.Choice(["rewards", "losses"]),
    default="rewards",
    show_default=True,
    help="Whether to report outcomes as rewards or losses.",
)
@click.option(
    "--kind",
    type=click.Choice(["anytime", "holdout", "final"]),
    default="anytime",
    show_default=True,
    help="Kind of estimates (docs/estimates.md).",
)
@click.option("--clipped", is_flag=True, help="Estimate means of clipped outcomes.")
@click.option("--control", help="Arm to compare all others with.  [default: all pairs]")
@click.option("--plot", type=click.Path(path_type=Path), help="Plot the estimates to this file.")
def report(
    run: Path,
    form: Literal["text", "markdown", "json"],
    level: float,
    outcomes: str,
    kind: str,
    clipped: bool,
    control: str | None,
    plot: Path | None,
) -> None:
    """Print a study report from RUN, the file of a live run: methods, results and privacy cost.

    The file is only read, so the run may be in use. The report shows no raw data and needs no key.
    """
    try:
        found = report_on(
            run,
            level=level,
            outcomes=cast(Outcomes, outcomes),
            kind=cast(EstimateKind, kind),
            clipped=clipped,
            control=control,
        )
    except NoExactNoise:
        raise DiscreetError(
            "a report needs opendp, with which it computes the guarantee of the run: pip install "
            "'discreet[exact]'."
        ) from None
    if plot is not None:
        if found.estimates is None:
            raise DiscreetError(f"there is nothing to plot: {found.no_estimates}")
        found.estimates.plot(plot)
    if form == "json":
        click.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        click.echo(found.markdown() if form == "markdown" else found.text())
