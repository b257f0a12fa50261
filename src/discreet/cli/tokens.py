"""discreet token: create, list and revoke the tokens of a service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from discreet.cli.operating import on_a_service

if TYPE_CHECKING:
    from discreet.service.operators import Operator


@click.group(epilog="Example: discreet token create decide --run checkout")
def token() -> None:
    """Create, list and revoke tokens of a service.

    With --url and --token a running service is asked. Without, the folder is used directly: no
    service may have it open.
    """


@token.command(epilog="Example: discreet token create decide --run checkout")
@click.argument("role", type=click.Choice(["decide", "read", "admin"]))
@click.option("--run", default="*", show_default=True, help="The run it is for; * for all runs.")
@click.option("--label", default="", help="What it is for, in words.")
@on_a_service
def create(operator: Operator, role: str, run: str, label: str) -> None:
    """Make a token with a ROLE, and print it: it is not shown again.

    decide: ask for decisions and report outcomes. read: see releases, estimates, metrics and pages.
    admin: everything.
    """
    made = operator.create_token(role, run, label)
    click.echo(made["token"])
    click.echo(f"{made['id']}: {made['role']} for {_runs(made['run'])}", err=True)


@token.command(epilog="Example: discreet token revoke tok_0123456789ab")
@click.argument("identity", metavar="ID")
@on_a_service
def revoke(operator: Operator, identity: str) -> None:
    """Take a token back, by its ID (discreet token list)."""
    operator.revoke_token(identity)
    click.echo(f"{identity} is revoked.", err=True)


@token.command("list", epilog="Example: discreet token list")
@on_a_service
def list_command(operator: Operator) -> None:
    """List what tokens allow, without the tokens."""
    for each in operator.list_tokens():
        made = datetime.fromtimestamp(each["created"], UTC).strftime("%Y-%m-%d %H:%M")
        label = f"  {each['label']}" if each["label"] else ""
        click.echo(f"{each['id']}  {each['role']} for {_runs(each['run'])}  {made} UTC{label}")


def _runs(run: str) -> str:
    return "all runs" if run == "*" else run
