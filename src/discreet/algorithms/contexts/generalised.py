"""Optimism for generalised linear models, without privacy and from reports of devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from discreet.algorithms.contexts.linear import ReportNoise, reporting
from discreet.algorithms.contexts.widths import UNPROVED, effective, fit_times, upsilon
from discreet.algorithms.papers import GLOC, PRIV_UNIT, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import GlmMoments, Moments
from discreet.channels.links import IdentityLink, Link, LogisticLink, PoissonLink
from discreet.learners.contexts.glm_ucb import GlmUcb
from discreet.learners.contexts.linear_ucb import Schedule
from discreet.mechanisms import Silent
from discreet.on_device import OnDevice
from discreet.policies import Optimistic
from discreet.problems import Contexts

LinkName = Literal["logistic", "poisson", "identity"]
SHIFT, REACH, RECENCY = 1.5, 0.3, 1.0  # as for local-linucb


def link_named(name: str) -> Link:
    """Return the link of this name."""
    kinds: dict[str, Callable[[], Link]] = {
        "logistic": LogisticLink.start,
        "poisson": PoissonLink.start,
        "identity": IdentityLink.start,
    }
    return kinds[name]()


@register_algorithm(
    name="glm-ucb",
    title="optimism for generalised linear rewards, by gradient steps",
    problem=Contexts(),
    citation=GLOC,
    stochastic=True,
)
def glm_ucb(setting: Setting[Contexts], *, link: LinkName = "logistic", width: float = 1.0) -> Instance:
    """GLOC with gradient steps in the place of Newton steps, without privacy."""
    problem, found = setting.problem, link_named(link)
    plain = Moments.calibrated(dimension=problem.dimension, noise=Silent(), bounds=setting.bounds, norm=problem.norm)
    times = fit_times(setting.rounds)
    ones = np.ones(times.size)
    schedule = Schedule(times, ones, width * math.sqrt(problem.dimension) * ones, np.zeros(times.size))
    return _instance(setting, plain, found, schedule, noise=0.0, recency=0.0)


@register_algorithm(
    name="local-glm",
    twin="glm-ucb",
    title="optimism for generalised linear rewards, from noisy reports",
    problem=Contexts(),
    citation=ZHENG,
    builds_on=(GLOC, PRIV_UNIT),
    stochastic=True,
)
def local_glm(
    setting: Setting[Contexts],
    *,
    link: LinkName = "logistic",
    noise: ReportNoise | None = None,
    balance: float = 2.0,
    shift: float = SHIFT,
    reach: float = REACH,
    recency: float = RECENCY,
) -> Instance:
    """Zheng et al. 2020, Algorithm 3, corrected: x x' and the gradient are one report, with one noise."""
    problem, found = setting.problem, link_named(link)
    plain = reporting(setting, noise or "cap", balance)
    times = fit_times(setting.rounds)
    spread = plain.noise.deviation(plain.release_size())
    shifts = shift * upsilon(
        problem.dimension, setting.rounds, spread / plain.diagonal * np.sqrt(effective(times, recency))
    )
    schedule = Schedule(times, shifts, np.zeros(times.size), reach * shifts)
    return _instance(setting, plain, found, schedule, noise=spread / plain.linear * found.residual, recency=recency)


def _instance(
    setting: Setting[Contexts], plain: Moments, link: Link, schedule: Schedule, *, noise: float, recency: float
) -> Instance:
    """Return the algorithm with steps for gradients whose entries have this much noise."""
    size = setting.problem.dimension
    step = 2.0 / math.sqrt(setting.rounds * (link.residual**2 + size * noise**2))
    learner = GlmUcb.descending(dimension=size, schedule=schedule, step=step, residual=link.residual, recency=recency)
    return Instance(
        private=OnDevice(channel=GlmMoments.over(plain, link), policy=Optimistic(), learner=learner),
        parameters={
            "link": type(link).__name__.removesuffix("Link").lower(),
            "noise": plain.noise.kind,
            "step": step,
            "fits": len(schedule.times),
        },
        regret_bound=None,
        bound_source=UNPROVED.replace(" (constants=theory has those of the analysis)", ""),
    )
