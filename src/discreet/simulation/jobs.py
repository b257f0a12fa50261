"""The jobs of simulations: everything that a trial needs but its number."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic

from discreet.contracts import Protected
from discreet.kernel import compiling_for
from discreet.problems import Environment
from discreet.ranges import Range
from discreet.simulation.executors import Gave
from discreet.simulation.trial import Outcome, checkpoints, run_trial


@dataclass(frozen=True, kw_only=True)
class TrialByTrial(ABC, Generic[Gave]):
    """A job whose trials are played one after the other."""

    labels: tuple[str, ...]
    privates: tuple[Protected, ...]
    rounds: int
    seed: int
    bounds: Range

    @abstractmethod
    def trial(self, number: int, privates: tuple[Protected, ...], rounds: int, stop: threading.Event) -> Gave | None:
        """Play one trial, or return None if told to stop before its end."""

    def compile(self) -> None:
        """Let everybody play two rounds."""
        for label, private in zip(self.labels, self.privates, strict=True):
            with compiling_for(label):
                self.trial(0, (private,), 2, threading.Event())

    def at_once(self) -> int:
        """Return how many trials are best played together."""
        return 1

    def play(self, trials: range, stop: threading.Event) -> list[Gave] | None:
        """Return the outcomes of some trials, in their order, or None if told to stop before their end."""
        found = []
        for number in trials:
            outcome = self.trial(number, self.privates, self.rounds, stop)
            if outcome is None:
                return None
            found.append(outcome)
        return found


@dataclass(frozen=True, kw_only=True)
class RegretJob(TrialByTrial[Outcome]):
    """Games of a fixed length, and who plays in them."""

    world: Environment
    clip: bool

    def trial(self, number: int, privates: tuple[Protected, ...], rounds: int, stop: threading.Event) -> Outcome | None:
        """Play one game."""
        return run_trial(
            privates,
            self.world,
            checkpoints(rounds),
            seed=self.seed,
            trial=number,
            bounds=self.bounds,
            clip=self.clip,
            stop=stop,
        )
