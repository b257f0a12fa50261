"""Live use: one run for every problem, in memory or in a file, and a face of it for each problem."""

from discreet.live.advisor import Advisor
from discreet.live.bandit import Bandit, Decision
from discreet.live.best_arm_search import BestArmSearch
from discreet.live.device import Device
from discreet.live.experts import Experts, Trust
from discreet.live.local_server import LocalServer
from discreet.live.optimizer import Optimizer
from discreet.live.points import Point
from discreet.live.progress import Progress
from discreet.live.run import LiveRun
from discreet.live.vector_optimizer import VectorOptimizer

__all__ = [
    "Advisor",
    "Bandit",
    "BestArmSearch",
    "Decision",
    "Device",
    "Experts",
    "LiveRun",
    "LocalServer",
    "Optimizer",
    "Point",
    "Progress",
    "Trust",
    "VectorOptimizer",
]
