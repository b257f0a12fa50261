"""Play two neighbouring inputs alternately in live runs, and measure each operation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from discreet.auditing.measured_times import Measured
from discreet.contracts import Generator, Server
from discreet.contracts.passing import Action, Observation, Query, Release, Trace
from discreet.learners.wrapping import Wrapping
from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import ArmsClient
from discreet.live.client import LiveClient
from discreet.live.contextual import ContextualBandit
from discreet.live.experts import Advisor, Experts
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.live.slates import SlateBandit

# Between an outcome and its deadline a processor does other work, so its caches do not show whether
# an outcome was told a microsecond ago. A round of another run, and reading this, simulate that: 2
# MB, more than the cache of a core. It is not zeros, which the system would not give any memory.
ELSEWHERE = np.ones(1 << 18)
WARM = 20  # trials of a new run that are not counted: caches and branch predictors adapt
FEWEST = 4  # ... if a run has few rounds
LENGTH = 4  # rounds of a batch if the learner chooses: trials with other lengths are not comparable
SILENT = None  # the outcome does not arrive before its deadline
MEASURED = ("its tell", "the last tell of its batch", "all tells of its batch", "the next ask")
WAITING = ("its tell", "the releases after its deadline", "the next ask")


class SameRelease(Wrapping[Action, Trace, Release, Query, Observation]):
    """Always hands the learner the same value: the first that was released.

    The time a learner takes depends on the released value, which the guarantee covers anyway. So
    the audit compares times for equal released values only. ``kept`` holds the first value and the
    last one. For the same reason, all batches have one length, even if the learner chooses lengths.
    """

    compiles = False

    kept: list[Release]

    def learn(self, trace: Trace, released: Release) -> None:
        """Let the learner learn from the first released value."""
        value = released.copy() if isinstance(released, np.ndarray) else released
        kept = self.kept
        if not kept:
            kept += [value, value]
        kept[1] = value
        self.learner.learn(trace, kept[0])

    def patience(self, trace: Trace) -> int:
        """Hold an action for ``LENGTH`` rounds if the learner chooses, else as the channel says."""
        return LENGTH if self.learner.patience(trace) > 0 else 0

    @property
    def model(self) -> object:
        """The model that a server publishes."""
        assert isinstance(self.learner, Server), "only contextual policies use it"
        return self.learner.model


class Neighbours(NamedTuple):
    """Two inputs that differ in one outcome: the first of a batch, or the last."""

    others: object  # every other outcome of the batch
    first: object
    second: object
    last: bool
    text: str


class TimedPlayer:
    """Plays batches of fresh runs, and measures how long each operation takes."""

    def __init__(self, subject: LiveClient | LiveRun, kind: type[LiveRun]) -> None:
        plan = subject.plan
        self._kept: list[Any] = []
        learner = SameRelease(plan.private.learner, self._kept)
        self._subject, self._kind = subject, kind
        self._plan: RunPlan = plan._replace(
            private=plan.private._replace(learner=learner), rebuild=None
        )
        self._now, self._left = 0.0, 0
        self.rounds = min(plan.rounds_of(0), plan.private.channel.max_rounds())
        self.measured = MEASURED if plan.wait is None else WAITING
        self._keyword = "losses" if isinstance(subject, Experts | SlateBandit) else "loss"

    def start(self) -> None:
        """Begin a new run, and another one that is played between an outcome and its deadline."""
        self._left = self.rounds
        self._run, self._ask, self._tell = self._new_run()
        if self._plan.wait is not None:
            _, self._ask_elsewhere, self._tell_elsewhere = self._new_run()

    def _new_run(self) -> tuple[LiveRun, Callable[[], Any], Callable[[Any, Any], object]]:
        """Return a run, and functions that ask and tell it."""
        run = self._kind.start(self._plan, {}, clock=lambda: self._now)
        subject, observation = self._subject, self._plan.observation
        if isinstance(subject, LiveRun):
            return run, lambda: run.ask(observation), run.tell
        client = type(subject).__new__(type(subject))
        client._enter(subject._recipe, run)
        ask, told, keyword = client.ask, client.tell, self._keyword  # type: ignore[attr-defined]
        if isinstance(subject, Advisor):
            advice = np.ascontiguousarray(np.asarray(observation).T)
            ask = lambda: client.ask(advice)  # type: ignore[attr-defined]  # noqa: E731
        elif isinstance(client, ContextualBandit):
            features = client.features
            context = np.zeros(features.context) if features.context else None
            rows = np.zeros((len(features.arms), features.arm_features))
            own = rows if features.arm_features else None
            ask = lambda: client.ask(context, arm_features=own)  # noqa: E731
        elif isinstance(client, BestArmSearch):  # skips the check whether the answer is known
            ask = lambda: ArmsClient.ask(client)  # noqa: E731
        return run, ask, lambda decision, outcome: told(decision, **{keyword: outcome})

    def fresh(self, hold: int) -> bool:
        """Start a new run if this one has too few rounds left; return whether it did."""
        if self._left < fewest_rounds(hold):
            self.start()
            return True
        return False

    def play(self, neighbours: Neighbours, which: int) -> list[float]:
        """Play one batch with one of the two inputs.

        Returns durations, the released value, and the size of the batch.
        """
        clock, run = time.perf_counter_ns, self._run
        changed = neighbours[1 + which]
        decisions = [self._ask()]
        left = run._store.rows.counters[2]
        decisions += [self._ask() for _ in range(left)]
        self._left -= len(decisions)
        position = len(decisions) - 1 if neighbours.last else 0
        spent, tell, others = [], self._tell, neighbours.others
        for place, decision in enumerate(decisions):
            outcome = changed if place == position else others
            if outcome is SILENT:
                spent.append(0)
                continue
            fresh = renewed(outcome)
            begun = clock()
            tell(decision, fresh)
            spent.append(clock() - begun)
        if self._plan.wait is None:
            found = [spent[position], spent[-1], sum(spent)]
        else:
            self._tell_elsewhere(self._ask_elsewhere(), others)
            ELSEWHERE.sum()
            self._now += 2.0 * self._plan.wait
            begun = clock()
            run.release_due()
            found = [spent[position] * (SILENT not in neighbours[1:3]), clock() - begun]
        released = float(np.sum(self._kept[1])) if self._kept else 0.0
        begun = clock()
        decision = self._ask()
        found.append(clock() - begun)
        # this began another batch: finish it without measuring
        for waiting in [decision] + [self._ask() for _ in range(run._store.rows.counters[2])]:
            self._left -= 1
            tell(waiting, others)
        if self._plan.wait is not None:
            self._now += 2.0 * self._plan.wait
            run.release_due()
        return [*found, released, float(len(decisions))]


def fewest_rounds(hold: int) -> int:
    """Return the rounds of a trial with batches of this size: two batches, and one more ask."""
    return 2 * hold + 2


def renewed(outcome: object) -> object:
    """Return the same outcome as a new object.

    An object that was just used would be in the processor's cache, another would not. In real use
    this reveals nothing, since outcomes are new objects in every round.
    """
    if isinstance(outcome, float):
        return outcome * 1.0
    return [renewed(each) for each in outcome] if isinstance(outcome, list) else outcome


def measure(player: TimedPlayer, neighbours: Neighbours, trials: int, rng: Generator) -> Measured:
    """Play both inputs alternately, in random order."""
    orders = rng.integers(2, size=trials)
    durations = np.empty((2, trials, len(player.measured)))
    releases, sizes = np.empty((2, trials)), np.empty((2, trials))
    hold = 1
    for trial, first in enumerate(orders.tolist()):
        if trial == 0 or player.fresh(hold):
            if trial == 0:
                player.start()
            before = player._left
            for spare in range(WARM):
                if player._left < 6 * hold and spare >= FEWEST:
                    break
                player.play(neighbours, int(rng.integers(2)))
                hold = max(hold, before - player._left)
                before = player._left
        for which in (first, 1 - first):
            before = player._left
            *times, releases[which, trial], sizes[which, trial] = player.play(neighbours, which)
            durations[which, trial] = times
            hold = max(hold, before - player._left)
    return Measured(durations, releases, sizes)
