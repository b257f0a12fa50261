"""discreet token: create, list and revoke tokens of a service."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import click

from discreet.cli.naming import SubcommandGroup
from discreet.cli.operating import on_a_service
from discreet.cli.text import table
from discreet.errors import DiscreetError, shorten

if TYPE_CHECKING:
    from discreet.service.operators import Operator

DURATION, UNITS = re.compile(r"(\d+)([hd])", re.ASCII), {"h": "hours", "d": "days"}


@click.group(cls=SubcommandGroup, epilog="Example: discreet token create decide --run checkout")
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
@click.option(
    "--expires",
    metavar="WHEN",
    help="When the token stops working: after hours or days, such as 12h or 30d, or at the start "
    "of a day, such as 2027-01-31 (UTC).  [default: never]",
)
@on_a_service
def create(operator: Operator, role: str, run: str, label: str, expires: str | None) -> None:
    """Create a token with this ROLE and print it; it is not shown again.

    decide: ask for decisions and report outcomes. read: see releases, estimates, metrics and pages.
    admin: everything.
    """
    ends = None if expires is None else _end(expires, time.time())
    made = operator.create_token(role, run, label, ends)
    click.echo(made["token"])
    if run != "*" and not operator.has_run(run):
        click.echo(f"discreet: there is no run '{run}' yet.", err=True)
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
    rows = [
        (
            each["id"],
            each["role"],
            _runs(each["run"]),
            _minute(each["created"]),
            "never" if each["expires"] is None else _minute(each["expires"]),
            each["label"],
        )
        for each in operator.list_tokens()
    ]
    table(("id", "role", "runs", "created (UTC)", "expires", "label"), rows)


def _minute(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _end(text: str, now: float) -> float:
    """Return when a token expires: after a duration, or at a date."""
    found = DURATION.fullmatch(text)
    try:
        if found is not None:
            end = datetime.fromtimestamp(now, UTC) + timedelta(**{UNITS[found[2]]: int(found[1])})
        else:
            end = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except (ValueError, OverflowError):
        raise DiscreetError(
            f"expires is {shorten(text)}, but must be hours or days, such as 12h or 30d, or a "
            "date, such as 2027-01-31."
        ) from None
    return end.timestamp()


def _runs(run: str) -> str:
    return "all runs" if run == "*" else run
