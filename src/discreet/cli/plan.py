"""discreet plan: which algorithm to use, and what privacy would cost."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click

from discreet.cli import options
from discreet.cli.progress import progress_bar
from discreet.errors import DiscreetError
from discreet.guarantee import Json
from discreet.output import output_folder
from discreet.planning import Plan
from discreet.planning import plan as make
from discreet.planning.making import answer, repeat
from discreet.planning.question import EPSILONS, Better
from discreet.planning.sweeps import ShowPartProgress
from discreet.progress import ShowProgress

ANYWAY = ("workers", "outcomes")  # may be given with --repeat
STUDY, EXPECTED, PAST = "Study", "Expected outcomes", "Past outcomes"  # sections of the help


@click.command(
    name="plan",
    cls=options.SectionCommand,
    epilog="Example: discreet plan --arms 3 --rounds 2000 --high 10 --difference 1 --spread 2 "
    "--epsilon 0.1 --epsilon 1 --output my-plan",
)
@options.option(
    STUDY,
    "--arms",
    type=int,
    help="Number of options, if you see only the outcome of the chosen one.",
)
@options.option(
    STUDY,
    "--dimension",
    type=int,
    help="Number of options, if you see the outcomes of all of them.",
)
@options.option(STUDY, "--experts", type=int, hidden=True)
@options.option(STUDY, "--domain", hidden=True)
@options.option(STUDY, "--items", type=int, hidden=True)
@options.option(STUDY, "--shown", type=int, hidden=True)
@options.option(STUDY, "--features", type=int, hidden=True)
@options.option(
    STUDY, "--rounds", type=int, help="Number of decisions: patients, messages, visits."
)
@options.option(
    STUDY,
    "--rounds-per-user",
    type=int,
    show_default="1",
    help="Maximum number of rounds per person.",
)
@options.option(EXPECTED, "--low", type=float, show_default="0", help="Smallest possible outcome.")
@options.option(EXPECTED, "--high", type=float, show_default="1", help="Largest possible outcome.")
@options.option(
    EXPECTED,
    "--better",
    type=click.Choice(get_args(Better)),
    show_default="higher",
    help="Which outcomes are better.",
)
@options.option(
    EXPECTED,
    "--difference",
    type=float,
    help="Smallest difference that matters between the best arm and the others.",
)
@options.option(
    EXPECTED,
    "--spread",
    type=float,
    show_default="the largest possible, as for 0/1 outcomes",
    help="Standard deviation of outcomes.",
)
@options.option(
    EXPECTED,
    "--typical",
    type=float,
    show_default="the middle of the range",
    help="Mean outcome of all arms but the best.",
)
@options.option(
    STUDY,
    "--randomised",
    is_flag=True,
    default=None,
    help="Consider only algorithms that draw their decisions at random.",
)
@options.late(default_outcome=True)
@options.option(
    EXPECTED,
    "--drift/--no-drift",
    "may_drift",
    default=None,
    show_default="drift",
    help="Whether outcomes may change over time.",
)
@options.option(
    PAST,
    "--outcomes",
    type=click.Path(path_type=Path),
    help="CSV, Parquet or NPY file with one column per arm, instead of --difference and --spread.",
)
@options.option(
    PAST, "--arm-column", help="Name of the column of arms, if each row is one outcome."
)
@options.option(PAST, "--outcome-column", help="Name of the column of outcomes, in that case.")
@options.option(
    options.PRIVACY,
    "--epsilon",
    type=options.SeveralNumbers(),
    multiple=True,
    show_default=", ".join(f"{each:g}" for each in EPSILONS),
    help="Epsilon per round (repeatable).",
)
@options.option(
    options.PRIVACY,
    "--delta",
    type=float,
    show_default="0",
    help="Delta of (epsilon, delta)-privacy.",
)
@options.option(
    options.PRIVACY,
    "--share",
    type=float,
    show_default="0.5",
    help="Share of the non-private gain to keep.",
)
@options.option(
    options.PRIVACY,
    "--wanted-epsilon",
    type=float,
    show_default="the smallest of --epsilon",
    help="Epsilon for which to find the number of rounds.",
)
@options.option(
    options.RUN,
    "--trials",
    type=int,
    show_default="200, fewer for many rounds",
    help="Number of simulations.",
)
@options.option(
    options.RUN,
    "--seed",
    type=int,
    show_default="0",
    help="Random seed; the same seed gives the same numbers.",
)
@options.option(
    options.RUN, "--workers", type=int, show_default="all cores", help="Number of threads."
)
@options.option(
    options.RUN,
    "--repeat",
    "again",
    type=click.Path(path_type=Path),
    help="Repeat the plan in this plan.json file.",
)
@options.option(
    options.OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    help="New folder for plan.json, plan.txt and plan.png.",
)
@options.overwrite
@options.quiet
@options.as_json
def plan(
    again: Path | None,
    epsilon: tuple[float, ...],
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    **arguments: object,
) -> int:
    """Plan a study: which private algorithm to use, and what each epsilon would cost.

    The command simulates the outcomes that you expect. It shows what each epsilon costs compared
    with equal randomisation and with no privacy, the smallest epsilon that keeps enough of the
    gain, and the number of rounds that a given epsilon needs. It also writes a
    paragraph for an ethics board.

    Plans are for arms. For slates, contexts and points of a set, use discreet simulate.
    """
    given = options.given(arguments) | ({"epsilon": epsilon} if epsilon else {})
    before = None if again is None else _read(again, given)
    with contextlib.ExitStack() as stack:
        folder = None
        if output is not None:
            from discreet.plot import require_matplotlib

            require_matplotlib()
            folder = stack.enter_context(output_folder(output, overwrite=overwrite))
        with progress_bar(quiet=quiet) as bar:
            show = _bars(bar)
            if before is not None:
                question = repeat(before, outcomes=given.get("outcomes"))
                found = answer(question, workers=given.get("workers"), progress=show)
            elif "rounds" not in given:
                raise DiscreetError("rounds is missing: give the number of decisions.")
            else:
                found = make(**given, progress=show)
        click.echo(
            json.dumps(found.to_json(), indent=2, ensure_ascii=False) if as_json else str(found)
        )
        files = [] if folder is None else found.save(folder)
    if files and not as_json:
        click.echo(f"\nWritten to {output}: {', '.join(file.name for file in files)}")
    return 0 if before is None else _compare(found, before, again, quiet=as_json)


def _bars(announce: Callable[[str], ShowProgress | None]) -> ShowPartProgress:
    """Return a progress function with a bar for every part of the work."""
    bars: dict[str, ShowProgress | None] = {}

    def show(part: str, done: int, asked: int) -> None:
        if part not in bars:
            bars[part] = announce(part)
        bar = bars[part]
        if bar is not None:
            bar(done, asked)

    return show


def _read(path: Path, given: Json) -> Json:
    """Return an earlier plan; refuse options that it already contains."""
    for name in given:
        if name not in ANYWAY:
            raise DiscreetError(
                f"--{name.replace('_', '-')} is given, but so is --repeat, which takes it from "
                f"{path}: give one of the two."
            )
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        facts = None
    if not isinstance(facts, dict) or not {"question", "figures"} <= set(facts):
        raise DiscreetError(f"{path} is not a plan.json that discreet plan wrote.")
    return facts


def _compare(found: Plan, before: Json, path: Path | None, *, quiet: bool) -> int:
    """Say whether a repeated plan has the same figures; return 1 if not."""
    same = json.loads(json.dumps(found.figures())) == before["figures"]
    text = f"The figures are the same as in {path}."
    if not same:
        text = (
            f"The figures differ from those in {path}, which was made by discreet "
            f"{before.get('discreet')} with sources {before.get('sources')}."
        )
    click.echo(f"\n{text}" if not quiet else text, err=quiet)
    return 0 if same else 1
