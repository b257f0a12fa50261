"""discreet cite: BibTeX for the papers behind algorithms."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from discreet.algorithms import citations, list_algorithms
from discreet.cli import options
from discreet.errors import DiscreetError


@click.command(epilog="Example: discreet cite batched-exp3 exp3 > references.bib")
@click.argument("names", nargs=-1, metavar="[NAME]...", type=options.AlgorithmName())
@click.option("--all", "everything", is_flag=True, help="Cite the papers of every algorithm.")
@options.as_json
def cite(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Print BibTeX for discreet and for the papers behind its algorithms.

    Without a NAME, print only the entry for discreet.
    """
    if everything and names:
        raise DiscreetError(
            f"--all cites every algorithm, but {' '.join(names)} is given too: give one of them."
        )
    found = citations(*(list_algorithms() if everything else names))
    if as_json:
        click.echo(
            json.dumps([asdict(citation) for citation in found], indent=2, ensure_ascii=False)
        )
        return
    click.echo("\n\n".join(citation.bibtex for citation in found))
