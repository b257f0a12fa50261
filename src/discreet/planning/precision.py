"""How precisely a study estimates the difference between the best arm and the next."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.algorithms import algorithm
from discreet.contracts import Floats, Generator, Protected
from discreet.errors import DiscreetError
from discreet.estimates import Design, half_width
from discreet.guarantee import Json
from discreet.mechanisms import Laplace
from discreet.planning.question import Question
from discreet.private import Private
from discreet.problems import ArmGame, ArmsEnvironment
from discreet.simulation.coverage import interval_widths, keep_releases
from discreet.simulation.late import make_late

if TYPE_CHECKING:  # findings.py imports this module
    from discreet.planning.findings import Plan

LEVEL = 0.95
TRIALS = 24
OUTCOMES_IN_ALL = 2_000_000  # longer studies get fewer simulations
FEWEST = 6
SHORT = 20_000  # rounds up to which compiling would take longer than playing
WORST = 2.0  # the width of a vacuous interval for a difference


class Precision(NamedTuple):
    """Half-widths of 95 % intervals for the difference, in the units of the outcomes."""

    epsilon: float
    learning: float  # average of anytime intervals from the releases of the recommended algorithm
    equal: float  # equal allocation and one release at the end
    trials: int

    def to_json(self) -> Json:
        """Return all fields by name."""
        return dict(self._asdict())


class RoleArms(ArmsEnvironment):
    """Arms with the distributions of a plan, which do not change."""

    on_unit_scale = True

    distributions: Any  # one for each arm

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop, as fractions of the range."""
        losses = rng.random((stop - start, self.arms))
        for arm, distribution in enumerate(self.distributions):
            losses[:, arm] = distribution.draw(losses[:, arm])
        return ArmGame(losses)

    def fixed_means(self) -> Floats:
        """Return the mean of every arm."""
        return np.array([each.mean for each in self.distributions])


def precision_of(question: Question, name: str) -> Mapping[float, Precision]:
    """Return the precision at each epsilon; nothing if there are no estimates."""
    if question.sees_all:
        return {}
    found = {}
    for epsilon in question.epsilons:
        private = algorithm(name).build(question.setting(epsilon)).private
        try:
            assert isinstance(private, Private), "the candidates are"
            design = Design(private, arms=question.arms, rounds=question.rounds)
        except DiscreetError:
            return {}
        found[epsilon] = _measured(question, epsilon, private, design)
    return found


def _measured(
    question: Question,
    epsilon: float,
    private: Private,
    design: Design,
) -> Precision:
    rounds, arms, limit = question.rounds, question.arms, math.log(1.0 / (1.0 - LEVEL))
    trials = max(FEWEST, min(TRIALS, OUTCOMES_IN_ALL // (rounds * arms)))
    if question.trials is not None:
        trials = min(trials, question.trials)
    order = np.argsort([each.mean for each in question.distributions], kind="stable")
    ranked = [question.distributions[role] for role in order]
    widths = []
    for trial in range(trials):
        # the best arm takes each position in turn: no order of trying arms has an advantage
        places = [(role + trial) % arms for role in range(arms)]
        by_arm = [ranked[places.index(arm)] for arm in range(arms)]
        game = RoleArms(arms, by_arm)
        (kept,) = keep_releases(
            private,
            game,
            rounds=rounds,
            trials=1,
            seed=question.seed,
            first=trial,
            bounds=question.bounds,
            compiled=rounds > SHORT,
            wrapped=functools.partial(_delayed, question, game),
        )
        widths.append(interval_widths(design, kept, (places[0], places[1]), limit)[2])
    each = max(1, rounds // arms)
    equal = min(half_width([each, each], Laplace(1.0 / epsilon), LEVEL), WORST / 2.0)
    width = question.bounds.width
    return Precision(epsilon, float(np.mean(widths)) / 2.0 * width, equal * width, trials)


def _delayed(question: Question, game: RoleArms, private: Private) -> Protected:
    """Return a private learner whose outcomes arrive as late as in the study."""
    arrivals = question.arrivals
    if arrivals is None:
        return private
    return make_late("the plan", private, arrivals, game, question.rounds, question.bounds)


def precision_words(plan: Plan) -> str:
    """Return the precision of the difference, in sentences; nothing if it is unknown."""
    found = plan.precision.get(plan.epsilon)
    if found is None:
        return ""
    vague = found.learning >= 0.95 * plan.question.bounds.width
    learning = (
        f"{plan.recommended} alone reveals almost nothing about the difference between the best "
        "arm and the next"
        if vague
        else f"the difference between the best arm and the next will be known to ± "
        f"{found.learning:.2g}"
    )
    return (
        f"at epsilon {found.epsilon:g}, {learning} (95 % interval from what {plan.recommended} "
        f"releases, valid at all times; average of {found.trials} simulated studies). Equal "
        f"allocation with one release at the end would give ± {found.equal:.2g}, and a hold-out "
        "costs no epsilon (docs/estimates.md)."
    )
