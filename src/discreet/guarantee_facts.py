"""A guarantee as facts for a file, which ``as_dict`` writes and ``from_dict`` reads."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from discreet.curves import KINDS
from discreet.display import facts_html

Json = dict[str, object]  # facts for a file or a screen


class FactsInHtml:
    """A notebook view of a value: its sentence, and the facts of ``as_dict``."""

    def as_dict(self) -> Json:
        """Return the facts."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        facts = [
            (name.replace("_", " "), str(fact))
            for name, fact in self.as_dict().items()
            if fact is not None and not isinstance(fact, dict)
        ]
        return facts_html(str(self), facts)


def facts_of(fields: Mapping[str, Any], unit: str) -> Json:
    """Return the fields of a guarantee for JSON; epsilon is None if nothing is guaranteed."""
    epsilon, curve, period = fields["epsilon"], fields["curve"], fields["period"]
    facts: Json = {
        "epsilon": epsilon if math.isfinite(epsilon) else None,
        "delta": fields["delta"],
        "model": fields["model"],
        "unit": unit,
        "rounds_per_user": fields["rounds"],
        "status": fields["status"],
        "source": fields["source"],
    }
    facts |= {key: fields[key] for key in ("seen", "caveat", "datum") if fields[key]}
    if period is not None:
        facts |= {"period_seconds": period.total_seconds(), "periods": fields["periods"]}
    if curve is not None:
        facts["curve"] = {"kind": curve.kind, **dataclasses.asdict(cast(Any, curve))}
    return facts


def fields_from(facts: Json) -> dict[str, Any]:
    """Return the fields of a guarantee; its constructor checks them."""
    read: dict[str, Any] = facts
    # a curve is a dictionary, or None
    curve = {} if read.get("curve") is None else {**read["curve"]}
    seconds = read.get("period_seconds")
    return {
        "epsilon": math.inf if read["epsilon"] is None else read["epsilon"],
        "delta": read["delta"],
        "model": read["model"],
        "status": read["status"],
        "source": read["source"],
        "rounds": read["rounds_per_user"],
        "seen": read.get("seen", ""),
        "caveat": read.get("caveat", ""),
        "datum": read.get("datum", ""),
        "curve": KINDS[curve.pop("kind")](**curve) if curve else None,
        "period": None if seconds is None else timedelta(seconds=seconds),
        "periods": read.get("periods", 1),
    }
