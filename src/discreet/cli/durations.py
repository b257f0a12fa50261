"""discreet audit --durations: what the durations of operations reveal about one outcome."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from discreet.algorithms import algorithm
from discreet.auditing import DurationAudit
from discreet.cli.text import facts
from discreet.errors import DiscreetError
from discreet.live import (
    Advisor,
    Bandit,
    BestArmSearch,
    Experts,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.live.client import LiveClient
from discreet.problems import Advice, Arms, BestArm, Functions, Points, Problem, SemiBandit

CLIENTS: dict[type[Problem], Callable[..., LiveClient[Any]]] = {
    Arms: Bandit,
    BestArm: BestArmSearch,
    Advice: Advisor,
    Functions: Optimizer,
    SemiBandit: SlateBandit,
}


def live_client(name: str, problem: Problem, terms: Mapping[str, Any]) -> LiveClient[Any]:
    """Return a live run of an algorithm in memory, or raise if it has no live run."""
    given = problem.parameters()
    client: Callable[..., LiveClient[Any]] | None = CLIENTS.get(type(problem))
    if isinstance(problem, Points):
        client = VectorOptimizer
        own = ("domain", "loss_set") if problem.domain else ("geometry", "dimension")
        given = {key: given[key] for key in own}
        if problem.geometry == "experts":
            client, given = Experts, {"experts": problem.dimension}
    if client is None:
        raise DiscreetError(
            f"{name} has no live run ({type(problem).title}), so there are no durations to audit."
        )
    if client is Optimizer:
        # Some parameters, such as the number of points, are set by the algorithm.
        known = inspect.signature(Optimizer).parameters
        given = {key: value for key, value in given.items() if key in known}
    with warnings.catch_warnings(action="ignore"):  # the audit refuses algorithms without privacy
        return client(**given, algorithm=name, **terms)


def show_durations(name: str, found: DurationAudit) -> None:
    """Print the findings."""
    first, second = found.medians
    verdict = "LEAKS" if found.leaks else "no leak"
    left_out = ""
    if found.left_out:
        left_out = f"; {found.left_out:,} more left out, because their releases differed"
    facts(
        f"{name}: {algorithm(name).title}",
        [
            (
                "found",
                f"epsilon at least {found.lower_bound:.4g} in one observed duration, with "
                f"{100 * found.confidence:.10g} % confidence",
            ),
            ("attack", found.attack),
            ("medians", f"{first:,.0f} and {second:,.0f} nanoseconds"),
            ("trials", f"{found.trials:,} with each of two neighbouring inputs{left_out}"),
            ("verdict", f"{verdict}: the limit is {found.limit:g}"),
        ],
    )
