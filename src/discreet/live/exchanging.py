"""Requests in groups for live classes: several outcomes and decisions, one result for each."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, cast, get_args

from discreet.contracts import Learner
from discreet.errors import DiscreetError, NotGiven, check_choice, check_kind, check_text, shorten
from discreet.live.frames import withhold_frames
from discreet.live.groups import Ask, GivenTicket, Tell, refusal_of
from discreet.live.serving import AtLimit
from discreet.live.several_client import Gives, SeveralClient

LONGEST_NAME = 200  # characters
USUAL = ("user", "at_limit")  # arguments of ``ask`` that every live class has


class TellRequest(NamedTuple):
    """An outcome: the decision's id, its token if known, and the keyword argument of ``tell``."""

    decision_id: int
    token: str | None
    outcome: Mapping[str, object]

    def __repr__(self) -> str:
        return f"TellRequest({self.decision_id!r}, outcome=<hidden>)"


class AskRequest(NamedTuple):
    """A decision to make: the keyword arguments of ``ask``.

    A caller may name it; the same name then gets the same decision again.
    """

    name: str | None = None
    arguments: Mapping[str, object] = {}

    def __repr__(self) -> str:
        return f"AskRequest({self.name!r}, arguments=<hidden>)"


TwoLists = tuple[Iterable[TellRequest], Iterable[AskRequest]]
Drain = Callable[[], TwoLists]


class ExchangingClient(SeveralClient[Gives]):
    """The part of a live class that handles groups of requests."""

    @withhold_frames
    def exchange(
        self,
        tells: Iterable[TellRequest] | Drain,
        asks: Iterable[AskRequest] = (),
        *,
        repeated: list[bool] | None = None,
    ) -> list[Any]:
        """Record outcomes, then make decisions, in one durable transaction.

        Returns one result per request, outcomes first: whether an outcome counts (with ``wait``,
        False if it is too late), a decision, or the refusal of the request as a ``DiscreetError``,
        which is returned, not raised. A refused request has no effect, and does not affect others.
        If the whole group fails, this raises. Then nothing of it counts, unless its outcomes were
        committed and only the answer was lost; a retry reports that they were already recorded.

        Instead of the two lists you can pass a function that returns them. It is called once the
        run is locked, so requests that arrived while another worker held the lock join the group.
        If you pass a list ``repeated``, it gets one entry per result: whether the result is a
        decision whose name was already known.
        """

        def read() -> tuple[list[Tell | DiscreetError], list[Ask | DiscreetError]]:
            told, asked = two_lists(tells()) if callable(tells) else (tells, asks)
            return (
                [self._requested(self._told, each) for each in requests_in("tells", told)],
                [self._requested(self._asked, each) for each in requests_in("asks", asked)],
            )

        if repeated is not None:
            check_kind("repeated", repeated, list, "a list, to which entries are added")
        results = self._run.exchange(read, self._ready)
        if repeated is not None:
            repeated += [type(each) is tuple and each[2] for each in results]
        return [self._answer(each) for each in results]

    def recalled(self, name: str) -> Gives | None:
        """Return the decision with this name, even if the run is over."""
        known = self._run.recalled(name)
        return None if known is None else self._given(*known)

    # Subclasses may override these

    _ready: Callable[[Learner], None] | None = None  # raises if the learner needs no more decisions

    def _observation(self) -> object:
        """Return what the learner observes; the parameters are arguments of ``ask``."""
        return 0

    # Requests, converted to the run's form

    def _requested(self, convert: Callable[[Any], Any], request: object) -> Any:  # noqa: ANN401
        try:
            return convert(request)
        except Exception as error:
            request = None
            return refusal_of(error)

    def _told(self, request: TellRequest) -> Tell:
        number, token, outcome = request
        if type(number) is not int or not -1 <= number < 1 << 62:
            raise NotGiven(f"decision {shorten(number)} does not belong to this run.")
        allowed = _outcome_names(type(self).tell)  # type: ignore[attr-defined]
        if (type(outcome) is not dict and not isinstance(outcome, Mapping)) or len(outcome) != 1:
            raise DiscreetError(f"an outcome must have exactly one of {', '.join(allowed)}.")
        ((name, value),) = outcome.items()
        if name not in allowed:
            raise DiscreetError(
                f"the outcome has {shorten(name)}, but must have one of {', '.join(allowed)}."
            )
        if token is not None and not isinstance(token, str):
            raise DiscreetError(f"token is {shorten(token)}, but must be text.")
        return number, token, self._feedback(number, name, value)

    def _asked(self, request: AskRequest) -> Ask:
        name, arguments = request
        if name is not None and not 0 < len(check_text("name", name)) <= LONGEST_NAME:
            raise DiscreetError(f"name must have 1 to {LONGEST_NAME} characters.")
        known = _ask_names(type(self)._observation)
        for each in arguments:
            if each not in known and each not in USUAL:
                names = ", ".join([*known, *USUAL])
                raise DiscreetError(f"ask has no argument {shorten(each)}: it takes {names}.")
        for each, needed in known.items():
            if needed and each not in arguments:
                raise DiscreetError(f"ask needs the argument {each}.")
        given: dict[str, Any] = dict(arguments)
        user, at_limit = given.pop("user", None), given.pop("at_limit", "refuse")
        if at_limit != "refuse":
            check_choice("at_limit", at_limit, get_args(AtLimit))
        return name, self._observation(**given), user, at_limit

    def _answer(self, result: object) -> object:
        if isinstance(result, bool | DiscreetError):
            return result
        ticket, chance, _ = cast(GivenTicket, result)
        return self._given(ticket, chance)


def requests_in(name: str, given: Iterable[Any]) -> Iterator[Any]:
    """Return the requests one by one; a refusal shows no value, as outcomes are personal."""
    requests = None
    with contextlib.suppress(Exception):
        requests = iter(given)
    if requests is None:
        raise DiscreetError(
            f"{name} is of type {type(given).__name__}, but must be a list of requests."
        )
    return requests


def two_lists(given: object) -> TwoLists:
    """Return what a function of requests returned, or refuse it if it is not two lists."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise DiscreetError(
            f"tells is a function that returned a value of type {type(given).__name__}, but it "
            "must return two lists of requests: outcomes and decisions."
        )
    return given[0], given[1]


@cache
def _outcome_names(tell: Callable[..., None]) -> tuple[str, ...]:
    """Return the names under which ``tell`` takes an outcome."""
    parameters = inspect.signature(tell).parameters.values()
    return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)


@cache
def _ask_names(observation: Callable[..., object]) -> dict[str, bool]:
    """Return the additional arguments of ``ask``, and whether each is required."""
    parameters = inspect.signature(observation).parameters.values()
    return {each.name: each.default is each.empty for each in parameters if each.name != "self"}
