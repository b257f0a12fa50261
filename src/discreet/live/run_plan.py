"""The plan of a live run: from its arguments to a private learner and its guarantee."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np

import componentjit
from discreet.algorithms import Setting, algorithm
from discreet.contracts import Generator, Protected
from discreet.contracts.learner import check_arm_played
from discreet.errors import DiscreetError, check_int, shorten
from discreet.guarantee import Guarantee, compose
from discreet.live.features import KeptRecords
from discreet.live.holdout import HoldOutPlan, held_out_guarantee, plan_hold_out
from discreet.live.rows import Recipe
from discreet.live.users import UserLimit
from discreet.on_device import OnDevice
from discreet.private import Private
from discreet.problems import (
    Advice,
    Arms,
    BestArm,
    Contexts,
    Functions,
    Points,
    Problem,
    SemiBandit,
)
from discreet.ranges import make_range

CLIENTS: dict[type[Problem], str] = {
    Arms: "Bandit",
    Points: "Experts or VectorOptimizer",
    Functions: "Optimizer",
    BestArm: "BestArmSearch",
    Advice: "Advisor",
    SemiBandit: "SlateBandit",
    Contexts: "ContextualBandit",
}
Carry = Callable[[Any, Any, Generator], int]  # takes an action and what was observed
# The first byte of an outcome stored until its deadline, and of the default in its place.
TOLD, UNTOLD = b"\1", b"\0"
# Rounds of the first epoch, if there is no horizon and the algorithm needs one. Epochs double, so
# this costs at most a factor in regret; 1024 rounds are enough for a first batch to be useful.
FIRST_EPOCH = 1024

CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"
EPOCHS = ", each round in one epoch (docs/proofs.md: Epochs of a run)"
AGAIN = ", restarted after {:,} rounds (docs/proofs.md: Epochs of a run)"
ASIDE = ", or in the hold-out, each round in one of them (docs/proofs.md: Hold-out)"
PUBLIC_TIMES = "if arrival times of outcomes are public"
FIXED_TIMES = (
    "arrival times of outcomes are protected too, if decisions are not requested in response to "
    "outcomes (docs/proofs.md: Deadlines)"
)
OWN_CHOICE = (
    ", and if the arms available in a round depend on no other person's data, except through "
    "releases; this covers what everybody else sees: models, and decisions for others. The "
    "decision for a person follows from that person's features without noise, and anything that "
    "shows it (server logs, invoices, page views by user) is not covered; outside the run, do not "
    "store arms with users or times"
)


NUMBERS = int, np.integer


class RunPlan(NamedTuple):
    """The plan of a live run."""

    name: str  # of the run, in a ledger
    private: Protected  # before the first round, with the noise to be used
    algorithm: str
    horizon: int | None
    simulation: bool
    seed: int | None
    observation: object  # an example
    # the arm or expert that an action means in a round, -1 for none; None if the action is the arm
    carry: Carry | None
    wait: float | None = None  # seconds until the default replaces a missing outcome
    default: object = None
    rebuild: Callable[[int], Protected] | None = None  # for a number of rounds, without a horizon
    first_epoch: int = FIRST_EPOCH  # rounds, if there is no horizon
    # how arm and features are stored with a decision, if private; then no arm is ever shown
    records: KeptRecords | None = None
    holdout: HoldOutPlan | None = None  # rounds with uniform arms, without learning
    final: Private | None = None  # holds the sums of a final release
    users: UserLimit | None = None  # if the run counts its users
    problem: Problem | None = None  # None for a custom private learner

    @classmethod
    def of(
        cls, recipe: Recipe, problem: Problem, *, observation: object, carry: Carry | None = None
    ) -> RunPlan:
        """Return the plan described by the arguments of a live class."""
        horizon, default, name = recipe["horizon"], recipe["default"], recipe["algorithm"]
        rebuild = functools.partial(build, problem, recipe)
        private = rebuild(FIRST_EPOCH if horizon is None else horizon)
        endless = horizon is None and algorithm(name).anytime
        if horizon is None and not endless and private.channel.one_stream:
            raise DiscreetError(
                f"horizon is None, but {name} learns from one running sum: give a number of rounds."
            )
        if (
            horizon is None
            and not endless
            and not rebuild(2 * FIRST_EPOCH).guarantee <= private.guarantee
        ):
            raise DiscreetError(
                f"horizon is None, but {name} guarantees less in longer runs: give a number."
            )
        return cls(
            name=recipe["client"].lower(),
            private=private,
            algorithm=name,
            horizon=horizon,
            simulation=recipe["simulation"],
            seed=recipe["seed"],
            observation=observation,
            carry=carry,
            wait=recipe["wait"],
            default=np.array(default) if isinstance(default, list) else default,
            rebuild=rebuild,
            first_epoch=private.channel.max_rounds() if endless else FIRST_EPOCH,
            holdout=plan_hold_out(recipe, private),
            users=limit_of(recipe),
            problem=problem,
        )

    @classmethod
    def over(cls, private: Private, *, horizon: int, observation: object) -> RunPlan:
        """Return the plan for a custom private learner."""
        if not isinstance(private, Private):
            raise DiscreetError(f"private is {shorten(private)}, but must be a Private.")
        return cls(
            name="run",
            private=with_exact_noise(private),
            algorithm=type(private.learner).__name__,
            horizon=check_int("horizon", horizon, minimum=1),
            simulation=False,
            seed=None,
            observation=observation,
            carry=action_number,
        )

    def rounds_of(self, epoch: int) -> int:
        """Return the number of rounds of an epoch.

        With a horizon, that is all rounds; otherwise, twice as many as in the epoch before.
        Algorithms that need no horizon have equal epochs, each as long as the channel lasts.
        """
        if self.horizon is not None:
            return self.horizon
        return self.first_epoch if algorithm(self.algorithm).anytime else self.first_epoch << epoch

    def private_of(self, epoch: int) -> Protected:
        """Return the private learner of an epoch, with the guarantee of the first one."""
        if epoch == 0 or self.rebuild is None:
            return self.private
        private = self.rebuild(self.rounds_of(epoch))
        if not private.guarantee <= self.private.guarantee:
            raise DiscreetError(
                f"{self.algorithm} would guarantee less from here on: give a horizon."
            )
        return private

    def check_action(self, action: object) -> None:
        """Refuse a first action that is no arm of the problem."""
        if isinstance(self.problem, Arms):
            check_arm_played(self.private.learner, action, self.problem.arms)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee for the learner's rounds, held-out rounds and a final release."""
        main = held_out_guarantee(self.private.guarantee, self.holdout)
        if self.final is None or not main.is_private:
            return main
        last = self.final.guarantee
        words = f"and a final release of epsilon {last.epsilon:.6g} (docs/proofs.md: Final release)"
        return replace(compose(main, last), source=f"{main.source}; {words}")

    @property
    def needs_key(self) -> bool:
        """Whether a stored run needs a key: to encrypt raw rows, and to detect old copies."""
        return not self.simulation and self.private.guarantee.is_private

    def kept(self, outcome: object, before: bytes = b"") -> bytes:
        """Return an outcome as stored until its deadline, with all that was stored beside it."""
        told = TOLD + np.asarray(outcome, np.float64).tobytes()
        return told + before[len(told) :]

    def with_chance(self, kept: bytes | None, chance: float | None) -> bytes:
        """Return what is stored of a held-out decision: its probability comes last."""
        return (kept or b"") + np.float64(math.nan if chance is None else chance).tobytes()

    def read_chance(self, kept: bytes) -> float | None:
        """Return the probability that ``with_chance`` wrote."""
        chance = float(np.frombuffer(kept[-8:])[0])
        return None if math.isnan(chance) else chance

    @property
    def no_outcome(self) -> bytes:
        """What is stored while there is no outcome: the default, in the form of an outcome."""
        return UNTOLD + self.kept(0.0 if self.default is None else self.default)[len(TOLD) :]

    def is_told(self, kept: bytes) -> bool:
        """Return whether the stored content has an outcome."""
        return kept[:1] == TOLD

    def read(self, kept: bytes) -> object:
        """Return the outcome stored until its deadline, or the default: both in the same way."""
        if self.records is not None:
            return self.records.record(kept, float(np.frombuffer(kept[1:9])[0]))
        numbers = np.frombuffer(kept, offset=len(TOLD))
        return numbers.copy() if isinstance(self.default, np.ndarray) else float(numbers[0])

    @property
    def noise_words(self) -> str:
        """The kind of noise, in words."""
        if not self.private.channel.noise_scales:
            return "no noise"
        return "simulation only: floating-point noise" if self.simulation else "live: exact noise"


def problem_of(client: str) -> type[Problem] | None:
    """Return the kind of problem that a live class plays; None if it is not known."""
    return next((kind for kind, names in CLIENTS.items() if client in names.split(" or ")), None)


def build(problem: Problem, recipe: Recipe, rounds: int) -> Protected:
    """Return an algorithm before its first round, with exact noise unless simulated."""
    known = algorithm(recipe["algorithm"], type(problem))
    if not known.plays(problem):
        here = f": use {CLIENTS.get(type(known.problem), 'LiveRun')}"
        if isinstance(problem, type(known.problem)):
            here = f", but this class plays {problem}"
        raise DiscreetError(f"algorithm is {known.name}, which plays {known.problem}{here}.")
    setting = Setting(
        problem,
        rounds=rounds,
        unknown_horizon=recipe["horizon"] is None and known.anytime,
        epsilon=recipe["epsilon"],
        delta=recipe["delta"],
        bounds=make_range(recipe["low"], recipe["high"]),
        live=not recipe["simulation"],
    )
    private = known.build(setting, **recipe["options"]).private
    if isinstance(private, OnDevice) and recipe["client"] != CLIENTS[Contexts]:
        raise DiscreetError(
            f"algorithm is {known.name}, whose actions stay on devices: use Device and LocalServer."
        )
    return private if recipe["simulation"] else with_exact_noise(private)


def limit_of(recipe: Recipe) -> UserLimit | None:
    """Return the user limit of a recipe."""
    seconds = recipe["per"]
    per = None if seconds is None else timedelta(seconds=seconds)
    return UserLimit.of(recipe["max_rounds_per_user"], per)


def action_number(action: object, observation: object, rng: Generator) -> int:
    """Return the action if it is an index, otherwise -1."""
    return int(action) if isinstance(action, NUMBERS) else -1


def with_exact_noise(private: Protected) -> Protected:
    """Return a copy with exact noise, for a run, which never releases the same sum twice."""
    if private.channel.rounds_seen() > 0:
        raise DiscreetError(
            "the channel has already seen rounds, but live use needs a fresh one: build it again."
        )
    copied = componentjit.copy(private)
    return copied._replace(channel=copied.channel.live())


def run_guarantee(plan: RunPlan) -> Guarantee:
    """Return the guarantee of a run and its condition, with a caveat for a simulation."""
    mine = plan.guarantee
    if not mine.is_private:
        return mine
    many = EPOCHS if plan.first_epoch == FIRST_EPOCH else AGAIN.format(plan.first_epoch)
    epochs = many if plan.horizon is None else ""
    beside = "" if plan.holdout is None else ASIDE
    times = PUBLIC_TIMES if plan.wait is None else FIXED_TIMES
    own = "" if plan.records is None else OWN_CHOICE
    mine = replace(mine, source=f"{mine.source}{epochs}{beside}; {times}{own}")
    if not plan.simulation:
        return mine
    seeded = "" if plan.seed is None else ", reproducible from its seed"
    before = f"{mine.caveat}; " if mine.caveat else ""
    return replace(mine, caveat=before + CAVEAT.format(seeded=seeded))
