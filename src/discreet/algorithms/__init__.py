"""The named algorithms: a channel, a learner, their parameters, a guarantee, a regret bound and a citation each."""

from discreet.algorithms import advice, arms, points
from discreet.algorithms.citing import cite
from discreet.algorithms.registry import Algorithm, Instance, Setting, algorithm, algorithms

__all__ = ["Algorithm", "Instance", "Setting", "advice", "algorithm", "algorithms", "arms", "cite", "points"]
