"""Refusals by a service, as the library's own errors."""

from __future__ import annotations

from discreet.errors import (
    AlreadyTold,
    Busy,
    DiscreetError,
    Finished,
    HorizonUsed,
    NotGiven,
    OldCopy,
    TooLate,
)
from discreet.ledger import BudgetExceeded, UserLimitReached

PREFIX = "urn:discreet:"  # of the type of a problem


class ServiceUnreachable(DiscreetError):
    """The service did not answer in time, or cannot be reached; ``default=`` covers this case."""


class NotAllowed(DiscreetError):
    """The token is missing or unknown, or does not allow this request."""


NO_TOKEN = "no token was sent: give connect a token=, or set DISCREET_TOKEN."
UNKNOWN_TOKEN = "the token is unknown: check token= or DISCREET_TOKEN."
KINDS: dict[str, type[DiscreetError]] = {
    **{
        each.kind: each
        for each in (AlreadyTold, Busy, Finished, HorizonUsed, NotGiven, OldCopy, TooLate)
    },
    "budget-exceeded": BudgetExceeded,
    "closing": ServiceUnreachable,
    "forbidden": NotAllowed,
    "limit-reached": UserLimitReached,
    "too-many-requests": Busy,
    "unauthorized": NotAllowed,
}


def refusal_of(status: int, content: object, *, identified: bool = True) -> DiscreetError:
    """Return the error for a problem response, or for any other unsuccessful response.

    ``identified`` is whether the request had a token.
    """
    if isinstance(content, dict):
        kind, detail = content.get("type"), content.get("detail")
        if isinstance(kind, str) and kind.startswith(PREFIX) and isinstance(detail, str):
            if status == 401:
                detail = UNKNOWN_TOKEN if identified else NO_TOKEN
            return KINDS.get(kind.removeprefix(PREFIX), DiscreetError)(detail)
    if status in (502, 503, 504):
        return ServiceUnreachable(f"the service cannot be reached: its proxy answers {status}.")
    return DiscreetError(
        f"the answer has status {status} and is not from a decision service: check the URL."
    )
