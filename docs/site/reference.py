"""Pages made from the package: papers, commands, and the Python interface."""

from __future__ import annotations

import re
from pathlib import Path

import click
from texts import toctree

import discreet
from discreet.algorithms import list_algorithms
from discreet.cli.commands import cli

# What users import, by topic; a name that is missing here, or no longer there, is an error.
API = {
    "Live use": (
        *("Bandit", "BestArmSearch", "Experts", "Advisor", "ContextualBandit", "Features"),
        *("Optimizer", "VectorOptimizer", "SlateBandit", "LiveRun", "Decision", "Progress"),
    ),
    "The decision service": ("connect", "connect_async"),
    "Devices": ("Device", "LocalServer", "OnDevice"),
    "Budgets and guarantees": ("Guarantee", "Ledger", "compose", "Range", "Private"),
    "Plans and simulations": (
        *(
            "plan",
            "Plan",
            "simulate",
            "search",
            "stress",
            "Stress",
            "Results",
            "Contender",
            "Setting",
        ),
        *("algorithm", "list_algorithms", "register_algorithm", "register_environment"),
    ),
    "Logs": ("Log", "evaluate", "release_evaluation"),
    "Audits": (
        *("audit", "Audit", "audit_durations", "DurationAudit", "audit_final", "audit_holdout"),
        "audit_release_times",
    ),
    "Errors": (
        *("DiscreetError", "AlreadyTold", "NotGiven", "TooLate", "Finished", "HorizonUsed"),
        *("LimitReached", "UserLimitReached", "BudgetExceeded", "OldCopy", "Busy"),
    ),
    "Citations": ("cite",),
}


def write_reference(source: Path, root: Path) -> None:
    """Write all of these pages."""
    _write_papers(source, (root / "docs" / "papers.md").read_text())
    _write_commands(source)
    _write_api(source)


def _write_papers(source: Path, text: str) -> None:
    """Write a page per paper, and one with all of them."""
    (source / "papers").mkdir()
    first, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    pages = []
    for part in parts:
        title, _, body = part.partition("\n")
        name = re.sub(r"\W+", "-", title.lower()).strip("-")
        body = re.sub(r"^#", "", body, flags=re.MULTILINE)  # sections are one level higher now
        body = re.sub(r"\]\((\w+\.md)", r"](../docs/\1", body)
        body = re.sub(r"\]\(\.\./docs/(\w+)\.md\), \*([^*]+)\*", _section, body)
        body = re.sub(r"(?<=[ :])`([a-z0-9-]+)`", _card, body)
        (source / "papers" / f"{name}.md").write_text(f"# {title}\n{body}")
        pages.append((title, name))
    links = [f"- [{title}](papers/{name}.md)" for title, name in pages]
    contents = toctree([f"papers/{name}" for _, name in pages], hidden=True)
    (source / "papers.md").write_text("\n".join([first.strip(), "", *links, "", *contents, ""]))


def _card(found: re.Match[str]) -> str:
    """Return a link to the page of an algorithm, if that is what is named."""
    name = found[1]
    return f"[`{name}`](../algorithms/{name}.md)" if name in list_algorithms() else found[0]


def _section(found: re.Match[str]) -> str:
    """Return a link to the section of a page that is named after it."""
    title = " ".join(found[2].split())
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return f"](../docs/{found[1]}.md#{anchor}), *{title}*"


def _write_commands(source: Path) -> None:
    """Write the help of all commands into one page."""
    context = click.Context(cli, info_name="discreet")
    lines = ["# Commands", "", "The output of `discreet COMMAND --help`.", ""]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None, "it was listed"
        lines += _help(command, context, name, "##")
    (source / "commands.md").write_text("\n".join([*lines, ""]))


def _help(command: click.Command, parent: click.Context, name: str, level: str) -> list[str]:
    with click.Context(command, info_name=name, parent=parent, max_content_width=88) as here:
        lines = [f"{level} {here.command_path}", "", "```text", command.get_help(here), "```", ""]
        if isinstance(command, click.Group):
            for each in command.list_commands(here):
                inner = command.get_command(here, each)
                assert inner is not None, "it was listed"
                lines += _help(inner, here, each, level + "#")
    return lines


def _write_api(source: Path) -> None:
    """Write a page per name of ``discreet.__all__``, by topic."""
    listed = [name for names in API.values() for name in names]
    missing = set(discreet.__all__) - {*listed, "__version__"}
    unknown = set(listed) - set(discreet.__all__)
    if missing or unknown:
        raise SystemExit(f"docs/site/reference.py: missing {missing}, unknown {unknown}")
    lines = ["# Python interface", "", "All names in `from discreet import ...`.", ""]
    for topic, names in API.items():
        lines += [f"## {topic}", "", "```{eval-rst}", ".. autosummary::", "   :toctree: api", ""]
        lines += [f"   discreet.{name}" for name in names]
        lines += ["```", ""]
    (source / "api.md").write_text("\n".join(lines))
