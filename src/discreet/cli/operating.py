"""Options that tell ``discreet run`` and ``discreet token`` where the service is."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import click
from click.core import ParameterSource

from discreet.errors import DiscreetError

Command = Callable[..., Any]


def on_a_service(command: Command) -> Command:
    """Pass a command an operator, made from the options that locate the service."""

    @click.option(
        "--folder",
        default="discreet-service",
        show_default=True,
        help="Folder of the service, if it is not running; goes before the variable DISCREET_URL.",
    )
    @click.option("--database", metavar="URL", help="Database, as for discreet serve.")
    @click.option("--witness", metavar="URL", help="Witness, as for discreet serve.")
    @click.option(
        "--url", envvar="DISCREET_URL", show_envvar=True, help="Address of a running service."
    )
    @click.option(
        "--token", envvar="DISCREET_TOKEN", show_envvar=True, help="Token for a running service."
    )
    @functools.wraps(command)
    def with_operator(
        *arguments: object,
        folder: str,
        database: str | None,
        witness: str | None,
        url: str | None,
        token: str | None,
        **named: object,
    ) -> None:
        if _is_about_a_folder(click.get_current_context()):
            url = None
        from discreet.service.problems import HttpProblem

        try:
            if url is None:
                with needing("the service", "serve"):
                    from discreet.service.local_operator import on_folder
                with on_folder(folder, database, witness) as operator:
                    command(operator, *arguments, **named)
            elif not token:
                raise DiscreetError("no token was sent: give --token, or set DISCREET_TOKEN.")
            else:
                with needing("a client", "client"):
                    from discreet.service.remote_operator import RemoteOperator
                command(RemoteOperator(url, token), *arguments, **named)
        except HttpProblem as refused:
            raise DiscreetError(refused.detail) from None

    return with_operator


@contextlib.contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Name the extra to install if an import fails."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise DiscreetError(
            f"{what} needs {missing.name}: pip install 'discreet[{extra}]'."
        ) from None


def _is_about_a_folder(context: click.Context) -> bool:
    """Whether options name a folder, and only the environment an address.

    A shell in which ``DISCREET_URL`` is set also has to restore runs of a service that is stopped.
    """
    if context.get_parameter_source("url") is not ParameterSource.ENVIRONMENT:
        return False
    here = ("folder", "database", "witness")
    return any(context.get_parameter_source(e) is ParameterSource.COMMANDLINE for e in here)
