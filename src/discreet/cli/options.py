"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from discreet.algorithms import algorithms
from discreet.environments import environment_names
from discreet.errors import DiscreetError

Command = TypeVar("Command", bound=Callable[..., Any])


class AlgorithmName(click.ParamType[str]):
    """The name of an algorithm, completed by the shell."""

    name = "name"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [CompletionItem(n, help=a.title) for n, a in algorithms().items() if n.startswith(incomplete)]


class EnvironmentName(click.ParamType[str]):
    """The name of an environment, completed by the shell."""

    name = "env"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [CompletionItem(n, help=t) for n, t in environment_names().items() if n.startswith(incomplete)]


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
delta = click.option("--delta", type=float, default=0.0, show_default=True, help="Allowed failure of pure privacy.")
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option of the algorithm, or the range of losses: low=-1 high=1. May be repeated.",
)


def arms(default: str) -> Callable[[Command], Command]:
    """Return the option for the number of arms."""
    return click.option("--arms", type=int, help=f"Number of arms (default: {default}).")


dimension = click.option("--dimension", type=int, help="Length of the points, for algorithms that play points.")


experts = click.option("--experts", type=int, help="Number of experts, for algorithms with expert advice (default: 10).")


def parse_settings(texts: tuple[str, ...]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the declared range, and all other options as text."""
    bounds: dict[str, float] = {}
    others: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise DiscreetError(f"--set is '{text}', but must look like key=value.")
        if key in bounds or key in others:
            raise DiscreetError(f"--set gives {key} twice.")
        if key in ("low", "high"):
            try:
                bounds[key] = float(value)
            except ValueError:
                raise DiscreetError(f"{key} is '{value}', but must be a number.") from None
        else:
            others[key] = value
    return bounds, others
