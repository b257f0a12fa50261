"""From the arguments of a run to a private learner: the one place where runs meet algorithms and their settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import componentjit
from discreet.algorithms import Setting, algorithm
from discreet.contracts import Generator
from discreet.errors import DiscreetError, check_int, shorten
from discreet.live.rows import Recipe
from discreet.private import Private
from discreet.problems import Advice, Arms, BestArm, Functions, Points, Problem
from discreet.ranges import make_range

FACES: dict[type[Problem], str] = {
    Arms: "Bandit",
    Points: "Experts or VectorOptimizer",
    Functions: "Optimizer",
    BestArm: "BestArmSearch",
    Advice: "Advisor",
}
Carry = Callable[
    [Any, Any, Generator], int
]  # of an action, and what was shown: each face has types of its own
TOLD = b"\1"
FIRST_EPOCH = 1024  # rounds, where there is no horizon and the algorithm needs one


class Plan(NamedTuple):
    """What a live run needs to know."""

    name: str  # of what is run, in a ledger
    private: Private  # before the first round, with the noise that is to be used
    algorithm: str
    horizon: int | None
    simulation: bool
    seed: int | None
    observation: object  # an example
    carry: (
        Carry | None
    )  # which arm or expert an action comes to in a round, -1 for none; None if it is that arm itself
    wait: float | None = None  # seconds until the default takes the place of an outcome
    default: object = None
    rebuild: Callable[[int], Private] | None = (
        None  # for a number of rounds, where there is no horizon
    )
    first_epoch: int = FIRST_EPOCH  # rounds, where there is no horizon

    @classmethod
    def of(
        cls, recipe: Recipe, problem: Problem, *, observation: object, carry: Carry | None = None
    ) -> Plan:
        """Return the plan that a face's arguments describe."""
        horizon, default = recipe["horizon"], recipe["default"]
        rebuild = functools.partial(build, problem, recipe)
        private = rebuild(FIRST_EPOCH if horizon is None else horizon)
        endless = horizon is None and algorithm(recipe["algorithm"]).anytime
        if horizon is None and not endless and private.channel.one_stream:
            raise DiscreetError(
                "horizon is None, but "
                f"{recipe['algorithm']} "
                "learns "
                "from one "
                "running "
                "sum: "
                "give a "
                "number of rounds."
            )
        if (
            horizon is None
            and not endless
            and not rebuild(2 * FIRST_EPOCH).guarantee <= private.guarantee
        ):
            raise DiscreetError(
                "horizon is None, but "
                f"{recipe['algorithm']} "
                "promises "
                "less in "
                "longer "
                "runs: "
                "give a "
                "number."
            )
        return cls(
            name=recipe["face"].lower(),
            private=private,
            algorithm=recipe["algorithm"],
            horizon=horizon,
            simulation=recipe["simulation"],
            seed=recipe["seed"],
            observation=observation,
            carry=carry,
            wait=recipe["wait"],
            default=np.array(default) if isinstance(default, list) else default,
            rebuild=rebuild,
            first_epoch=private.channel.max_rounds() if endless else FIRST_EPOCH,
        )

    @classmethod
    def over(cls, private: Private, *, horizon: int, observation: object) -> Plan:
        """Return the plan for a private learner of one's own."""
        if not isinstance(private, Private):
            raise DiscreetError(f"private is {shorten(private)}, but must be a Private.")
        rounds = check_int("horizon", horizon, least=1)
        name = type(private.learner).__name__
        return cls("run", exactly(private), name, rounds, False, None, observation, whole_action)

    def rounds_of(self, epoch: int) -> int:
        """Return how many rounds an epoch has: all, or twice as many as the one before if there is no horizon.

        Those of an algorithm that does without a horizon are all as long as its channel lasts: it
        starts again only then.
        """
        if self.horizon is not None:
            return self.horizon
        return self.first_epoch if algorithm(self.algorithm).anytime else self.first_epoch << epoch

    def private_of(self, epoch: int) -> Private:
        """Return the private learner of an epoch; what it promises is what was promised at the start."""
        if epoch == 0 or self.rebuild is None:
            return self.private
        private = self.rebuild(self.rounds_of(epoch))
        if not private.guarantee <= self.private.guarantee:
            raise DiscreetError(
                f"{self.algorithm} would promise less from here on: give a horizon."
            )
        return private

    @property
    def needs_key(self) -> bool:
        """Whether a file of the run needs a key: to hide what is raw, and to know an old copy of it."""
        return not self.simulation and self.private.guarantee.is_private

    def kept(self, outcome: object) -> bytes:
        """Return an outcome as it is kept until its deadline."""
        return TOLD + np.asarray(outcome, np.float64).tobytes()

    @property
    def no_outcome(self) -> bytes:
        """What is kept as long as there is none: it has the same size, and hidden by the key it looks the same."""
        return bytes(len(self.kept(self.default)))

    def is_told(self, kept: bytes) -> bool:
        """Return whether there is an outcome in what is kept."""
        return kept[:1] == TOLD

    def read(self, kept: bytes) -> object:
        """Return the outcome that was kept until its deadline, or the default."""
        if not self.is_told(kept):
            return self.default
        numbers = np.frombuffer(kept, offset=len(TOLD))
        return numbers.copy() if isinstance(self.default, np.ndarray) else float(numbers[0])


def build(problem: Problem, recipe: Recipe, rounds: int) -> Private:
    """Return the named algorithm before the first of some rounds, with exact noise unless it is for simulation."""
    known = algorithm(recipe["algorithm"])
    if not known.plays(problem):
        instead = FACES.get(type(known.problem), "LiveRun")
        here = (
            f", but here {problem} are played"
            if isinstance(problem, type(known.problem))
            else f": use {instead}"
        )
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
    if not isinstance(private, Private):  # it does not play a problem that a face is for
        raise DiscreetError(
            f"algorithm is {known.name}, whose actions stay on devices: use Device and LocalServer."
        )
    return private if recipe["simulation"] else exactly(private)


def whole_action(action: object, observation: object, rng: Generator) -> int:
    """Return the action, if it is the number of something, else -1."""
    return int(action) if isinstance(action, int | np.integer) else -1


def exactly(private: Private) -> Private:
    """Return a twin with exact noise, for a run: it sees to it that nothing is released twice."""
    if private.channel.rounds_seen() > 0:
        raise DiscreetError(
            "the channel has seen rounds, but live use begins before the first: build it again."
        )
    twin = componentjit.copy(private)
    return twin._replace(channel=twin.channel.live())


def noise_words(plan: Plan) -> str:
    """Return which noise is drawn."""
    if not plan.private.channel.noise_scales:
        return "no noise"
    return "simulation only: floating-point noise" if plan.simulation else "live: exact noise"
