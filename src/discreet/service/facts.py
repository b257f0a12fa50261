"""The public facts about a run, for JSON: its description, releases and estimates."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, cast

from discreet.estimates.table import EstimateKind, Outcomes
from discreet.guarantee import Guarantee
from discreet.live import Advisor, BestArmSearch
from discreet.live.arguments import labels_of
from discreet.live.arms import ArmsClient
from discreet.live.release_log import ReleaseRow
from discreet.service.forms import AnyJson
from discreet.service.hosted import Hosted

MOST_ARMS = 64  # up to this, all differences are given; beyond, those from the best arm


def guarantee_facts(guarantee: Guarantee) -> AnyJson:
    """Return a guarantee for JSON."""
    return {
        "sentence": str(guarantee),
        "short": guarantee.short,
        "facts": guarantee.as_dict(),
    }


def run_facts(found: Hosted, now: float) -> AnyJson:
    """Return the public facts about a run."""
    live, state = found.live, found.live.state()
    shares = [{"choice": choice, "share": share} for choice, share in state.shares.items()]
    deadline = None
    if found.wait is not None:
        oldest = live.open_decisions.page(limit=1)
        deadline = now - oldest[0].age + found.wait if oldest else None
    facts = {
        "run": found.name,
        "problem": found.problem,
        "algorithm": live.algorithm,
        "created": found.created,
        "closed": found.closed,
        "spec": found.spec,
        "labels": list(found.labels),
        "wait": found.wait,
        "guarantee": guarantee_facts(live.guarantee),
        "state": state._asdict() | {"shares": shares},
        "next_deadline": deadline,
        "words": repr(live),
    }
    if isinstance(live, Advisor):
        facts["experts"] = list(labels_of("experts", found.spec["experts"]))
    if isinstance(live, BestArmSearch):
        facts |= {"answer": live.answer, "finished": live.finished}
    return facts


def release_facts(
    found: Hosted, rows: Sequence[ReleaseRow], start: int = 0, stop: int | None = None
) -> list[AnyJson]:
    """Return some releases of a run, by position."""
    return [
        {
            "number": number,
            "batch": row.batch,
            "choice": found.label_of(row.choice),
            "size": row.size,
            "probability": row.probability,
            "at": row.at,
            "value": plain(row.value),
        }
        for number, row in enumerate(rows[start:stop], start + 1)
    ]


def estimate_facts(
    live: ArmsClient,
    level: float,
    kind: str,
    outcomes: str,
    clipped: bool,
) -> AnyJson:
    """Return estimates for JSON; labels keep their types."""
    found = live.estimates(
        level, cast(EstimateKind, kind), outcomes=cast(Outcomes, outcomes), clipped=clipped
    )
    arms = [
        {"arm": arm, **each._asdict()} | ({} if each.releases else {"mean": None})
        for arm, each in found.arms.items()
    ]
    known = [arm for arm, each in found.arms.items() if each.releases]
    if len(known) <= MOST_ARMS:
        pairs = {
            (one, other): found.difference(one, other)
            for one, other in itertools.combinations(known, 2)
        }
    else:
        pairs = found.differences()
    differences = [
        {"one": one, "other": other, **each._asdict()} for (one, other), each in pairs.items()
    ]
    facts = {
        "kind": found.kind,
        "level": found.level,
        "outcomes": found.outcomes,
        "arms": arms,
        "differences": differences,
        "notes": list(found.notes),
    }
    return plain(facts)  # type: ignore[no-any-return]


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return NumPy's numbers as Python's; non-finite values become None."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return plain(value.tolist())
