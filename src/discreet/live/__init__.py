"""Live use: one run for every problem, in memory or in a store, and one class for each problem."""

from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import Bandit
from discreet.live.client import LiveClient
from discreet.live.closing import close_on_sigterm
from discreet.live.contextual import ContextualBandit
from discreet.live.decisions import Decision, HeldOutArm
from discreet.live.devices import Device
from discreet.live.exchanging import AskRequest, TellRequest
from discreet.live.experts import Advisor, Experts, Trust
from discreet.live.features import Features
from discreet.live.file_store import FileStore
from discreet.live.local_server import LocalServer, ServerProgress
from discreet.live.optimizers import Optimizer, VectorOptimizer
from discreet.live.points import Point
from discreet.live.progress import OpenDecision, Progress
from discreet.live.run import LiveRun
from discreet.live.run_options import RunOptions
from discreet.live.slates import ShownItems, SlateBandit
from discreet.live.store import MemoryStore, Store
from discreet.live.stores import register_store

__all__ = [
    "Advisor",
    "AskRequest",
    "Bandit",
    "BestArmSearch",
    "ContextualBandit",
    "Decision",
    "Device",
    "Experts",
    "Features",
    "FileStore",
    "HeldOutArm",
    "LiveClient",
    "LiveRun",
    "LocalServer",
    "MemoryStore",
    "OpenDecision",
    "Optimizer",
    "Point",
    "Progress",
    "RunOptions",
    "ServerProgress",
    "ShownItems",
    "SlateBandit",
    "Store",
    "TellRequest",
    "Trust",
    "VectorOptimizer",
    "close_on_sigterm",
    "register_store",
]
