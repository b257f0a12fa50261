"""The calls common to all runs on a service: state, estimates, arms and end."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from urllib.parse import urlencode

from discreet.client.asking import whose
from discreet.client.calls import SLOW, ClientCall, Reply, encoded
from discreet.client.reading import (
    RemoteFacts,
    estimates_of_answer,
    held_out_of,
    open_of,
    progress_of,
    understood,
)
from discreet.client.writing import plain, run_path
from discreet.errors import check_flag, check_int, check_share
from discreet.estimates.table import MeanEstimates
from discreet.ledger.inputs import User
from discreet.live import HeldOutArm, OpenDecision, Progress

PAGE = 1_000  # open decisions in one answer


def shown(name: str) -> ClientCall[RemoteFacts]:
    """Return the call that describes a run."""
    return ClientCall("GET", run_path(name), facts_of, timeout=SLOW)


def facts_of(reply: Reply) -> RemoteFacts:
    """Return the fixed facts about a run."""
    return understood(lambda found: RemoteFacts.of(reply))(reply)


def progress(name: str) -> ClientCall[Progress]:
    """Return the call for the state of a run."""
    return ClientCall("GET", run_path(name), understood(progress_of))


def field_of(name: str, key: str) -> ClientCall[Any]:
    """Return the call for one field of a run's description."""
    return ClientCall("GET", run_path(name), understood(lambda found: found[key]))


def ended(name: str) -> ClientCall[None]:
    """Return the call that ends a run."""
    return ClientCall("POST", run_path(name, "close"), nothing, b"{}", timeout=SLOW)


def open_page(name: str, after: int | None, limit: int) -> ClientCall[tuple[OpenDecision, ...]]:
    """Return the call for some open decisions."""
    asked = {"limit": check_int("limit", limit, minimum=1, maximum=PAGE)}
    if after is not None:
        asked["after"] = check_int("after", after, minimum=0)
    return ClientCall(
        "GET", f"{run_path(name, 'decisions')}?{urlencode(asked)}", understood(open_of)
    )


def estimated(
    facts: RemoteFacts, level: float, kind: str, outcomes: str, *, clipped: bool
) -> ClientCall[MeanEstimates]:
    """Return the call for estimates."""
    asked = {
        "level": repr(check_share("level", level)),
        "kind": kind,
        "outcomes": outcomes,
        "clipped": str(check_flag("clipped", clipped)).lower(),
    }
    read = understood(lambda found: estimates_of_answer(found, facts.labels))
    path = f"{run_path(facts.name, 'estimates')}?{urlencode(asked)}"
    return ClientCall("GET", path, read, timeout=SLOW)


def rounds(name: str, user: User) -> ClientCall[int]:
    """Return the call for the rounds of a user, whose name is not in the address."""
    body = encoded(whose(user, "refuse"))
    return ClientCall(
        "POST", run_path(name, "rounds-of"), understood(lambda f: int(f["rounds"])), body
    )


def added(name: str, label: Hashable) -> ClientCall[None]:
    """Return the call that adds an arm."""
    return ClientCall("PUT", run_path(name, "arms", plain("label", label)), nothing, b"{}")


def retired(name: str, label: Hashable) -> ClientCall[None]:
    """Return the call that retires an arm."""
    return ClientCall("DELETE", run_path(name, "arms", plain("label", label)), nothing)


def held_out(name: str) -> ClientCall[tuple[HeldOutArm, ...] | None]:
    """Return the call for the release of the hold-out."""
    return ClientCall("GET", run_path(name, "holdout"), understood(held_out_of))


def holdout_finished(name: str, *, give_up: bool) -> ClientCall[bool]:
    """Return the call that ends the hold-out."""
    body = encoded({"give_up": check_flag("give_up", give_up)})
    read = understood(lambda found: bool(found["released"]))
    return ClientCall("POST", run_path(name, "holdout"), read, body)


def nothing(reply: Reply) -> None:
    """Read nothing from an answer."""
