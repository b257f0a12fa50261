"""Learners with observations, where the game of an attack shows none."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator, Protected
from discreet.contracts.passing import Action, Query, Release, Trace
from discreet.learners.wrapping import Wrapping
from discreet.problems import Problem


class FixedObservation(Wrapping[Action, Trace, Release, Query, Floats]):
    """A learner that makes the same observation in every round, whatever the game shows."""

    observation: Floats

    def act(self, observation: object, rng: Generator) -> tuple[Action, Trace]:
        """Let the learner act on the fixed observation."""
        return self.learner.act(self.observation, rng)


def with_first_observation(private: Protected, problem: Problem) -> Protected:
    """Return the private learner with the first observation of a probe of its problem."""
    return with_observation(private, problem.probe(1, np.random.default_rng(0)).observe(0))


def with_observation(private: Protected, observation: object) -> Protected:
    """Return the private learner with this observation in every round, for games that show none."""
    if isinstance(observation, int) or private.keeps_observations:
        return private
    return private._replace(
        learner=FixedObservation(private.learner, np.ascontiguousarray(np.asarray(observation)))
    )
