"""What a live run is made of: from its arguments to a private learner and its guarantee."""

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
Carry = Callable[[Any, Any, Generator], int]  # of an action, and of what was shown
# The first byte of an outcome that is kept until its deadline, and of the default in its place.
TOLD, UNTOLD = b"\1", b"\0"
# Rounds of the first epoch, if there is no horizon and the algorithm needs one. Epochs double, so
# it costs at most a factor in regret; 1024 rounds are enough for a first batch to be useful.
FIRST_EPOCH = 1024

CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"
EPOCHS = ", a round in one of them (docs/proofs.md: Epochs of a run)"
AGAIN = ", begun again after {:,} rounds (docs/proofs.md: Epochs of a run)"
ASIDE = ", or in the hold-out, a round in one of them (docs/proofs.md: Hold-out)"
PUBLIC_TIMES = "if when outcomes come is public"
FIXED_TIMES = (
    "also of when outcomes come, if decisions are not asked for in answer to them "
    "(docs/proofs.md: Deadlines)"
)
OWN_CHOICE = (
    ", and if which arms are available in a round depends on no other person's data, except "
    "through what is released; this covers what everybody else sees: models, and choices for "
    "others. The choice for a person follows from that person's features without noise. Who sees "
    "it (server logs, invoices, page views by user) is not covered; do not keep arm with user or "
    "time outside the run"
)


NUMBERS = int, np.integer


class RunPlan(NamedTuple):
    """What a live run needs to know."""

    name: str  # of what is run, in a ledger
    private: Protected  # before the first round, with the noise that is to be used
    algorithm: str
    horizon: int | None
    simulation: bool
    seed: int | None
    observation: object  # an example
    # which arm or expert an action means in a round, -1 for none; None if the action is that arm
    carry: Carry | None
    wait: float | None = None  # seconds until the default replaces a missing outcome
    default: object = None
    rebuild: Callable[[int], Protected] | None = None  # for some rounds, if there is no horizon
    first_epoch: int = FIRST_EPOCH  # rounds, if there is no horizon
    # how arm and features are kept with a decision, if they are private; then nothing shows an arm
    records: KeptRecords | None = None
    holdout: HoldOutPlan | None = None  # rounds with uniform arms, which nobody learns from
    final: Private | None = None  # what holds the sums of a final release
    users: UserLimit | None = None  # if the run counts its users
    problem: Problem | None = None  # None for a custom private learner

    @classmethod
    def of(
        cls, recipe: Recipe, problem: Problem, *, observation: object, carry: Carry | None = None
    ) -> RunPlan:
        """Return the plan that the arguments of a live class describe."""
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
                f"horizon is None, but {name} promises less in longer runs: give a number."
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
        """Return how many rounds an epoch has.

        All of them, if there is a horizon; otherwise twice as many as the epoch before. Algorithms
        that need no horizon have equal epochs, each as long as the channel lasts.
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
                f"{self.algorithm} would promise less from here on: give a horizon."
            )
        return private

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed: of the learner's rounds, those held out, and a final release."""
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
        """Return an outcome as it is kept until its deadline, with all that was kept beside it."""
        told = TOLD + np.asarray(outcome, np.float64).tobytes()
        return told + before[len(told) :]

    def with_chance(self, kept: bytes | None, chance: float | None) -> bytes:
        """Return what is kept of a decision that is held out: last its probability."""
        return (kept or b"") + np.float64(math.nan if chance is None else chance).tobytes()

    def read_chance(self, kept: bytes) -> float | None:
        """Return the probability that ``with_chance`` has written."""
        chance = float(np.frombuffer(kept[-8:])[0])
        return None if math.isnan(chance) else chance

    @property
    def no_outcome(self) -> bytes:
        """What is kept while there is no outcome: the default, so it is read like an outcome."""
        return UNTOLD + self.kept(0.0 if self.default is None else self.default)[len(TOLD) :]

    def is_told(self, kept: bytes) -> bool:
        """Return whether there is an outcome in what is kept."""
        return kept[:1] == TOLD

    def read(self, kept: bytes) -> object:
        """Return the outcome that was kept until its deadline, or the default: both alike."""
        if self.records is not None:
            return self.records.record(kept, float(np.frombuffer(kept[1:9])[0]))
        numbers = np.frombuffer(kept, offset=len(TOLD))
        return numbers.copy() if isinstance(self.default, np.ndarray) else float(numbers[0])

    @property
    def noise_words(self) -> str:
        """Which noise is drawn."""
        if not self.private.channel.noise_scales:
            return "no noise"
        return "simulation only: floating-point noise" if self.simulation else "live: exact noise"


def build(problem: Problem, recipe: Recipe, rounds: int) -> Protected:
    """Return an algorithm before its first round, with exact noise unless it is a simulation."""
    known = algorithm(recipe["algorithm"], type(problem))
    if not known.plays(problem):
        here = f": use {CLIENTS.get(type(known.problem), 'LiveRun')}"
        if isinstance(problem, type(known.problem)):
            here = f", but here {problem} are played"
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
    """Return how many rounds each user may have."""
    seconds = recipe["per"]
    per = None if seconds is None else timedelta(seconds=seconds)
    return UserLimit.of(recipe["max_rounds_per_user"], per)


def action_number(action: object, observation: object, rng: Generator) -> int:
    """Return the action if it is a number of something, otherwise -1."""
    return int(action) if isinstance(action, NUMBERS) else -1


def with_exact_noise(private: Protected) -> Protected:
    """Return a copy with exact noise, for a run, which ensures that nothing is released twice."""
    if private.channel.rounds_seen() > 0:
        raise DiscreetError(
            "the channel has seen rounds, but live use begins before the first: build it again."
        )
    copied = componentjit.copy(private)
    return copied._replace(channel=copied.channel.live())


def run_guarantee(plan: RunPlan) -> Guarantee:
    """Return what a run guarantees, and on which condition; with a caveat if it is a simulation."""
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
