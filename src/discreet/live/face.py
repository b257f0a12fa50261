"""What all faces of a live run have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Sequence
from typing import Protocol, Self

import numpy as np

from discreet.errors import DiscreetError, check_int
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.arguments import check_flags
from discreet.live.building import Plan, noise_words
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun, Progress
from discreet.options import Values
from discreet.ranges import Range, make_range

Path = str | os.PathLike[str]


class Face(NoTwin):
    """A live run, in the words of one problem. A subclass has ``ask`` and ``tell``, and says how its run is planned.

    Every face has these options. By default noise is exact and a seed is refused; with ``simulation=True`` noise is
    floating point, fast, reproducible from a ``seed``, and protects nobody. ``ledger`` is a budget that the whole run is
    charged to before its first decision. With ``path`` the run is kept in a file, from which ``open`` goes on.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        simulation: bool,
        seed: int | None,
        ledger: Ledger | None,
        path: Path | None,
        options: Values,
    ) -> None:
        check_flags(clip=recipe["clip"], simulation=simulation)
        check_int("horizon", recipe["horizon"], least=2)
        if seed is not None and not simulation:
            raise DiscreetError(f"seed is {seed!r}, but live noise cannot have one: only simulation=True takes a seed.")
        _check_ledger(ledger, simulation)
        whole = {
            **_plain(recipe),
            "simulation": simulation,
            "seed": None if seed is None else check_int("seed", seed, least=0),
            "ledger": ledger is not None,
            "face": type(self).__name__,
            "options": _plain(options),
        }
        plan = self._plan(whole)
        if not plan.private.guarantee.is_private:
            warnings.warn(f"{plan.algorithm} is not private: epsilon is not used.", stacklevel=3)
        self._enter(whole, LiveRun.start(plan, whole, ledger=ledger, path=path))

    @classmethod
    def open(cls, path: Path, *, ledger: Ledger | None = None) -> Self:
        """Go on with the run in a file, where it was stopped; a run that had a ledger needs it again.

        Another ledger than before is charged for the whole run.
        """
        store = FileStore.open(path)
        try:
            recipe = store.recipe()
            if recipe["face"] != cls.__name__:
                raise DiscreetError(f"{path} is a run of {recipe['face']}: open it with {recipe['face']}.open.")
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
    def _plan(cls, recipe: Recipe) -> Plan:
        """Return what is to be run."""
        raise NotImplementedError

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        self._recipe, self._run = recipe, run

    @property
    def _bounds(self) -> Range:
        return make_range(self._recipe["low"], self._recipe["high"])

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; with a caveat if this is a simulation."""
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
    def open_decisions(self) -> tuple[int, ...]:
        """The ids of the decisions whose outcome has not been told."""
        return self._run.open_decisions()

    def state(self) -> Progress:
        """Return how it is getting on: rounds, releases, what is open; nothing raw."""
        return self._run.state()

    def snapshot(self, path: Path) -> None:
        """Write a copy to a new file: a run of its own, without open decisions and with other randomness."""
        self._run.snapshot(path)

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
        return (
            f"{type(self).__name__}({self._size()}, round {self._run.round} of {plan.horizon}, {plan.algorithm}, "
            f"{self.guarantee.short}, {noise_words(plan)})"
        )


class Decided(Protocol):
    """What ``ask`` of any face gives."""

    @property
    def id(self) -> int:
        """The number of the round."""


def index_of(labels: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return the position of each label."""
    return {label: index for index, label in enumerate(labels)}


def check_decision(decision: object, kind: type[Decided]) -> None:
    """Refuse what ``ask`` cannot have given."""
    if not isinstance(decision, kind) or type(decision.id) is not int:
        raise DiscreetError(
            f"decision is of type {type(decision).__name__}, but must be the {kind.__name__} that ask() gave."
        )


def _check_ledger(ledger: object, simulation: bool) -> None:
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {ledger!r}, but must be a discreet.Ledger.")
    if ledger is not None and simulation:
        raise DiscreetError("ledger is given, but simulation=True draws noise that protects nobody: leave it out.")


def _plain(values: Values) -> Values:
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
