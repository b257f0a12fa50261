"""discreet errata: where the papers' constants are wrong, with measured evidence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from discreet.cli import options
from discreet.cli.progress import progress_bar
from discreet.errors import DiscreetError
from discreet.output import output_file
from discreet_papers.errata import errata as known
from discreet_papers.errata import markdown


@click.command(epilog="Example: discreet errata --output docs/errata.md")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the document to this file.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@options.as_json
def errata(output: Path | None, quiet: bool, as_json: bool) -> None:
    """Measure and print every place where a paper's constant is too small, too large or its claim false."""
    if output is not None and not output.absolute().parent.is_dir():
        raise DiscreetError(
            f"output is {output}, but there is no folder {output.absolute().parent}."
        )
    if output is not None and not os.access(
        output if output.exists() else output.absolute().parent, os.W_OK
    ):
        raise DiscreetError(f"output is {output}, but no file can be written there.")
    rows = known()
    measured = []
    with progress_bar(quiet=quiet) as bar:
        step = bar("errata")
        for position, row in enumerate(rows, start=1):
            measured.append((row, row.measure()))
            if step is not None:
                step(position, len(rows))
    if as_json:
        facts = [
            {
                "paper": row.paper,
                "place": row.place,
                "printed": row.printed,
                "ours": row.ours,
                "verdict": row.verdict,
                "evidence": evidence,
            }
            for row, evidence in measured
        ]
        text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    else:
        text = markdown(measured)
    if output is None:
        click.echo(text, nl=False)
        return
    with output_file(output) as file:
        file.write_text(text, encoding="utf-8")
    click.echo(f"Written to {output}: {len(measured)} errata.")
