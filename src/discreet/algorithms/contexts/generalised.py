"""Optimism for generalised linear models, without privacy and from reports of devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from discreet.algorithms.contexts.linear import ReportNoise, reporting
from discreet.algorithms.contexts.widths import (
    PRACTICE,
    UNPROVED,
    Factors,
    effective,
    fit_times,
    looks_for,
    upsilon,
)
from discreet.algorithms.papers import GLOC, PRIV_UNIT, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import GlmMoments, Moments
from discreet.channels.glm_moments import IdentityLink, Link, LogisticLink, PoissonLink
from discreet.errors import check_range
from discreet.learners.contexts.glm_ucb import GlmUcb
from discreet.learners.contexts.linear_ucb import NO_LOOKS, FitSchedule, Looks
from discreet.mechanisms import Silent
from discreet.on_device import OnDevice
from discreet.policies import Optimistic
from discreet.problems import Contexts

LinkName = Literal["logistic", "poisson", "identity"]


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
    title="optimism for generalised linear rewards",
    problem=Contexts(),
    citation=GLOC,
    stochastic=True,
)
def glm_ucb(
    setting: Setting[Contexts], *, link: LinkName = "logistic", width: float = 1.0
) -> Instance:
    """GLOC with the published model as its online learner, without privacy."""
    problem, found = setting.problem, link_named(link)
    plain = Moments.calibrated(
        dimension=problem.dimension, noise=Silent(), bounds=setting.bounds, norm=problem.norm
    )
    times = fit_times(setting.rounds)
    ones = np.ones(times.size)
    schedule = FitSchedule(
        times,
        ones,
        check_range("width", width, 0.0, 1e9) * math.sqrt(problem.dimension) * ones,
        np.zeros(times.size),
    )
    return _instance(setting, plain, found, schedule, NO_LOOKS, recency=0.0)


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
    shift: float = PRACTICE.shift,
    reach: float = PRACTICE.reach,
    recency: float = PRACTICE.recency,
    look: float = PRACTICE.look,
) -> Instance:
    """Zheng et al. 2020, Algorithm 3, corrected: x x' and the residual times x are one report, with one noise."""
    problem, found = setting.problem, link_named(link)
    plain = reporting(setting, noise or "cap", balance)
    factors = Factors(shift, 0.0, reach, recency, look).checked()
    times = fit_times(setting.rounds)
    spread = plain.noise.deviation(plain.release_size())
    shifts = shift * upsilon(
        problem.dimension,
        setting.rounds,
        spread / plain.diagonal * np.sqrt(effective(times, recency)),
    )
    schedule = FitSchedule(times, shifts, np.zeros(times.size), reach / found.slope * shifts)
    looks = looks_for(
        problem.dimension, setting.rounds, spread / plain.diagonal, spread / plain.linear, factors
    )
    return _instance(setting, plain, found, schedule, looks, recency=recency)


def _instance(
    setting: Setting[Contexts],
    plain: Moments,
    link: Link,
    schedule: FitSchedule,
    looks: Looks,
    *,
    recency: float,
) -> Instance:
    """Return the algorithm with these reports, of which nothing is proved."""
    size = setting.problem.dimension
    learner = GlmUcb.correcting(
        dimension=size, schedule=schedule, slope=link.slope, recency=recency, looks=looks
    )
    return Instance(
        private=OnDevice(
            channel=GlmMoments.over(plain, link), policy=Optimistic(), learner=learner
        ),
        parameters={
            "link": type(link).__name__.removesuffix("Link").lower(),
            "noise": plain.noise.kind,
            "fits": len(schedule.times),
        },
        regret_bound=None,
        bound_source=UNPROVED,
    )
