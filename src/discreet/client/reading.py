"""Answers of the service, as the objects that the library's classes return."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from discreet.client.calls import Reply
from discreet.display import facts_html
from discreet.errors import DiscreetError
from discreet.estimates.table import MeanEstimate, MeanEstimates
from discreet.guarantee import Guarantee
from discreet.guarantee_facts import Json
from discreet.live import Decision, HeldOutArm, OpenDecision, Point, Progress, ShownItems, Trust
from discreet.live.arguments import Labels

Read = TypeVar("Read")


@dataclass(frozen=True)
class RemoteFacts:
    """The fixed facts about a run on a service."""

    name: str
    problem: str
    algorithm: str
    guarantee: Guarantee
    labels: Labels  # of arms, experts or items; empty for points
    spec: Json

    @classmethod
    def of(cls, reply: Reply) -> RemoteFacts:
        """Return the facts from the service's description of a run."""
        read = cast("dict[str, Any]", reply.facts)
        return cls(
            name=read["run"],
            problem=read["problem"],
            algorithm=read["algorithm"],
            guarantee=Guarantee.from_dict(read["guarantee"]["facts"]),
            labels=tuple(read["labels"]),
            spec=read["spec"],
        )

    def html(self, title: str) -> str:
        """Return the run as a notebook shows it."""
        facts = [
            ("run", self.name),
            ("problem", self.problem),
            ("algorithm", self.algorithm),
            ("guarantee", str(self.guarantee)),
        ]
        return facts_html(title, facts)


def understood(read: Callable[[dict[str, Any]], Read]) -> Callable[[Reply], Read]:
    """Return a reader of answers that refuses those it does not understand."""

    def checked(reply: Reply) -> Read:
        try:
            return read(reply.facts)
        except DiscreetError:
            raise
        except (KeyError, TypeError, ValueError):
            raise DiscreetError(
                "the answer of the service cannot be read: it may run another version of discreet."
            ) from None

    return checked


def progress_of(read: dict[str, Any]) -> Progress:
    """Return the progress of a run."""
    state = read["state"]
    shares = {each["choice"]: each["share"] for each in state["shares"]}
    numbers = {each: state[each] for each in ("round", "horizon", "released", "open", "waiting")}
    return Progress(shares=shares, lost=state["lost"], **numbers)


def arm_of(read: dict[str, Any]) -> Decision:
    """Return the decision for an arm."""
    return Decision(
        read["arm"],
        read["id"],
        read["token"],
        read.get("probability"),
        read.get("batch", -1),
        read["learns"],
    )


def trust_of(read: dict[str, Any], labels: Labels) -> Trust:
    """Return the decision for experts."""
    weights = dict(zip(labels, read["weights"], strict=True))
    return Trust(read["expert"], weights, read["id"], read["token"], read["learns"])


def point_of(read: dict[str, Any]) -> Point:
    """Return the decision for a point."""
    point = np.array(read["point"], np.float64)
    return Point(point, read["id"], read["token"], read["label"], read["learns"])


def items_of(read: dict[str, Any]) -> ShownItems:
    """Return the decision for a slate."""
    return ShownItems(tuple(read["items"]), read["id"], read["token"], read["learns"])


def open_of(read: dict[str, Any]) -> tuple[OpenDecision, ...]:
    """Return some open decisions."""
    fields = ("id", "choice", "age", "probability", "batch")
    return tuple(OpenDecision(*(each[name] for name in fields)) for each in read["decisions"])


def held_out_of(read: dict[str, Any]) -> tuple[HeldOutArm, ...] | None:
    """Return the release of the hold-out."""
    found = read["held_out"]
    if found is None:
        return None
    fields = ("arm", "rounds", "loss", "reward")
    return tuple(HeldOutArm(*(each[name] for name in fields)) for each in found)


def estimates_of_answer(read: dict[str, Any], labels: Labels) -> MeanEstimates:
    """Return estimates, with the labels of arms as they were given."""
    given = {str(label): label for label in labels}
    arms = {given.get(each["arm"], each["arm"]): _estimate(each) for each in read["arms"]}
    order: list[Hashable] = list(arms)
    pairs = {
        (given.get(each["one"], each["one"]), given.get(each["other"], each["other"])): each
        for each in read["differences"]
    }

    def compare(one: int, other: int) -> MeanEstimate:
        first, second = order[one], order[other]
        if (first, second) in pairs:
            return _estimate(pairs[first, second])
        if (second, first) in pairs:
            found = _estimate(pairs[second, first])
            return found._replace(mean=-found.mean, low=-found.high, high=-found.low)
        raise DiscreetError(
            f"the service reports no difference between {first!r} and {second!r}: one of them has "
            "no release yet, or there are too many arms."
        )

    notes = tuple(read["notes"])
    return MeanEstimates(read["kind"], read["level"], read["outcomes"], arms, notes, compare)


def _estimate(read: dict[str, Any]) -> MeanEstimate:
    mean = math.nan if read["mean"] is None else read["mean"]
    return MeanEstimate(mean, read["low"], read["high"], read["rounds"], read["releases"])
