"""The description of the API (OpenAPI 3.1), generated from the table of routes."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

from discreet.service.problems import KINDS, MEDIA_TYPE
from discreet.service.schemas import (
    DECISION,
    NAME,
    SCHEMAS,
    TEXT,
    Schema,
    ref,
)
from discreet.service.table import BYTES, PLAIN, ROUTES, RouteFacts

PARAMETERS: dict[str, Schema] = {
    "run": NAME,
    "task": NAME,
    "name": DECISION,
    "id": {"type": "string", "pattern": "^(-1|0|[1-9][0-9]{0,15})$"},
    "label": {"type": "string", "minLength": 1},
}
QUERIES: dict[str, Schema] = {
    "after": {"type": "integer", "minimum": 0, "maximum": 10**15},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
    "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "kind": {"type": "string", "enum": ["anytime", "holdout", "final"]},
    "outcomes": {"type": "string", "enum": ["rewards", "losses"]},
    "clipped": {"type": "string", "enum": ["true", "false"]},
}
TITLES = {200: "Done.", 201: "Created.", 204: "Taken.", 304: "Not changed.", 503: "Not ready."}


def document() -> dict[str, Any]:
    """Return the whole description."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "discreet: private decisions",
            "version": version("discreet"),
            "description": "Online learning from sensitive feedback under differential privacy.",
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def statuses_of(route: RouteFacts) -> set[int]:
    """Return all problem statuses of a route."""
    found = {400, 422, 429, 500, 503, *route.refusals} - set(route.answers)
    if route.scope != "open":
        found |= {401, 403}
    if route.body is not None:
        found |= {408, 413, 415}
    return found


def _operation(route: RouteFacts) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, schema in sorted(route.answers.items()):
        responses[str(status)] = {"description": TITLES[status]} | _content(schema)
    for status in sorted(statuses_of(route)):
        kinds = ", ".join(kind for kind, (known, _) in KINDS.items() if known == status)
        responses[str(status)] = {
            "description": f"A problem: {kinds}.",
            "content": {MEDIA_TYPE: {"schema": ref("Problem")}},
        }
    named = re.findall(r"\{(\w+)\}", route.path)
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": TEXT if route.path.startswith("/v1/tokens") else PARAMETERS[name],
        }
        for name in named
    ]
    parameters += [
        {"name": name, "in": "query", "required": False, "schema": QUERIES[name]}
        for name in route.queries
    ]
    words = re.sub(r"[{}]", "", route.path.removeprefix("/v1")).strip("/").replace("/", "-")
    found: dict[str, Any] = {
        "operationId": f"{route.method.lower()}-{words or 'root'}",
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
    }
    if route.scope != "open":
        found["security"] = [{"token": []}]
    if route.body is not None:
        optional = route.body != BYTES and not SCHEMAS[route.body].get("required")
        found["requestBody"] = {"required": not optional} | _content(route.body)
    return found


def _content(schema: str | None) -> dict[str, Any]:
    if schema is None:
        return {}
    if schema == BYTES:
        kind, content = "application/octet-stream", {"type": "string", "format": "binary"}
    elif schema == PLAIN:
        kind, content = "text/plain", TEXT
    else:
        kind, content = "application/json", ref(schema)
    return {"content": {kind: {"schema": content}}}
