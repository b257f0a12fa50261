"""From the arguments of a run to a private learner: the one place where runs meet algorithms and their settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from discreet import kernel
from discreet.algorithms import Setting, algorithm
from discreet.contracts import Action, Generator, Observation
from discreet.errors import DiscreetError
from discreet.live.rows import Recipe
from discreet.private import Private
from discreet.problems import Advice, Arms, Points, Problem
from discreet.ranges import make_range

FACES: dict[type[Problem], str] = {Arms: "Bandit", Points: "Experts or Optimizer", Advice: "Advisor"}
Carry = Callable[[Action, Observation, Generator], int]


class Plan(NamedTuple):
    """What a live run needs to know."""

    name: str  # of what is run, in a ledger
    private: Private  # before the first round, with the noise that is to be used
    algorithm: str
    horizon: int
    simulation: bool
    seed: int | None
    observation: Observation  # an example
    carry: Carry  # which arm or expert an action, an observation and a draw come to in a round; -1 for none

    @classmethod
    def of(cls, recipe: Recipe, private: Private, *, observation: Observation, carry: Carry) -> Plan:
        """Return the plan that a face's arguments describe."""
        return cls(
            name=recipe["face"].lower(),
            private=private,
            algorithm=recipe["algorithm"],
            horizon=recipe["horizon"],
            simulation=recipe["simulation"],
            seed=recipe["seed"],
            observation=observation,
            carry=carry,
        )


def build(problem: Problem, recipe: Recipe) -> Private:
    """Return the named algorithm before the first round, with exact noise unless it is for simulation."""
    known = algorithm(recipe["algorithm"])
    if not known.plays(problem):
        instead = FACES.get(type(known.problem), "LiveRun")
        here = f", but here {problem} are played" if isinstance(problem, type(known.problem)) else f": use {instead}"
        raise DiscreetError(f"algorithm is {known.name}, which plays {known.problem}{here}.")
    setting = Setting(
        problem,
        rounds=recipe["horizon"],
        epsilon=recipe["epsilon"],
        delta=recipe["delta"],
        bounds=make_range(recipe["low"], recipe["high"]),
    )
    private = known.build(setting, **recipe["options"]).private
    return private if recipe["simulation"] else exactly(private)


def exactly(private: Private) -> Private:
    """Return a twin with exact noise. Only a run may use it: it sees to it that nothing is released twice."""
    if private.channel.rounds_seen() > 0:
        raise DiscreetError("the channel has seen rounds, but live use begins before the first: build it again.")
    twin = kernel.copy(private)
    return twin._replace(channel=twin.channel.live())


def noise_words(plan: Plan) -> str:
    """Return which noise is drawn."""
    if not plan.private.channel.noise_scales:
        return "no noise"
    return "simulation only: floating-point noise" if plan.simulation else "live: exact noise"
