"""The jobs of simulations: everything a trial needs except its number."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from componentjit import compiling_for
from componentjit.lanes import NotVectorizable
from discreet.contracts import Protected
from discreet.problems import Environment
from discreet.ranges import Range
from discreet.simulation.backends import choose_backend, run_trials, trials_at_once
from discreet.simulation.executors import Gave
from discreet.simulation.loop import Prototype
from discreet.simulation.side_by_side import Way, Ways, lanes_of
from discreet.simulation.trial import TrialOutcome, checkpoints


@dataclass(frozen=True, kw_only=True)
class TrialByTrial(ABC, Generic[Gave]):
    """A job whose trials are played one after the other."""

    labels: tuple[str, ...]
    privates: tuple[Protected, ...]
    rounds: int
    seed: int
    bounds: Range

    @abstractmethod
    def trial(
        self, number: int, privates: tuple[Protected, ...], rounds: int, stop: threading.Event
    ) -> Gave | None:
        """Play one trial, or return None if told to stop before its end."""

    def compile(self) -> None:
        """Let every player play two rounds."""
        for label, private in zip(self.labels, self.privates, strict=True):
            with compiling_for(label):
                self.trial(0, (private,), 2, threading.Event())

    def at_once(self) -> int:
        """Return how many trials are best played together."""
        return 1

    def play(self, trials: range, stop: threading.Event) -> list[Gave] | None:
        """Play some trials in order; return None if told to stop before the end."""
        found = []
        for number in trials:
            outcome = self.trial(number, self.privates, self.rounds, stop)
            if outcome is None:
                return None
            found.append(outcome)
        return found


@dataclass(frozen=True, kw_only=True)
class RegretJob:
    """Games of a fixed length and their players; trials are vectorised where that pays."""

    labels: tuple[str, ...]
    privates: tuple[Protected, ...]
    environment: Environment
    rounds: int
    seed: int
    bounds: Range
    clip: bool
    trials: int  # that are asked for
    threads: int  # of one process

    @cached_property
    def ways(self) -> Ways:
        """The backend of every contender, compiled now if necessary."""
        return tuple(self._way(*who) for who in zip(self.labels, self.privates, strict=True))

    def _way(self, label: str, private: Protected) -> Way:
        asked = self.environment, self.rounds, self.trials, self.bounds
        with compiling_for(label):
            way = choose_backend(private, *asked, clip=self.clip, threads=self.threads)
            if isinstance(way, Prototype) and way.compiled:
                self._run((private,), 2, range(1), threading.Event(), (way,))
            return way

    def __getstate__(self) -> dict[str, object]:
        """Do not pickle compiled code."""
        return {name: value for name, value in self.__dict__.items() if name != "ways"}

    def compile(self) -> None:
        """Compile all loops."""
        assert len(self.ways) == len(self.privates)

    def compile_every_way(self) -> None:
        """Compile the loops for single trials and those for lanes, even those not needed here."""
        for label, private in zip(self.labels, self.privates, strict=True):
            with compiling_for(label):
                self._run((private,), 2, range(1), threading.Event(), ())
                with contextlib.suppress(NotVectorizable):
                    program = lanes_of(private, self.environment, self.bounds)
                    program.compile()
                    self._run(
                        (private,), 2, range(1), threading.Event(), (program,)
                    )  # games have their own loop

    def at_once(self) -> int:
        """Return how many trials are best played together."""
        return trials_at_once(self.ways, self.rounds, self.trials, threads=self.threads)

    def play(self, trials: range, stop: threading.Event) -> list[TrialOutcome] | None:
        """Play some trials in order; return None if told to stop before the end."""
        return self._run(self.privates, self.rounds, trials, stop, self.ways)

    def _run(
        self,
        privates: tuple[Protected, ...],
        rounds: int,
        trials: range,
        stop: threading.Event,
        ways: Ways,
    ) -> list[TrialOutcome] | None:
        return run_trials(
            privates,
            self.environment,
            checkpoints(rounds),
            seed=self.seed,
            trials=trials,
            bounds=self.bounds,
            clip=self.clip,
            stop=stop,
            ways=ways,
        )
