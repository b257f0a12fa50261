"""Zheng et al. 2020, Algorithm 3, as printed: three noisy parts of every record."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet import OnDevice
from discreet.algorithms import Instance, Setting, contexts
from discreet.channels import GlmMoments, Moments
from discreet.contracts import Floats, Record
from discreet.learners import GlmDescent
from discreet.lengths import check_query
from discreet.mechanisms import Gaussian
from discreet.policies import Optimistic
from discreet.problems import Contexts
from discreet.sensitivities import predicted_moments
from discreet_papers.calibrations.claims import check_noise, printed

TINY = 1e-140  # contexts shorter than this count as 0, as in other reports


class ThreeReports(GlmMoments):
    """Reports x x', z x and (g(z) - y) x of every round, each with its own noise.

    θ is the query, shortened to a length of at most 1; z = ⟨x, θ⟩. The noise on the last part is C
    times that on the others, C the largest mean; off the diagonal of x x' it is as on the diagonal.

    Formal guarantee: in units of σ, replacing a record moves all parts together by at most
    ``movement`` (docs/proofs.md: Moments). It is Gaussian noise for simulation only.

    >>> ThreeReports.example().guarantee.short
    '(0.270..., 1e-06)-differential privacy'
    """

    @classmethod
    def printed(
        cls, setting: Setting[Contexts], link: contexts.Link, epsilon: float, delta: float
    ) -> Self:
        """Return the channel with the paper's noise."""
        problem = setting.problem
        sigma = 6.0 * math.sqrt(2.0 * math.log(3.75 / delta)) / epsilon
        plain = Moments.calibrated(
            dimension=problem.dimension,
            noise=Gaussian(sigma, delta),
            bounds=setting.bounds,
            norm=problem.norm,
        )
        entries = plain.released.size + problem.dimension
        weighted = plain._replace(
            diagonal=1.0,
            off_diagonal=1.0,
            linear=1.0 / link.mean(1.0),
            released=np.zeros(entries),
        )
        return cls.over(weighted, link)

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        setting = Setting(Contexts(3, 3), epsilon=1.0, delta=1e-6)
        return cls.printed(setting, contexts.link_named("logistic"), 1.0, 1e-6)

    def statistic(self, feedback: Record, query: Floats, vector: Floats) -> None:
        """Write the three parts, one after the other."""
        check_query(query.size, self.dimension)
        self.form(feedback, vector)  # the first part; the others are overwritten
        size, features = self.dimension, feedback.features
        total, along, longest = 0.0, 0.0, 0.0
        for i in range(size):
            total += float(features[i]) * float(features[i])
            along += float(query[i]) * float(features[i])
            longest += float(query[i]) * float(query[i])
        factor, error = 0.0, 0.0
        if TINY * TINY <= total < math.inf:
            factor = 1.0 / max(math.sqrt(total), self.norm)
            along *= factor / max(1.0, math.sqrt(longest))
            along = min(1.0, max(-1.0, along)) if along == along else 0.0
            gain = 1.0 - self.bounds.fraction(self.bounds.clamp(feedback.outcome))
            error = (self.link.mean(along) - gain) * self.linear
        last = vector.size - size
        for i in range(size):
            part = factor * features[i] if factor > 0.0 else 0.0
            vector[last - size + i] = along * part if factor > 0.0 else 0.0
            vector[last + i] = error * part

    def movement(self) -> float:
        """Return how far replacing a record moves the three parts, in units of the noise."""
        return predicted_moments(
            dimension=self.dimension,
            largest=self.link.largest_error(),
            matrix_scale=1.0,
            prediction_scale=1.0,
            vector_scale=1.0 / self.linear,
        )


class PrintedDescent(GlmDescent):
    """Algorithm 3 as printed: S adds up the reported z x."""

    def release_size(self) -> int:
        """Return the number of entries of a report."""
        return self.vector.size * (self.vector.size + 5) // 2

    def absorb(self, released: Floats, kept: float) -> None:
        """Add x x' and z x; then move the point."""
        size, place = self.vector.size, 0
        for i in range(size):
            for j in range(i + 1):
                self.matrix[i, j] += released[place]
                place += 1
        for i in range(size):
            self.vector[i] += released[place + i]
        self.descend(released)


@printed("local-glm")
def local_glm(
    setting: Setting[Contexts],
    *,
    link: contexts.LinkName = "logistic",
    noise: contexts.ReportNoise | None = None,
) -> Instance:
    """Algorithm 3: ζ = 1 / sqrt(T), c = 2 Υ, β² = (C σ / μ) sqrt(d t), without the logarithms.

    The paper prints ζ and β² up to constants, which are taken as 1.
    """
    check_noise(noise, "gaussian")
    problem, rounds, delta = setting.problem, setting.rounds, contexts.need_delta(setting)
    d, times, found = problem.dimension, contexts.fit_times(rounds), contexts.link_named(link)
    channel = ThreeReports.printed(setting, found, setting.epsilon, delta)
    sigma, t = channel.noise.scale, times.astype(np.float64)
    rare = math.log(2.0 * rounds / contexts.FAILURE)
    most = sigma * np.sqrt(t) * (4.0 * math.sqrt(d) + 2.0 * rare)
    widths = np.sqrt(found.mean(1.0) * sigma / found.slopes()[0] * np.sqrt(d * t))
    schedule = contexts.FitSchedule(times, 2.0 * most, widths, np.zeros(t.size))
    step = 1.0 / math.sqrt(rounds)
    learner = PrintedDescent.descending(dimension=d, schedule=schedule, step=step)
    return Instance(
        private=OnDevice(channel=channel, policy=Optimistic(), learner=learner),
        parameters={
            "link": link,
            "noise": "gaussian",
            "constants": "paper",
            "fits": len(schedule.times),
            "step": step,
            "shift": float(schedule.shifts[-1]),
            "width": float(schedule.widths[-1]),
        },
        regret_bound=None,
        bound_source="none is stated for the printed constants: see discreet errata",
    )
