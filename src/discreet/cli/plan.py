"""discreet plan: which algorithm, what privacy would cost, and whether it is affordable."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click

from discreet.cli import options
from discreet.cli.simulate import progress_bar
from discreet.errors import DiscreetError
from discreet.guarantee import Json
from discreet.output import output_folder
from discreet.planning import Plan
from discreet.planning import plan as make
from discreet.planning.making import answer, repeat
from discreet.planning.question import EPSILONS, Better
from discreet.planning.sweeps import Progress
from discreet.simulation.experiment import Progress as Bar

ANYWAY = ("workers", "outcomes")  # may be given with --repeat


@click.command(
    name="plan",
    epilog="Example: discreet plan --arms 3 --rounds 2000 --high 10 --difference 1 --spread 2 "
    "--epsilon 0.1 --epsilon 1 --output my-plan",
)
@click.option(
    "--arms",
    type=int,
    help="How many options there are; the outcome of the one that is chosen is seen.",
)
@click.option(
    "--dimension",
    type=int,
    help="How many options there are, if the outcomes of all are seen every time.",
)
@click.option("--experts", type=int, hidden=True)
@click.option(
    "--rounds", type=int, help="How many decisions there will be: patients, messages, visits."
)
@click.option("--low", type=float, help="The least outcome there can be (default: 0).")
@click.option("--high", type=float, help="The largest outcome there can be (default: 1).")
@click.option(
    "--better",
    type=click.Choice(get_args(Better)),
    help="Which outcomes are better (default: higher).",
)
@click.option(
    "--difference",
    type=float,
    help="The smallest difference between the best arm and others that matters.",
)
@click.option(
    "--spread",
    type=float,
    help="Standard deviation of outcomes (default: the widest there can be, as of 0/1 outcomes).",
)
@click.option(
    "--typical",
    type=float,
    help="Mean outcome of all arms but the best (default: the middle of the range).",
)
@click.option(
    "--outcomes",
    type=click.Path(path_type=Path),
    help="CSV, Parquet or NPY file of past outcomes, a column for each arm, in place of difference "
    "and spread.",
)
@click.option(
    "--arm-column", help="If the file has one column that names the arm of each row: its name."
)
@click.option("--outcome-column", help="And the name of the column of outcomes.")
@click.option(
    "--epsilon",
    type=float,
    multiple=True,
    help="Privacy of one round; may be repeated (default: "
    f"{', '.join(f'{each:g}' for each in EPSILONS)}).",
)
@click.option("--delta", type=float, help="Allowed failure of pure privacy (default: 0).")
@click.option(
    "--rounds-per-user", type=int, help="In how many rounds one person may be at most (default: 1)."
)
@click.option(
    "--drift/--no-drift",
    "may_drift",
    default=None,
    help="Whether outcomes may change over time (default: yes).",
)
@click.option(
    "--share", type=float, help="Share of the gain without privacy that is wanted (default: 0.5)."
)
@click.option(
    "--wanted-epsilon",
    type=float,
    help="Say how many rounds this epsilon needs (default: the least of --epsilon).",
)
@click.option(
    "--trials", type=int, help="Number of simulated trials (default: 200, fewer of many rounds)."
)
@click.option("--seed", type=int, help="The same seed gives the same numbers (default: 0).")
@click.option("--workers", type=int, help="Number of threads (default: all cores).")
@click.option(
    "--repeat",
    "again",
    type=click.Path(path_type=Path),
    help="Simulate the plan in this plan.json again.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="New folder for plan.json, plan.txt and plan.png.",
)
@click.option("--overwrite", is_flag=True, help="Write into the output folder even if it exists.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
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
    """Say before a study begins which private algorithm to take, and what each epsilon would cost.

    Outcomes are simulated as you expect them. Shown are the cost of every epsilon beside guessing
    and beside no privacy, the least epsilon that is worth it, how many rounds a wanted epsilon
    needs, and the guarantee in words for an ethics board.
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
                raise DiscreetError("rounds is missing: say how many decisions there will be.")
            else:
                found = make(**given, progress=show)
        click.echo(
            json.dumps(found.to_json(), indent=2, ensure_ascii=False) if as_json else str(found)
        )
        files = [] if folder is None else found.save(folder)
    if files and not as_json:
        click.echo(f"\nWritten to {output}: {', '.join(file.name for file in files)}")
    return 0 if before is None else _compare(found, before, again, quiet=as_json)


def _bars(announce: Callable[[str], Bar | None]) -> Progress:
    """Return a progress with a bar for every part of the work."""
    bars: dict[str, Bar | None] = {}

    def show(part: str, done: int, asked: int) -> None:
        if part not in bars:
            bars[part] = announce(part)
        bar = bars[part]
        if bar is not None:
            bar(done, asked)

    return show


def _read(path: Path, given: Json) -> Json:
    """Return an earlier plan; nothing that it says itself may be given."""
    for name in given:
        if name not in ANYWAY:
            raise DiscreetError(
                f"--{name.replace('_', '-')} is given, but so is --repeat, which takes it from "
                f"{path}: give one of both."
            )
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        facts = None
    if not isinstance(facts, dict) or not {"question", "figures"} <= set(facts):
        raise DiscreetError(f"{path} is not a plan.json that discreet plan wrote.")
    return facts


def _compare(found: Plan, before: Json, path: Path | None, *, quiet: bool) -> int:
    """Say whether a repeated plan has the figures that it had; return 1 if not."""
    same = json.loads(json.dumps(found.figures())) == before["figures"]
    text = f"The figures are those of {path}."
    if not same:
        text = (
            f"The figures are not those of {path}, which was made by discreet "
            f"{before.get('discreet')} with sources {before.get('sources')}."
        )
    click.echo(f"\n{text}" if not quiet else text, err=quiet)
    return 0 if same else 1
