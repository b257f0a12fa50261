"""The calls of a run on a service, for each problem."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, cast

from discreet.client.calls import ClientCall, encoded
from discreet.client.reading import (
    RemoteFacts,
    arm_of,
    items_of,
    point_of,
    trust_of,
    understood,
)
from discreet.client.refusals import refusal_of
from discreet.client.writing import outcome_of, private_numbers, run_path
from discreet.errors import DiscreetError, has_items, shorten
from discreet.guarantee_facts import Json
from discreet.live import Decision, Point, ShownItems, Trust
from discreet.live.serving import SERVED
from discreet.live.several_client import Decided, Gives, ToldPairs

AT_ONCE = 1_000  # decisions or outcomes in one request
Named = Mapping[str, object]


class RunCalls(Generic[Gives]):
    """Builds the calls for a run on a service; it sends nothing."""

    gives: ClassVar[type[Decided]]
    outcomes: ClassVar[tuple[str, ...]] = ("reward", "loss")

    def __init__(self, facts: RemoteFacts) -> None:
        self.facts = facts

    def read(self, found: dict[str, Any]) -> Gives:
        """Return a decision from the service's answer."""
        raise NotImplementedError

    def default(self, given: Any) -> Gives:  # noqa: ANN401 - depends on the problem
        """Return the decision to use if the service does not answer."""
        raise NotImplementedError

    def places(self, decision: object) -> Sequence[Hashable] | None:
        """Return the order in which to send outcomes given by label."""
        return None

    def ask(self, arguments: Named) -> ClientCall[Gives]:
        """Return the call for a decision, with a new name, so that it can be sent repeatedly."""
        name = secrets.token_urlsafe(16)
        return ClientCall(
            "PUT", self._path("decisions", name), understood(self.read), encoded(given(arguments))
        )

    def ask_many(self, each: Sequence[Named], common: Named) -> list[ClientCall[list[Gives]]]:
        """Return the calls for several decisions."""
        named = [{"name": secrets.token_urlsafe(16), **given(one)} for one in each]
        read = understood(self._read_all)
        parts = (named[start : start + AT_ONCE] for start in range(0, len(named), AT_ONCE))
        return [
            ClientCall(
                "POST", self._path("decisions"), read, encoded({"each": part, **given(common)})
            )
            for part in parts
        ]

    def _read_all(self, found: dict[str, Any]) -> list[Gives]:
        for place, each in enumerate(found["decisions"]):
            if "problem" in each:
                refusal = refusal_of(each["problem"]["status"], each["problem"])
                raise type(refusal)(f"decision {place} of ask_many is refused: {refusal}")
        return [self.read(each) for each in found["decisions"]]

    def tell(self, decision: object, outcomes: Named) -> ClientCall[None] | None:
        """Return the call for an outcome; None for a decision without learning."""
        number, token = self._named(decision)
        outcome = outcome_of(outcomes, self.places(decision))
        if number == SERVED:
            return None
        path, body = self._path("decisions", number, "outcome"), encoded({**token, **outcome})
        return ClientCall("PUT", path, lambda reply: None, body)

    def tell_all(self, **pairs: ToldPairs | None) -> list[ClientCall[int]]:
        """Return the calls for several outcomes."""
        kinds = {name: each for name, each in pairs.items() if each is not None}
        if len(kinds) != 1:
            raise DiscreetError(f"tell_all needs pairs of one kind: {' or '.join(pairs)}.")
        ((kind, chosen),) = kinds.items()
        if not has_items(chosen):
            raise DiscreetError(
                f"{kind} is of type {type(chosen).__name__}, but must be pairs of a decision and "
                "its outcome."
            )
        told: list[tuple[int, Json]] = []  # the position of a pair, and its request
        for place, pair in enumerate(chosen):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise DiscreetError(
                    f"pairs[{place}] is not a pair (decision, outcome), so nothing was recorded."
                )
            try:
                number, token = self._named(pair[0])
                outcome = outcome_of({kind: pair[1]}, self.places(pair[0]))
            except DiscreetError as refusal:
                wrong = f"pairs[{place}] is refused, so nothing was recorded: {refusal}"
                raise type(refusal)(wrong) from None
            if number != SERVED:
                told.append((place, {"id": number, **token, **outcome}))
        parts = (told[start : start + AT_ONCE] for start in range(0, len(told), AT_ONCE))
        return [self._tell_part(part) for part in parts]

    def _tell_part(self, part: Sequence[tuple[int, Json]]) -> ClientCall[int]:
        places = [place for place, _ in part]

        def read(found: dict[str, Any]) -> int:
            for place, each in zip(places, found["results"], strict=True):
                if "problem" in each:
                    refusal = refusal_of(each["status"], each["problem"])
                    raise type(refusal)(
                        f"pairs[{place}] is refused, but others may have been recorded: {refusal}"
                    )
            return len(places)

        body = encoded({"outcomes": [each for _, each in part]})
        return ClientCall("POST", self._path("outcomes"), understood(read), body)

    def give_up(self, decision: object) -> ClientCall[bool]:
        """Return the call that stops waiting for an outcome."""
        number, token = self._named(decision)
        path = self._path("decisions", number, "give-up")
        return ClientCall(
            "POST", path, understood(lambda found: bool(found["lost"])), encoded(token)
        )

    def _path(self, *parts: object) -> str:
        return run_path(self.facts.name, *parts)

    def _named(self, decision: object) -> tuple[int, dict[str, object]]:
        """Return the id of a decision, and its token if known."""
        if type(decision) is int:
            return decision, {}
        if not isinstance(decision, self.gives) or type(decision.id) is not int:
            raise DiscreetError(
                f"decision is of type {type(decision).__name__}, but must be the "
                f"{self.gives.__name__} that ask() returned, or its id."
            )
        return decision.id, {"token": decision.token if isinstance(decision.token, str) else ""}

    def _label(self, default: object) -> Hashable:
        labels = self.facts.labels
        if not any(default == label for label in labels):
            known = ", ".join(map(repr, labels[:8]))
            raise DiscreetError(f"default is {shorten(default)}, but must be one of {known}.")
        return default


class ArmCalls(RunCalls[Decision]):
    """Calls of a run whose decisions are arms."""

    gives = Decision

    def read(self, found: dict[str, Any]) -> Decision:
        """Return a decision from the service's answer."""
        return arm_of(found)

    def default(self, given: object) -> Decision:
        """Return a decision for an arm, without learning."""
        return Decision(self._label(given), SERVED, "", None, SERVED, False)


class ExpertCalls(RunCalls[Trust]):
    """Calls of a run whose decisions are weights of experts."""

    gives = Trust
    outcomes = ("losses", "rewards")

    def read(self, found: dict[str, Any]) -> Trust:
        """Return a decision from the service's answer."""
        return trust_of(found, self.facts.labels)

    def default(self, given: object) -> Trust:
        """Return a decision for one expert, without learning."""
        chosen = self._label(given)
        weights = {label: float(label == chosen) for label in self.facts.labels}
        return Trust(chosen, weights, SERVED, "", False)

    def places(self, decision: object) -> Sequence[Hashable]:
        """Return the experts."""
        return self.facts.labels


class PointCalls(RunCalls[Point]):
    """Calls of a run whose decisions are points."""

    gives = Point
    outcomes = ("loss", "reward")

    def read(self, found: dict[str, Any]) -> Point:
        """Return a decision from the service's answer."""
        return point_of(found)

    def default(self, given: object) -> Point:
        """Return a decision for a point, without learning."""
        point = private_numbers("default", given)
        fields = {"point": point, "id": SERVED, "token": "", "label": None, "learns": False}
        return point_of(fields)

    def places(self, decision: object) -> Sequence[Hashable] | None:
        """Return the names of coordinates."""
        return cast("Sequence[Hashable] | None", self.facts.spec.get("items"))


class SlateCalls(RunCalls[ShownItems]):
    """Calls of a run whose decisions are slates."""

    gives = ShownItems
    outcomes = ("losses", "rewards")

    def read(self, found: dict[str, Any]) -> ShownItems:
        """Return a decision from the service's answer."""
        return items_of(found)

    def default(self, given: Iterable[Hashable]) -> ShownItems:
        """Return a decision for items, without learning."""
        return ShownItems(tuple(self._label(each) for each in given), SERVED, "", False)

    def places(self, decision: object) -> Sequence[Hashable] | None:
        """Return the items shown, if they are known."""
        return decision.items if isinstance(decision, ShownItems) else None


def given(arguments: Named) -> dict[str, object]:
    """Return the arguments that were given."""
    return {name: each for name, each in arguments.items() if each is not None}
