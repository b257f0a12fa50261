"""discreet papers: every statement of the papers, what implements it, and the numbers."""

from __future__ import annotations

import json
from pathlib import Path

import click

from discreet.cli import as_json, progress_bar, quiet
from discreet.output import output_file
from discreet_papers.cli import check_writable
from discreet_papers.inventory import compute_entries, write_inventory


@click.command(epilog="Example: discreet papers --output docs/papers.md")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the document to this file.",
)
@quiet
@as_json
def papers(output: Path | None, quiet: bool, as_json: bool) -> None:
    """List every statement of the five papers, with its numbers.

    For each algorithm, theorem, table and figure: what implements it, the number in the paper, the
    number here, and the measured number. All are computed again, which takes about two minutes.
    """
    if output is not None:
        check_writable(output)
    with progress_bar(quiet=quiet) as bar:
        entries = compute_entries(step=bar("papers"))
    if as_json:
        facts = [
            {
                "paper": paper.short,
                "item": item.name,
                "place": item.place,
                "says": item.says,
                "by": item.by,
                "checked": item.checked,
                "errata": item.errata,
                "note": item.note,
                "numbers": [
                    {
                        "what": row.compared.what,
                        "at": row.compared.at,
                        "there": row.there,
                        "there_is_an_order": row.compared.order,
                        "here": row.here,
                        "measured": row.measured,
                    }
                    for row in rows
                ],
            }
            for paper, item, rows in entries
        ]
        text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    else:
        text = write_inventory(entries)
    if output is None:
        click.echo(text, nl=False)
        return
    with output_file(output) as file:
        file.write_text(text, encoding="utf-8")
    click.echo(f"Written to {output}: {len(entries)} items.")
