"""The JSON schemas of requests and responses, by name."""

from __future__ import annotations

from typing import Any

from discreet.service.core import DECISION_NAME
from discreet.service.forms import FORMS
from discreet.service.problems import KINDS, PREFIX
from discreet.service.specs import RUN_NAME
from discreet.service.tasks import FIELDS

Schema = dict[str, Any]
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
LABEL: Schema = {"type": ["string", "integer"]}
NAME: Schema = {"type": "string", "pattern": f"^{RUN_NAME.pattern}$"}
DECISION: Schema = {"type": "string", "pattern": f"^{DECISION_NAME.pattern}$"}
USER: Schema = {"type": ["string", "integer"], "description": "The user whose round it is."}


def _maybe(schema: Schema) -> Schema:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"]}


def _list(items: Schema, **more: Any) -> Schema:  # noqa: ANN401
    return {"type": "array", "items": items, **more}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


def ref(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


ASK: Schema = {
    "user": USER,
    "at_limit": {"type": "string", "enum": ["refuse", "serve"]},
    "available": _list(LABEL, description="bandit, contexts: the arms that may be chosen."),
    "advice": _list(_list(NUMBER), description="advice: one row of probabilities per expert."),
    "context": _list(NUMBER, description="contexts: the person's features."),
    "arm_features": {
        "type": ["array", "object"],
        "description": "contexts: one row of features per arm, in order or by label.",
    },
}
NUMBERS: Schema = {
    "description": "A number, a list of numbers, or numbers by label.",
    "anyOf": [NUMBER, _list(NUMBER), {"type": "object", "additionalProperties": NUMBER}],
}
OUTCOME: Schema = {
    "token": {**_maybe(TEXT), "description": "The token of the decision."},
    **dict.fromkeys(("reward", "loss", "rewards", "losses"), NUMBERS),
}
BUDGET: Schema = _object({"epsilon": NUMBER, "delta": NUMBER})
GRANT = {
    "id": TEXT,
    "role": {"type": "string", "enum": ["decide", "read", "admin"]},
    "run": TEXT,
    "label": TEXT,
    "created": NUMBER,
    "expires": _maybe(NUMBER),
}
MEAN = {"low": NUMBER, "high": NUMBER, "rounds": WHOLE, "releases": WHOLE}

SCHEMAS: dict[str, Schema] = {
    "Problem": _object(
        {
            "type": {"type": "string", "enum": [PREFIX + kind for kind in KINDS]},
            "title": TEXT,
            "status": WHOLE,
            "detail": TEXT,
        }
    ),
    "Empty": _object({}),
    "Spec": {
        "type": "object",
        "description": "problem, and the keyword arguments of its Python class. Give wait (and a "
        "default), or wait_declined: true.",
        "properties": {
            "problem": {"type": "string", "enum": list(FORMS)},
            "epsilon": NUMBER,
            "horizon": _maybe(WHOLE),
            "wait": _maybe(NUMBER),
            "wait_declined": FLAG,
        },
        "required": ["problem", "epsilon"],
    },
    "Run": _object(
        {
            "run": NAME,
            "problem": {"type": "string", "enum": list(FORMS)},
            "algorithm": TEXT,
            "created": NUMBER,
            "closed": FLAG,
            "spec": {"type": "object"},
            "labels": _list(LABEL),
            "wait": _maybe(NUMBER),
            "guarantee": ref("Guarantee"),
            "state": _object(
                {
                    "round": WHOLE,
                    "horizon": _maybe(WHOLE),
                    "shares": _list(_object({"choice": LABEL, "share": NUMBER})),
                    "released": WHOLE,
                    "open": WHOLE,
                    "waiting": WHOLE,
                    "lost": WHOLE,
                }
            ),
            "next_deadline": _maybe(NUMBER),
            "words": TEXT,
        },
        {"experts": _list(LABEL), "answer": _maybe(LABEL), "finished": FLAG},
    ),
    "Restored": _object(
        {
            "run": NAME,
            "releases": _maybe(WHOLE),
            "batches": WHOLE,
            "decisions": WHOLE,
            "ended": _maybe(TEXT),
            "sentence": TEXT,
        }
    ),
    "Runs": _object(
        {"runs": _list(_object({"run": NAME, "problem": TEXT, "algorithm": TEXT, "closed": FLAG}))}
    ),
    "Guarantee": _object({"sentence": TEXT, "short": TEXT, "facts": {"type": "object"}}),
    "Ask": _object({}, ASK),
    "AskSeveral": _object(
        {},
        {
            "count": {"type": "integer", "minimum": 1, "maximum": 1000},
            "each": _list(
                _object({}, {"name": _maybe(DECISION), **ASK}), minItems=1, maxItems=1000
            ),
            **ASK,
        },
    ),
    "Decision": _object(
        {"name": _maybe(TEXT), "id": WHOLE, "token": TEXT, "learns": FLAG},
        {
            "arm": LABEL,
            "probability": _maybe(NUMBER),
            "batch": WHOLE,
            "expert": LABEL,
            "weights": _list(NUMBER),
            "point": _list({"anyOf": [NUMBER, _list(NUMBER)]}),
            "label": _maybe(TEXT),
            "items": _list(LABEL),
        },
    ),
    "Decisions": _object(
        {"decisions": _list({"anyOf": [ref("Decision"), _object({"problem": ref("Problem")})]})}
    ),
    "OpenDecisions": _object(
        {
            "decisions": _list(
                _object(
                    {
                        "id": WHOLE,
                        "choice": {"type": ["string", "integer", "array", "null"]},
                        "age": NUMBER,
                        "probability": _maybe(NUMBER),
                        "batch": WHOLE,
                    }
                )
            ),
            "next": _maybe(WHOLE),
        }
    ),
    "Outcome": _object({}, OUTCOME),
    "Outcomes": _object(
        {"outcomes": _list(_object({"id": WHOLE}, OUTCOME), minItems=1, maxItems=1000)}
    ),
    "Results": _object(
        {"results": _list(_object({"id": WHOLE, "status": WHOLE}, {"problem": ref("Problem")}))}
    ),
    "GiveUp": _object({}, {"token": _maybe(TEXT)}),
    "Lost": _object({"lost": FLAG}),
    "User": _object({"user": USER}),
    "Rounds": _object({"rounds": WHOLE}),
    "Arm": _object({}, {"label": LABEL}),
    "HoldOutEnd": _object({}, {"give_up": FLAG}),
    "Released": _object({"released": FLAG}),
    "HeldOut": _object(
        {
            "held_out": _maybe(
                _list(
                    _object(
                        {
                            "arm": LABEL,
                            "rounds": WHOLE,
                            "loss": _maybe(NUMBER),
                            "reward": _maybe(NUMBER),
                        }
                    )
                )
            )
        }
    ),
    "Releases": _object(
        {
            "releases": _list(
                _object(
                    {
                        "number": WHOLE,
                        "batch": WHOLE,
                        "choice": _maybe(LABEL),
                        "size": _maybe(WHOLE),
                        "probability": _maybe(NUMBER),
                        "at": _maybe(NUMBER),
                        "value": {"type": ["number", "array", "null"]},
                    }
                )
            ),
            "next": _maybe(WHOLE),
        }
    ),
    "Estimates": _object(
        {
            "kind": TEXT,
            "level": NUMBER,
            "outcomes": TEXT,
            "arms": _list(_object({"arm": LABEL, "mean": _maybe(NUMBER), **MEAN})),
            "differences": _list(_object({"one": LABEL, "other": LABEL, "mean": NUMBER, **MEAN})),
            "notes": _list(TEXT),
        }
    ),
    "History": _object(
        {
            "labels": _list(LABEL),
            "width": NUMBER,
            "buckets": _list(
                _object(
                    {"at": NUMBER, "decisions": _list(WHOLE), "total": WHOLE, "releases": WHOLE}
                ),
                maxItems=512,
            ),
        }
    ),
    "Ledger": _object(
        {
            "budget": _maybe(BUDGET),
            "spent": _maybe(BUDGET),
            "remaining": _maybe(BUDGET),
            "entries": _list(
                _object(
                    {"number": WHOLE, "label": TEXT, "epsilon": NUMBER, "delta": NUMBER}
                    | {"time": TEXT},
                    {"rho": _maybe(NUMBER), "status": TEXT, "run": _maybe(TEXT)},
                )
            ),
        }
    ),
    "NewToken": _object(
        {"role": GRANT["role"]},
        {"run": TEXT, "label": {**_maybe(TEXT), "maxLength": 100}, "expires": _maybe(NUMBER)},
    ),
    "Token": _object({"token": TEXT, **GRANT}),
    "Tokens": _object({"tokens": _list(_object(GRANT))}),
    "Who": _object({each: GRANT[each] for each in ("id", "role", "run")}),
    "TaskSpec": _object(
        {"dimension": WHOLE, "horizon": WHOLE, "epsilon": NUMBER},
        dict.fromkeys(("low", "high", "norm"), NUMBER) | {"algorithm": TEXT, "lag": WHOLE},
    ),
    "Task": {"type": "object", "required": ["task", *FIELDS]},
    "Health": _object({"status": TEXT}),
    "Ready": _object({"ready": FLAG}, {"reason": TEXT}),
    "Document": {"type": "object", "required": ["openapi", "paths"]},
}
