"""Problem responses (RFC 9457): every refusal is one sentence, and shows no outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from discreet.errors import Busy, DiscreetError

PREFIX = "urn:discreet:"
MEDIA_TYPE = "application/problem+json"
RETRY = 1  # seconds after which to try again if the service is busy

# kind: status, title
KINDS: dict[str, tuple[int, str]] = {
    "bad-request": (400, "The request cannot be read"),
    "unauthorized": (401, "A valid token is required"),
    "forbidden": (403, "The token does not allow this"),
    "not-found": (404, "Not found"),
    "not-given": (404, "Unknown decision"),
    "method-not-allowed": (405, "The method is not allowed"),
    "slow-body": (408, "The request arrived too slowly"),
    "exists": (409, "The name is taken"),
    "already-told": (409, "The outcome was already reported"),
    "finished": (409, "The run is over"),
    "horizon-used": (409, "All rounds are used up"),
    "limit-reached": (409, "A limit is reached"),
    "budget-exceeded": (409, "The budget is exceeded"),
    "last-admin": (409, "The last administrator cannot be removed"),
    "too-late": (410, "Too late"),
    "too-large": (413, "The body is too large"),
    "unsupported-media": (415, "The media type is not supported"),
    "invalid": (422, "An argument is invalid"),
    "wait-missing": (422, "The wait for outcomes is missing"),
    "too-many-requests": (429, "Too many requests"),
    "internal": (500, "Internal error"),
    "failed": (500, "The request failed"),
    "busy": (503, "The service is busy"),
    "old-copy": (503, "The database is an old copy"),
    "closing": (503, "The service is closing"),
}
SENTENCES = {
    404: "there is nothing at this address: GET /openapi.json lists all routes.",
    405: "this address does not take this method: its header Allow lists those that it takes.",
}
NOT_NOW = "the service cannot do this now, and nothing has changed: try again."
NO_SENTENCE = "something failed inside the service: see the operator's log."


class HttpProblem(Exception):
    """A refused request, with its kind and one sentence."""

    def __init__(self, kind: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail
        self.status, self.title = KINDS[kind]
        self.headers = dict(headers or {})

    def as_dict(self) -> dict[str, object]:
        """Return the members of the response."""
        return {
            "type": PREFIX + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }

    def body(self) -> bytes:
        """Return the response's body."""
        return json.dumps(self.as_dict()).encode()


def problem_of(error: BaseException) -> HttpProblem:
    """Return the problem for an error; an unexpected one reveals nothing more."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, Busy):
        # the caller must not learn which file it is, and why
        return HttpProblem("busy", NOT_NOW, headers={"Retry-After": str(RETRY)})
    if isinstance(error, DiscreetError):
        return HttpProblem(error.kind if error.kind in KINDS else "invalid", str(error))
    return HttpProblem("internal", NO_SENTENCE)


def not_found(what: str) -> HttpProblem:
    """Return the refusal of an unknown name."""
    return HttpProblem("not-found", f"there is no {what}.")


def of_status(status: int, headers: Mapping[str, str] | None = None) -> HttpProblem:
    """Return the problem for a status of the web framework, such as 404 or 405."""
    kind = next((kind for kind, (known, _) in KINDS.items() if known == status), "bad-request")
    sentence = SENTENCES.get(status) or f"{HTTPStatus(status).phrase.lower()}."
    return HttpProblem(kind, sentence, headers=headers)
