"""Rewards that are linear in the features of an arm, or follow a logistic curve."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import ContextGame, Contexts, ContextsEnvironment

THETA, FEATURES, COINS = 20, 21, 22  # purposes of random numbers


def hidden_direction(rng: Generator, dimension: int) -> Floats:
    """Return the unit vector θ of this trial."""
    from scipy.special import ndtri

    theta = ndtri(uniforms(rng, 0, 1, dimension, purpose=THETA)[0])
    found: Floats = theta / np.linalg.norm(theta)
    return found


def gaussian_features(rng: Generator, start: int, stop: int, scales: Floats, arms: int) -> Floats:
    """Return normal features with these standard deviations.

    The features of an arm are shortened to a length of at most 1.
    """
    from scipy.special import ndtri

    size = scales.size
    normal = (
        ndtri(uniforms(rng, start, stop, arms * size, purpose=FEATURES)).reshape(-1, arms, size)
        * scales
    )
    lengths = np.sqrt(np.einsum("tad,tad->ta", normal, normal))
    found: Floats = normal / np.maximum(1.0, lengths)[:, :, None]
    return found


@register_environment(
    "contexts-gaussian",
    title="normal features, and rewards that are linear in them",
    problem=Contexts,
)
class ContextsGaussian(ContextsEnvironment):
    """N normal features of variance 1 / N for every arm, shortened to a length of at most 1.

    A reward is 1 with probability (1 + ⟨x, θ⟩) / 2, else 0; θ is a unit vector that differs from
    trial to trial. With a norm other than 1 features are multiplied by it.
    """

    def scales(self) -> Floats:
        """Return the standard deviation of every feature."""
        return np.full(self.dimension, 1.0 / math.sqrt(self.dimension))

    def mean_share(self, along: Floats) -> Floats:
        """Return the probability of a reward for ⟨x, θ⟩."""
        return 0.5 + 0.5 * along

    def deal(self, start: int, stop: int, rng: Generator) -> ContextGame:
        """Return rounds start to stop."""
        features = gaussian_features(rng, start, stop, self.scales(), self.arms)
        means = self.mean_share(features @ hidden_direction(rng, self.dimension))
        return self.played(features, means, uniforms(rng, start, stop, 1, purpose=COINS)[:, 0])


@register_environment(
    "contexts-skewed",
    title="as contexts-gaussian, with features of very different sizes",
    problem=Contexts,
)
class ContextsSkewed(ContextsGaussian):
    """As contexts-gaussian, but each feature has half the variance of the one before.

    The variances sum to 1. Some directions are hardly ever seen, so they are learned late.
    """

    def scales(self) -> Floats:
        """Return the standard deviation of every feature."""
        sizes = 2.0 ** (-np.arange(self.dimension) / 2.0)
        found: Floats = sizes / np.linalg.norm(sizes)
        return found


@register_environment(
    "contexts-logistic",
    title="normal features, and rewards with a logistic curve",
    problem=Contexts,
)
class ContextsLogistic(ContextsGaussian):
    """As contexts-gaussian, but a reward is 1 with probability 1 / (1 + exp(-⟨x, θ⟩))."""

    def mean_share(self, along: Floats) -> Floats:
        """Return the probability of a reward for ⟨x, θ⟩."""
        return 1.0 / (1.0 + np.exp(-along))


@register_environment(
    "contexts-fixed",
    title="the same features in every round: a bandit in disguise",
    problem=Contexts,
)
class ContextsFixed(ContextsEnvironment):
    """Arm i always has the i-th unit vector as its features: a bandit in disguise.

    Nothing is learned about an arm that is not played. One arm, which differs from trial to trial,
    has the mean reward (1 + ``top``) / 2, all others (1 + ``others``) / 2. A learner that relies on
    diverse contexts to explore can lock in on a wrong arm here. It needs as many features as arms.
    """

    top: float = 0.5
    others: float = 0.2

    def deal(self, start: int, stop: int, rng: Generator) -> ContextGame:
        """Return rounds start to stop."""
        if self.dimension < self.arms:
            raise DiscreetError(
                f"dimension is {self.dimension}, but contexts-fixed needs one feature for each of "
                f"{self.arms} arms."
            )
        rounds = stop - start
        means = np.full(self.arms, 0.5 + 0.5 * check_range("others", self.others, -1.0, 1.0))
        chosen = int(uniforms(rng, 0, 1, 1, purpose=THETA)[0, 0] * self.arms)
        means[chosen] = 0.5 + 0.5 * check_range("top", self.top, -1.0, 1.0)
        losses = np.broadcast_to(1.0 - means, (rounds, self.arms)).copy()
        coins = uniforms(rng, start, stop, 1, purpose=COINS)
        outcomes = (coins < losses).astype(np.float64)
        table = self.norm * np.eye(self.arms, self.dimension)[None]
        return ContextGame(losses, outcomes, table, np.zeros(rounds, np.int64))
