"""discreet run: create, show and close the runs of a service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

import click

from discreet.cli.operating import on_a_service
from discreet.cli.text import facts
from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.service.operators import Operator


@click.group(epilog="Example: discreet run create checkout spec.json")
def run() -> None:
    """Create, show and close runs of a service.

    With --url and --token a running service is asked. Without, the folder is used directly: no
    service may have it open.
    """


@run.command(epilog="Example: discreet run create checkout spec.json")
@click.argument("name")
@click.argument("spec", type=click.File("r"))
@on_a_service
def create(operator: Operator, name: str, spec: TextIO) -> None:
    """Create a run NAME from SPEC, a file of JSON (- for the standard input), and charge it.

    The spec has the problem (bandit, best-arm, experts, optimizer, vector-optimizer, slates, advice
    or contexts) and the arguments of its class, with wait or "wait_declined": true.
    """
    try:
        given = json.load(spec)
    except ValueError:
        raise DiscreetError("the spec is no JSON.") from None
    if not isinstance(given, dict):
        raise DiscreetError("the spec must be an object of JSON.")
    _print(operator.create_run(name, given))


@run.command(epilog="Example: discreet run show checkout")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@on_a_service
def show(operator: Operator, name: str | None, as_json: bool) -> None:
    """Show a run NAME: guarantee, progress, what is open. Without a name, list all runs."""
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
    """End a run NAME: it gives no more decisions, and makes its final release if it has one.

    Outcomes of open decisions still count. When you close a run must not depend on outcomes.
    """
    _print(operator.close_run(name))


@run.command(epilog="Example: discreet run restored checkout")
@click.argument("name")
@on_a_service
def restored(operator: Operator, name: str) -> None:
    """Continue a run NAME after a backup of the database was restored, and say what is lost.

    What happened after the backup is lost. Unfinished batches are given up, because they may have
    been released since, with other noise. A run that limits users, or learns from one running sum,
    is over.
    """
    click.echo(operator.restored(name))


def _print(found: dict[str, Any]) -> None:
    state = found["state"]
    of = "" if state["horizon"] is None else f" of {state['horizon']:,}"
    wait = found["wait"]
    shares = ", ".join(f"{each['choice']} {each['share']:.1%}" for each in state["shares"][:12])
    rows = [
        ("problem", f"{found['problem']} with {found['algorithm']}"),
        ("guarantee", found["guarantee"]["sentence"]),
        ("outcomes", "when they come is public" if wait is None else f"count after {wait:g} s"),
        ("round", f"{state['round']:,}{of}"),
        ("releases", f"{state['released']:,}"),
        ("open", f"{state['open']:,} decisions, {state['waiting']:,} batches"),
        ("lost", f"{state['lost']:,} batches"),
        ("shares", shares or "not shown"),
        ("closed", "yes" if found["closed"] else "no"),
    ]
    facts(found["run"], rows)
