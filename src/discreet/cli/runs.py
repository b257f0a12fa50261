"""discreet run: create, show and close runs on a service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

import click

from discreet.cli.naming import SubcommandGroup
from discreet.cli.operating import on_a_service
from discreet.cli.text import facts
from discreet.errors import DiscreetError, count

if TYPE_CHECKING:
    from discreet.service.operators import Operator


@click.group(
    cls=SubcommandGroup,
    hints={"list": "discreet run show, without a name, lists all runs"},
    epilog="Example: discreet run create checkout spec.json",
)
def run() -> None:
    """Create, show and close runs on a service.

    With --url and --token, commands go to a running service. Without them, commands use the folder
    directly, and no service may have it open.
    """


@run.command(epilog="Example: discreet run create checkout spec.json")
@click.argument("name")
@click.argument("spec", type=click.File("r"))
@on_a_service
def create(operator: Operator, name: str, spec: TextIO) -> None:
    """Create run NAME from SPEC, a JSON file (- for standard input), and charge it to the budget.

    SPEC names the problem (bandit, best-arm, experts, optimizer, vector-optimizer, slates, advice
    or contexts) and the arguments of its class. It must have wait, or "wait_declined": true.
    """
    try:
        given = json.load(spec)
    except ValueError:
        raise DiscreetError("SPEC is not valid JSON.") from None
    if not isinstance(given, dict):
        raise DiscreetError("SPEC must be a JSON object.")
    _print(operator.create_run(name, given))


@run.command(epilog="Example: discreet run show checkout")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@on_a_service
def show(operator: Operator, name: str | None, as_json: bool) -> None:
    """Show run NAME: its guarantee, progress and open decisions. Without a name, list all runs."""
    if name is None:
        for each in operator.list_runs():
            click.echo(each)
        return
    found = operator.show_run(name)
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _print(found)


@run.command(epilog="Example: discreet run close checkout")
@click.argument("name")
@on_a_service
def close(operator: Operator, name: str) -> None:
    """Close run NAME: it makes no more decisions, and makes its final release if it has one.

    Outcomes of open decisions still count. The time at which you close a run must not depend on
    outcomes.
    """
    _print(operator.close_run(name))


@run.command(epilog="Example: discreet run restored checkout")
@click.argument("name")
@on_a_service
def restored(operator: Operator, name: str) -> None:
    """Continue run NAME after the database was restored from a backup, and print what is lost.

    Everything after the backup is lost. Unfinished batches are discarded, because they may have
    been released since then, with other noise. A run that limits users, or learns from one running
    sum, cannot continue.
    """
    click.echo(operator.restored(name))


def _batches(number: int) -> str:
    return f"{number:,} batch{'es' * (number != 1)}"


def _print(found: dict[str, Any]) -> None:
    state = found["state"]
    of = "" if state["horizon"] is None else f" of {state['horizon']:,}"
    wait = found["wait"]
    shares = ", ".join(f"{each['choice']} {each['share']:.1%}" for each in state["shares"][:12])
    rows = [
        ("problem", f"{found['problem']} with {found['algorithm']}"),
        ("guarantee", found["guarantee"]["sentence"]),
        ("outcomes", "arrival times are public" if wait is None else f"used after {wait:g} s"),
        ("round", f"{state['round']:,}{of}"),
        ("releases", f"{state['released']:,}"),
        ("open", f"{count(state['open'], 'decision')}, {_batches(state['waiting'])}"),
        ("lost", _batches(state["lost"])),
        ("shares", shares or ("not shown" if state["round"] else "none yet")),
        ("closed", "yes" if found["closed"] else "no"),
    ]
    facts(found["run"], rows)
