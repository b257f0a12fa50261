"""What all faces of a live run have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np

from discreet.errors import DiscreetError, check_int, check_positive
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.arguments import check_flags
from discreet.live.building import Plan, noise_words
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin
from discreet.live.progress import Progress
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.options import Values
from discreet.ranges import Range, make_range

Path = str | os.PathLike[str]
Wait = float | timedelta
Given = TypeVar("Given", bound=Mapping[str, object])


class Face(NoTwin):
    """A live run, in the words of one problem. A subclass has ``ask`` and ``tell``, and says how its run is planned.

    Every face has these options. By default noise is exact and a seed is refused; with
    ``simulation=True`` noise is floating point, fast, reproducible from a ``seed``, and protects
    nobody. ``ledger`` is a budget that the whole run is charged to before its first decision. With
    ``path`` the run is kept in a file, from which ``open`` goes on; what is raw in it is hidden by
    a key that is kept elsewhere. With ``wait`` and a default, silence counts as that default after
    a while, and no release says who answered when (docs/live.md). Without a horizon (None) the run
    has epochs, each twice as long as the one before, and begins to learn again in each; algorithms
    on running sums need none and go on learning.
    """

    _gives: ClassVar[type[Any]]  # what ``ask`` returns
    _chosen: ClassVar[str] = ""  # the argument with the labels of what is chosen

    def __init__(
        self,
        recipe: Recipe,
        *,
        simulation: bool,
        seed: int | None,
        ledger: Ledger | None,
        path: Path | None,
        key: Path | None,
        wait: Wait | None,
        default: float | list[float] | None,
        options: Values,
    ) -> None:
        check_flags(clip=recipe["clip"], simulation=simulation)
        if recipe["horizon"] is not None:
            check_int("horizon", recipe["horizon"], minimum=2)
        if (wait is None) != (default is None):
            raise DiscreetError(
                "wait and a default belong together: "
                "after the "
                "wait the "
                "default "
                "counts "
                "as the "
                "outcome."
            )
        if key is not None and path is None:
            raise DiscreetError(
                "key is given, but without path= nothing is written that it could hide."
            )
        if seed is not None and not simulation:
            raise DiscreetError(
                f"seed is {seed!r}, but live noise cannot "
                "have "
                "one: "
                "only "
                "simulation=True "
                "takes a "
                "seed."
            )
        _check_ledger(ledger, simulation)
        whole: Recipe = {
            **_plain(recipe),
            "simulation": simulation,
            "seed": None if seed is None else check_int("seed", seed, minimum=0),
            "ledger": ledger is not None,
            "wait": None if wait is None else seconds_of(wait),
            "default": default,
            "face": type(self).__name__,
            "options": _plain(options),
        }
        whole = self._resolve(whole)
        plan = self._plan(whole)
        if not plan.private.guarantee.is_private:
            warnings.warn(f"{plan.algorithm} is not private: epsilon is not used.", stacklevel=3)
        self._enter(whole, LiveRun.start(plan, whole, ledger=ledger, path=path, key=key))

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        ledger: Ledger | None = None,
        key: Path | None = None,
        lost_key: bool = False,
    ) -> Self:
        """Go on with the run in a file, where it was stopped; a run that had a ledger needs it again.

        Another ledger than before is charged for the whole run. ``key`` is where the run's key is,
        if that was said at the start; ``lost_key=True`` goes on with a new one, without unfinished
        batches, which nobody can read.
        """
        store = FileStore.open(path, key, lost_key=lost_key)
        try:
            recipe = store.recipe()
            if recipe["face"] != cls.__name__:
                raise DiscreetError(
                    f"{path} is a run of {recipe['face']}: open it with {recipe['face']}.open."
                )
            if recipe["ledger"] != (ledger is not None):
                had, do = ("a", "give it again") if recipe["ledger"] else ("no", "leave it out")
                raise DiscreetError(f"the run in {path} had {had} ledger: {do}.")
            _check_ledger(ledger, recipe["simulation"])
            face = cls.__new__(cls)
            face._enter(recipe, LiveRun(cls._plan(recipe), store, ledger=ledger))
        except BaseException as failure:
            store.close()
            if isinstance(failure, KeyError):
                raise DiscreetError(f"{path} is damaged: it cannot be read.") from None
            raise
        return face

    @classmethod
    def _resolve(cls, recipe: Recipe) -> Recipe:
        """Return the recipe with what it leaves open decided; a file keeps what was decided."""
        return recipe

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        """Return what is to be run."""
        raise NotImplementedError

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        self._recipe, self._run = recipe, run
        given: Mapping[str, object] = recipe
        self._labels = tuple(cast(Sequence[Hashable], given.get(self._chosen, ())))
        self._indices = {label: index for index, label in enumerate(self._labels)}

    @property
    def _bounds(self) -> Range:
        return make_range(self._recipe["low"], self._recipe["high"])

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; with a caveat if this is a simulation.

        With a ledger that limits the rounds of a user, it is what holds for a user with that many
        rounds.
        """
        return self._run.guarantee

    @property
    def plan(self) -> Plan:
        """What is run: the private learner as it was before the first round, and no outcome."""
        return self._run.plan

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in use."""
        return self._run.plan.algorithm

    @property
    def open_decisions(self) -> tuple[OpenDecision, ...]:
        """The decisions whose outcome may still come: id, what was chosen, and age in seconds; the oldest first.

        With ``wait`` they are those before their deadline, told or not.
        """
        return tuple(
            OpenDecision(t.id, self._shown(t), age) for t, age in self._run.open_decisions()
        )

    def state(self) -> Progress:
        """Return how it is getting on: rounds, share of each arm, releases, what is open or lost; nothing raw."""
        run = self._run.state()
        return run._replace(
            shares={self._label(cast(int, choice)): share for choice, share in run.shares.items()}
        )

    def release_due(self) -> int:
        """With ``wait``: make the releases whose time has come, and return how many. ``ask`` does so first."""
        return self._run.release_due()

    def give_up(self, decision: Decided | int) -> bool:
        """Wait no longer for the outcome of a decision; return whether a batch is lost with it, told outcomes and all."""
        if type(decision) is int:
            return self._run.give_up(decision)
        given = self._checked(decision)
        return self._run.give_up(given.id, str(given.token))

    def _label(self, choice: int) -> Hashable:
        """Return what was chosen, by its label; None where nothing is."""
        return self._labels[choice] if self._labels else None

    def _shown(self, ticket: Ticket) -> Hashable:
        """Return what was decided, in words or by its label; None where there is neither."""
        return self._label(ticket.choice)

    def _choice(self, decision: Any) -> int | None:
        """Return the number of what was chosen."""
        raise NotImplementedError

    def _checked(self, decision: object) -> Decided:
        """Return a decision, or refuse what ``ask`` cannot have given."""
        if not isinstance(decision, self._gives) or type(decision.id) is not int:
            raise DiscreetError(
                "decision is of type "
                f"{type(decision).__name__}, but "
                "must "
                "be the "
                f"{self._gives.__name__} that "
                "ask() "
                "gave, "
                "or its id."
            )
        return cast(Decided, decision)

    def _hear(self, decision: Decided | int, feedback: object) -> None:
        """Report an outcome, of a decision or of the one with this id."""
        if type(decision) is int:
            self._run.hear(decision, None, None, feedback)
        else:
            given = self._checked(decision)
            self._run.hear(given.id, str(given.token), self._choice(given), feedback)

    def snapshot(self, path: Path, *, key: Path | None = None) -> None:
        """Write a copy to a new file: a run of its own, without open decisions and with other randomness."""
        self._run.snapshot(path, key=key)

    def close(self) -> None:
        """Give the file free, so that another process can open it."""
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _size(self) -> str:
        """Return how large the problem is, in words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        plan = self._run.plan
        horizon = "" if plan.horizon is None else f" of {plan.horizon}"
        return (
            f"{type(self).__name__}({self._size()}, round "
            f"{self._run.round}{horizon}, "
            f"{plan.algorithm}, "
            f"{self.guarantee.short}, {noise_words(plan)})"
        )


class OpenDecision(NamedTuple):
    """A decision whose outcome may still come."""

    id: int
    choice: Hashable  # the arm or expert, or the vertex in words; None where there is none
    age: float  # seconds


class Decided(Protocol):
    """What ``ask`` of any face gives."""

    @property
    def id(self) -> int:
        """The number of the round."""

    @property
    def token(self) -> str:
        """What names the run that gave it."""


def seconds_of(wait: Wait) -> float:
    """Return a wait time in seconds."""
    return check_positive("wait", wait.total_seconds() if isinstance(wait, timedelta) else wait)


def _check_ledger(ledger: object, simulation: bool) -> None:
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {ledger!r}, but must be a discreet.Ledger.")
    if ledger is not None and simulation:
        raise DiscreetError(
            "ledger is given, but simulation=True draws noise that protects nobody: leave it out."
        )


def _plain(values: Given) -> Given:
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }
    return cast(Given, plain)
