"""discreet errata: errors in the papers, with measured evidence."""

from __future__ import annotations

import json
from pathlib import Path

import click

from discreet.cli import as_json, progress_bar, quiet
from discreet.output import output_file
from discreet_papers.cli import check_writable
from discreet_papers.errata import errata as known_errata
from discreet_papers.errata import write_markdown


@click.command(epilog="Example: discreet errata --output docs/errata.md")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the document to this file.",
)
@quiet
@as_json
def errata(output: Path | None, quiet: bool, as_json: bool) -> None:
    """Measure where the papers are wrong or could be tighter.

    Errors are constants that are too small, false claims, and misprints.
    """
    if output is not None:
        check_writable(output)
    rows = known_errata()
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
        text = write_markdown(measured)
    if output is None:
        click.echo(text, nl=False)
        return
    with output_file(output) as file:
        file.write_text(text, encoding="utf-8")
    click.echo(f"Written to {output}: {len(measured)} errata.")
