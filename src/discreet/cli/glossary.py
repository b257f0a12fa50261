"""discreet glossary: the words of the field."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from discreet.cli.words import WORDS
from discreet.errors import unknown_name


class Word(click.ParamType[str]):
    """A word of the glossary, completed by the shell."""

    name = "word"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the words that begin like this."""
        return [CompletionItem(word) for word in WORDS if word.startswith(incomplete)]


@click.command(epilog="Example: discreet glossary regret")
@click.argument("word", required=False, nargs=-1, type=Word())
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all of it as a Markdown document.",
)
def glossary(word: tuple[str, ...], output: Path | None) -> None:
    """Explain the words that discreet uses, or one WORD."""
    if output is not None:
        output.write_text(markdown(), encoding="utf-8")
        click.echo(f"Written to {output}: {len(WORDS)} words.")
        return
    wanted = [find(" ".join(word))] if word else list(WORDS)
    click.echo("\n\n".join(_entry(each) for each in wanted))


def find(word: str) -> str:
    """Return the entry that is meant, also where a word of it is given, such as in "central model"."""
    meant = word.lower().removesuffix(" model")
    for name in WORDS:
        if meant in (name.lower(), f"{name.lower()}s"):
            return name
    inside = [name for name in WORDS if meant and meant in name.lower()]
    if len(inside) == 1:
        return inside[0]
    raise unknown_name("word", word, WORDS)


def markdown() -> str:
    """Return the glossary as a document."""
    entries = [
        textwrap.fill(f"* **{word}.** {text}", 100, subsequent_indent="  ", break_on_hyphens=False)
        for word, text in WORDS.items()
    ]
    intro = "`discreet glossary` prints this page, `discreet glossary regret` one entry."
    return "\n".join(["# Glossary", "", intro, "", *entries, ""])


def _entry(word: str) -> str:
    text = WORDS[word].replace("*", "").replace("`", "")
    return f"{word}\n" + textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="  ")
