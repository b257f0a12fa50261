"""How often a study with equal allocation and one release identifies the best arm."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.planning.games import Distribution, Ends
from discreet.planning.question import Question
from discreet.randomness import streams
from discreet.simulation.statistics import Interval, share_interval

STUDIES = 2000  # fast, because only sums are drawn
SINGLY = 2**22  # up to this many outcomes are drawn one by one; otherwise a normal mean is drawn


def named_by_equal_allocation(question: Question) -> dict[float, Interval]:
    """Return how often the best arm is identified, by epsilon; empty if all outcomes are seen.

    Every arm gets T / K rounds. At the end, the noisy mean of each arm is released once, and the
    best one is chosen. Each round is in one release, so epsilon is that of one release, with
    Laplace noise of scale 1 / epsilon on each sum. Late outcomes cost nothing; missing outcomes
    take the default.
    """
    if question.sees_all or question.rounds < question.arms:
        return {}
    each, rng = question.rounds // question.arms, streams(10 * question.seed + 3).environment
    means = np.stack(
        [mean_losses(question, role, each, rng) for role in question.distributions], axis=1
    )
    best = question.shortfall == 0.0
    found = {}
    for epsilon in question.epsilons:
        noisy = means + rng.laplace(scale=1.0 / epsilon, size=means.shape) / each
        found[epsilon] = share_interval(int(best[noisy.argmin(axis=1)].sum()), STUDIES)
    return found


def mean_losses(question: Question, role: Distribution, rounds: int, rng: Generator) -> Floats:
    """Return the mean loss of an arm in each study, as a fraction of the range."""
    arrivals = question.arrivals
    absent, default = 0.0, 0.0
    if arrivals is not None and arrivals.absent is not None:
        absent = float(arrivals.absent.mean())
        default = (arrivals.default_loss - question.low) / question.bounds.width
    if isinstance(role, Ends) and absent == 0.0:
        return np.asarray(rng.binomial(rounds, role.mean, STUDIES) / rounds)
    if rounds * STUDIES <= SINGLY:
        drawn = role.draw(rng.random((STUDIES, rounds)))
        return np.asarray(np.where(rng.random(drawn.shape) < absent, default, drawn).mean(axis=1))
    mean = (1.0 - absent) * role.mean + absent * default
    square = (1.0 - absent) * (role.deviation**2 + role.mean**2) + absent * default**2
    deviation = np.sqrt(max(square - mean**2, 0.0) / rounds)
    return np.asarray(mean + deviation * rng.standard_normal(STUDIES))
