"""The base of all live classes: starting, opening, state and closing."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Self, cast

import numpy as np
from typing_extensions import TypeVar

from discreet.algorithms import algorithm
from discreet.display import facts_html
from discreet.errors import DiscreetError, check_flag, check_int, closest
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.exchanging import ExchangingClient
from discreet.live.forgetting import forgetting
from discreet.live.frames import withhold_frames
from discreet.live.keys import KeyPlace
from discreet.live.naming import with_own_set
from discreet.live.no_estimates import no_estimates
from discreet.live.progress import Progress
from discreet.live.protection import (
    check_clock,
    check_ledger,
    check_limit,
    check_protection,
    limit_of,
)
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Default, Path, RunOptions, seconds_of
from discreet.live.run_plan import RunPlan, problem_of
from discreet.live.several_client import Gives, token_of
from discreet.live.store import Store
from discreet.live.stores import choose_store
from discreet.options import Values
from discreet.ranges import Range, make_range
from discreet.sets import LinearOracle

Plain = TypeVar("Plain", bound=Mapping[str, object])


class LiveClient(ExchangingClient[Gives]):
    """The base of all live classes; :class:`RunOptions` describes the common options.

    A subclass adds ``ask`` and ``tell``, and plans its run. Without a horizon (None), a run has
    epochs, each twice as long as the one before, and starts learning afresh in each. Algorithms on
    running sums need no horizon and learn throughout.
    """

    _chosen: ClassVar[str] = ""  # the argument that holds the labels of the choices

    def __init__(self, recipe: Recipe, run: RunOptions, default: Default, options: Values) -> None:
        check_flag("clip", recipe["clip"])
        if not isinstance(recipe["algorithm"], str):
            algorithm(recipe["algorithm"], problem_of(type(self).__name__))  # raises, lists names
        check_flag("simulation", run.simulation)
        if recipe["horizon"] is not None:
            check_int("horizon", recipe["horizon"], minimum=2)
        run.check(default)
        whole: Recipe = {
            **_plain(recipe),
            "simulation": run.simulation,
            "seed": None if run.seed is None else check_int("seed", run.seed, minimum=0),
            "ledger": run.ledger is not None,
            "ledger_limit": limit_of(run.ledger),
            "wait": None if run.wait is None else seconds_of(run.wait),
            "max_rounds_per_user": run.max_rounds_per_user,
            "per": None if run.per is None else run.per.total_seconds(),
            "default": default,
            "durable": run.durable,
            "client": type(self).__name__,
            "options": _plain(options),
        }
        whole = self._resolve(whole)
        check_arguments(type(self), whole["algorithm"], options)
        plan = self._plan(whole)
        if not plan.private.guarantee.is_private:
            warnings.warn(f"{plan.algorithm} is not private: epsilon is not used.", stacklevel=3)
        if not plan.private.learner.learns:
            warnings.warn(
                f"{plan.algorithm} does not learn in this run: its regret bound for so few rounds "
                "is vacuous, and you set when_vacuous=centre. Leave that out to learn with the "
                "same guarantee.",
                stacklevel=3,
            )
        store = choose_store(run.path, run.store)
        place = KeyPlace(run.key).check()
        clock = run.clock
        started = LiveRun.start(plan, whole, store=store, key=place, ledger=run.ledger, clock=clock)
        self._enter(whole, started)

    @classmethod
    @withhold_frames
    def open(
        cls,
        path: Path | None = None,
        *,
        store: str | Store | None = None,
        ledger: Ledger | None = None,
        key: Path | None = None,
        lost_key: bool = False,
        unprotected: bool = False,
        domain: LinearOracle | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Continue the run in a file or a store; a run that had a ledger needs it again.

        A different ledger is charged for the whole run, and is refused if it limits users. Give
        ``key`` if you gave a path for the key at the start. ``lost_key=True`` continues with a new
        key but without unfinished batches, which cannot be decrypted. Simulations and non-private
        runs have no key: pass ``unprotected=True`` to confirm that you expect one, since somebody
        could have put it in place of a live run; such a run may have a ``clock``. A run on your own
        set needs that set again, as ``domain``.
        """
        if path is None and store is None:
            raise DiscreetError("path and store are None: give one of them.")
        kept = choose_store(path, store)
        kept.open(KeyPlace(key, lost_key, forgetting(cls._plan, domain)).check())
        try:
            recipe, name = kept.recipe(), kept.name
            if recipe["client"] != cls.__name__:
                raise DiscreetError(
                    f"{name} is a run of {recipe['client']}: open it with {recipe['client']}.open."
                )
            if recipe["ledger"] != (ledger is not None):
                had, do = ("a", "give it again") if recipe["ledger"] else ("no", "leave it out")
                raise DiscreetError(f"the run in {name} has {had} ledger: {do}.")
            check_clock(clock, simulation=recipe["simulation"])
            check_ledger(ledger, recipe["simulation"])
            check_limit(ledger, recipe["ledger_limit"], name)
            recipe = with_own_set(recipe, domain, name)
            plan, client = cls._plan(recipe), cls.__new__(cls)
            check_protection(plan, kept, unprotected=check_flag("unprotected", unprotected))
            client._enter(recipe, LiveRun(plan, kept, ledger=ledger, clock=clock))
        except BaseException as failure:
            kept.close()
            if isinstance(failure, KeyError):
                raise DiscreetError(f"{kept.name} is damaged: it cannot be read.") from None
            raise
        return client

    @classmethod
    def _resolve(cls, recipe: Recipe) -> Recipe:
        """Return the recipe with choices such as "best" resolved; a file stores the result."""
        return recipe

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        """Return the plan of the run."""
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
        """The guarantee of the run, with a caveat if it is a simulation.

        If the run limits the rounds of a user, it is for a user with that many rounds.
        """
        return self._run.guarantee

    @property
    def plan(self) -> RunPlan:
        """The plan of the run: the private learner as it was before the first round, no outcome."""
        return self._run.plan

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in use."""
        return self._run.plan.algorithm

    def state(self) -> Progress:
        """Return rounds, the share of each arm, releases, and open or lost rounds; no raw value."""
        run = self._run.state()
        return run._replace(
            shares={self._label(cast(int, choice)): share for choice, share in run.shares.items()}
        )

    def estimates(
        self,
        level: float = 0.95,
        kind: EstimateKind = "anytime",
        *,
        outcomes: Outcomes = "rewards",
        clipped: bool = False,
    ) -> MeanEstimates:
        """Raise, and name the alternative; only runs on arms have estimates."""
        raise no_estimates(type(self).__name__)

    @withhold_frames
    def rounds_of(self, user: User) -> int:
        """Return how many rounds of a user have been counted in the current period."""
        return self._run.rounds_of(user)

    def users_at_limit(self) -> int | None:
        """Return how many users have no round left now; None if the run counts no users.

        It depends on who asked, not on outcomes.
        """
        return self._run.users_at_limit()

    @property
    def charge_label(self) -> str | None:
        """The label of this run's charge in the ledger; None without a ledger."""
        return self._run.charge_label

    def release_due(self) -> int:
        """With ``wait``: make all releases that are due, as ``ask`` does, and return how many."""
        return self._run.release_due()

    def give_up(self, decision: Gives | int) -> bool:
        """Stop waiting for an outcome; return whether this loses its batch, with all outcomes."""
        if type(decision) is int:
            return self._run.give_up(decision)
        given = self._checked(decision)
        return self._run.give_up(given.id, token_of(given))

    def _label(self, choice: int) -> Hashable:
        """Return the label of a choice; None if choices have no labels."""
        return self._labels[choice] if self._labels else None

    def _tell(self, decision: Gives | int, feedback: object) -> bool:
        """Report the outcome of a decision (or its id); return whether it counts."""
        if type(decision) is int:
            return self._run.tell_by_id(decision, None, None, feedback)
        given = self._checked(decision)
        return self._run.tell_by_id(given.id, token_of(given), self._choice(given), feedback)

    def snapshot(
        self,
        path: Path | None = None,
        *,
        store: str | Store | None = None,
        key: Path | None = None,
    ) -> None:
        """Write a copy to a new file or store.

        The copy is a separate run, without open decisions and with fresh randomness.
        """
        self._run.snapshot(choose_store(path, store), key=KeyPlace(key).check())

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _size(self) -> str:
        """Return the size of the problem in words."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        plan = self._run.plan
        horizon = "no horizon" if plan.horizon is None else f"of {plan.horizon:,}"
        facts = [
            ("size", self._size()),
            ("round", f"{self._run.round:,} {horizon}"),
            ("algorithm", plan.algorithm),
            ("noise", plan.noise_words),
            ("guarantee", str(self.guarantee)),
        ]
        return facts_html(type(self).__name__, facts)

    def __repr__(self) -> str:
        plan = self._run.plan
        horizon = "" if plan.horizon is None else f" of {plan.horizon}"
        return (
            f"{type(self).__name__}({self._size()}, round {self._run.round}{horizon}, "
            f"{plan.algorithm}, {self.guarantee.short}, {plan.noise_words})"
        )


def check_arguments(client: type, name: str, options: Values) -> None:
    """Refuse a mistyped argument, which Python takes for an option of the algorithm."""
    if not options:
        return
    own = inspect.signature(client).parameters.keys() - {"options"}
    known = {*own, *algorithm(name, problem_of(client.__name__)).options}
    for option in options.keys() - known:
        close = closest(option, sorted(known))
        if close in own:
            raise DiscreetError(
                f"{client.__name__} has no argument '{option}': did you mean '{close}'?"
            )


def _plain(values: Plain) -> Plain:
    """Return values without NumPy's number types, which JSON cannot represent."""
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }
    return cast(Plain, plain)
