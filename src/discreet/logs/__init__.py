"""Logged data: decisions that were made at random, and estimates for other policies."""

from discreet.logs.evaluation import Evaluation, evaluate
from discreet.logs.fixed_policies import ArmShares, FixedPolicy, LinearScores, UniformPolicy
from discreet.logs.log import Log
from discreet.logs.private_evaluation import PrivateEvaluation, release_evaluation

__all__ = [
    "ArmShares",
    "Evaluation",
    "FixedPolicy",
    "LinearScores",
    "Log",
    "PrivateEvaluation",
    "UniformPolicy",
    "evaluate",
    "release_evaluation",
]
