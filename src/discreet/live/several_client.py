"""Live classes with several decisions: pages of open decisions, ask_many and tell_all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Protocol, cast, overload

from typing_extensions import TypeVar

from discreet.errors import DiscreetError, check_int, has_items, shorten
from discreet.ledger.guards import NotCopyable
from discreet.ledger.inputs import User
from discreet.live.progress import OpenDecision
from discreet.live.rows import Ticket
from discreet.live.run import LiveRun
from discreet.live.several import ToldOutcome, refused_pair

PAGE = 1_000  # decisions read at once
MOST = 10_000_000  # maximum n of ask_many


class Decided(Protocol):
    """A decision, as ``ask`` of any live class returns it."""

    @property
    def id(self) -> int:
        """The number of the round."""

    @property
    def token(self) -> str:
        """A token that identifies the run and the decision."""


Gives = TypeVar("Gives", bound=Decided, default=Decided)
ToldPairs = Iterable[tuple[Any, Any]]  # a decision, or its id, and its outcome


class OpenDecisions(Sequence[OpenDecision]):
    """Decisions whose outcome may still arrive, oldest first, read in pages.

    It is a view: decisions leave it as their outcomes are recorded.
    """

    def __init__(self, run: LiveRun, shown: Callable[[Ticket], Hashable]) -> None:
        self._run, self._shown = run, shown

    def page(self, after: int | None = None, limit: int = PAGE) -> tuple[OpenDecision, ...]:
        """Return the decisions that follow the one with id ``after``, at most ``limit``."""
        first = -1 if after is None else check_int("after", after, minimum=0)
        found = self._run.open_decisions(first, check_int("limit", limit, minimum=1))
        return tuple(
            OpenDecision(t.id, self._shown(t), age, probability, t.group)
            for t, age, probability in found
        )

    def __len__(self) -> int:
        return self._run.open_count()

    def __iter__(self) -> Iterator[OpenDecision]:
        page = self.page()
        while page:
            yield from page
            page = self.page(page[-1].id)

    @overload
    def __getitem__(self, place: int) -> OpenDecision: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[OpenDecision, ...]: ...
    def __getitem__(self, place: int | slice) -> OpenDecision | tuple[OpenDecision, ...]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"OpenDecisions({len(self)} open)"


class SeveralClient(NotCopyable, Generic[Gives]):
    """The part of a live class that handles several decisions at once."""

    _gives: ClassVar[type[Decided]]  # the type that ``ask`` returns
    _run: LiveRun

    @property
    def open_decisions(self) -> OpenDecisions:
        """Decisions whose outcome may still arrive, oldest first: id, choice, age in seconds.

        With ``wait``, these are all decisions before their deadline, whether or not their outcome
        has arrived. ``len`` is immediate; to read very many, use pages such as
        ``open_decisions.page(after=id, limit=1000)``.
        """
        return OpenDecisions(self._run, self._shown)

    def verify(self) -> None:
        """Check the whole file, and refuse it if another program changed anything in it.

        By default, each part of a large file is checked only before it is used.
        """
        self._run.verify()

    def _given(self, ticket: Ticket, chance: float | None = None) -> Gives:
        """Return the decision for a ticket, with its probability, as this class represents it."""
        raise NotImplementedError

    def _shown(self, ticket: Ticket) -> Hashable:
        """Return the decision in words or by its label; None if there is neither."""
        return self._label(ticket.choice)

    def _label(self, choice: int) -> Hashable:
        """Return the label of a choice; None if choices have no labels."""
        raise NotImplementedError

    def _choice(self, decision: Gives) -> int | None:
        """Return the index of the choice."""
        raise NotImplementedError

    def _feedback(self, decision: object, name: str, outcome: object) -> object:
        """Return an outcome in the channel's form; ``name`` is the argument of ``tell``."""
        raise NotImplementedError

    def _checked(self, decision: object) -> Gives:
        """Return the decision, or refuse anything that ``ask`` cannot have returned."""
        if not isinstance(decision, self._gives) or type(decision.id) is not int:
            raise DiscreetError(
                f"decision is of type {type(decision).__name__}, but must be the "
                f"{self._gives.__name__} that ask() returned, or its id."
            )
        return cast(Gives, decision)

    def _ask_many(
        self, observations: Sequence[object], users: Sequence[User] | None
    ) -> list[Gives]:
        return [self._given(*each) for each in self._run.ask_many(observations, users)]

    def _tell_pairs(self, **given: ToldPairs | None) -> int:
        """Record the outcomes of pairs, which are all rewards or all losses."""
        named = {name: pairs for name, pairs in given.items() if pairs is not None}
        if len(named) != 1:
            raise DiscreetError(f"tell_all needs pairs of one kind: {' or '.join(given)}.")
        ((name, pairs),) = named.items()
        return self._run.tell_all(self._read(name, pairs))

    def _read(self, name: str, pairs: ToldPairs) -> list[ToldOutcome]:
        """Return pairs in the run's form; errors contain nothing of an outcome."""
        if not has_items(pairs):
            raise DiscreetError(
                f"{name} is of type {type(pairs).__name__}, but must be pairs of a decision and "
                "its outcome."
            )
        told: list[ToldOutcome] = []
        for place, pair in enumerate(pairs):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise DiscreetError(
                    f"pairs[{place}] is not a pair (decision, outcome), so nothing was recorded."
                )
            try:
                feedback = self._feedback(pair[0], name, pair[1])
                if type(pair[0]) is int:
                    told.append((pair[0], None, None, feedback))
                    continue
                decision = self._checked(pair[0])
                told.append((decision.id, token_of(decision), self._choice(decision), feedback))
            except DiscreetError as refusal:
                raise refused_pair(place, refusal) from None
        return told


def how_many(n: int) -> list[object]:
    """Return one placeholder observation per decision, for problems without observations."""
    return [0] * check_int("n", n, minimum=1, maximum=MOST)


def one_for_each(name: str, given: object) -> list[Any]:
    """Return the observations of several rounds as a list, or refuse them."""
    if not has_items(given):
        raise DiscreetError(
            f"{name} is {shorten(given)}, but must be a list with one entry per decision."
        )
    return list(given)


def token_of(decision: Decided) -> str:
    """Return the token of a decision; a forged decision may hold any value there."""
    return decision.token if isinstance(decision.token, str) else ""
