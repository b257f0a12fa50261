"""discreet token: create, list and revoke tokens of a service."""

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

    With --url and --token, commands go to a running service. Without them, commands use the folder
    directly, and no service may have it open.
    """


@token.command(epilog="Example: discreet token create decide --run checkout")
@click.argument("role", type=click.Choice(["decide", "read", "admin"]))
@click.option(
    "--run", default="*", show_default=True, help="Run that the token is for; * for all runs."
)
@click.option("--label", default="", help="Description of the token.")
@on_a_service
def create(operator: Operator, role: str, run: str, label: str) -> None:
    """Create a token with this ROLE and print it; it is not shown again.

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
    """Revoke the token with this ID (see discreet token list)."""
    operator.revoke_token(identity)
    click.echo(f"{identity} is revoked.", err=True)


@token.command("list", epilog="Example: discreet token list")
@on_a_service
def list_command(operator: Operator) -> None:
    """List the roles and runs of all tokens, but not the tokens themselves."""
    for each in operator.list_tokens():
        made = datetime.fromtimestamp(each["created"], UTC).strftime("%Y-%m-%d %H:%M")
        label = f"  {each['label']}" if each["label"] else ""
        click.echo(f"{each['id']}  {each['role']} for {_runs(each['run'])}  {made} UTC{label}")


def _runs(run: str) -> str:
    return "all runs" if run == "*" else run
