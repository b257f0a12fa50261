"""Attack what can be seen of a live run besides its numbers: when it releases, and what it shows of how it goes.

In a run with a wait time it must not matter whether and when somebody answers. So one person
answers in one world, with the very value that silence stands for, and is silent in the other: not a
single thing that is shown may then tell which.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from discreet.auditing.audit import Audit
from discreet.auditing.bounds import CONFIDENCE, Tally, epsilon_bound, largest_bound
from discreet.contracts import Generator
from discreet.errors import DiscreetError, check_int, check_range
from discreet.live.client import LiveClient
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan

SCHEDULES = 24  # are tried; the one that tells most is attacked
LOOKS = 200  # at what is shown, at fixed times
LONGEST = 2_000  # rounds of a batch
Shown = tuple[tuple[int, int, int], ...]  # at each look: releases, what is open, what waits


class Schedule(NamedTuple):
    """When everything happens that may happen: in one of the worlds the target does not answer."""

    asked: tuple[float, ...]
    told: tuple[float, ...]  # after its decision was given; infinity for silence
    looks: tuple[float, ...]
    timers: tuple[float, ...]
    target: int

    @classmethod
    def draw(cls, rounds: int, wait: float, rng: Generator) -> Schedule:
        """Return a schedule in which some answer at once, some later, some too late, some never."""
        pace = float(rng.choice([0.1, 0.5, 2.0])) * wait / rounds
        asked = np.cumsum(rng.uniform(0.5, 1.5, rounds)) * pace
        late = (
            rng.choice([0.0, 1.0, 1.5, np.inf], size=rounds, p=rng.dirichlet([8.0, 1.0, 0.5, 0.5]))
            * wait
        )
        told = np.where(late == wait, rng.uniform(0.0, wait, rounds), late)
        target = int(rng.integers(rounds))
        told[target] = rng.uniform(0.0, wait) * rng.integers(2)
        end = asked[-1] + 2.0 * wait
        timers = np.arange(1.0, end / wait + 1.0) * wait * rng.uniform(0.9, 1.1)
        looks = np.linspace(0.0, end, LOOKS)
        asked_at, told_at, looks_at, timers_at = (
            tuple(row.tolist()) for row in (asked, told, looks, timers)
        )
        return cls(asked_at, told_at, looks_at, timers_at, target)

    def events(self, silent: bool) -> Iterator[tuple[float, int, int]]:
        """Return what happens, in the order of time: 0 for asking, 1 for telling, 2 for a timer, 3 for a look."""
        told = [
            (a + d, 1, i)
            for i, (a, d) in enumerate(zip(self.asked, self.told, strict=True))
            if np.isfinite(d)
        ]
        asked = [(at, 0, i) for i, at in enumerate(self.asked)]
        seen = [(at, 2, 0) for at in self.timers] + [(at, 3, 0) for at in self.looks]
        return heapq.merge(
            sorted(e for e in told if not (silent and e[2] == self.target)), asked, sorted(seen)
        )


def audit_release_times(
    subject: LiveClient | LiveRun,
    *,
    trials: int = 400,
    seed: int = 1,
    confidence: float = CONFIDENCE,
    kind: type[LiveRun] = LiveRun,
) -> Audit:
    """Attack the times of releases, and everything else that is shown, of a run with a wait time.

    Fresh runs of the same plan are played by a clock of their own; the subject itself is left
    alone. ``kind`` is the class of runs to attack: one of your own, say.

    >>> from discreet import Bandit
    >>> batches = {"algorithm": "batched-exp3", "batch_size": 5}
    >>> bandit = Bandit(arms=2, horizon=100, epsilon=1.0, wait=60, default_loss=0.0, **batches)
    >>> audit_release_times(bandit, trials=100).violated
    False
    """
    check_int("trials", trials, least=100)
    check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {subject!r}, but must be a run that is used live.")
    plan = subject.plan
    if plan.wait is None:
        raise DiscreetError(
            "the run has no wait time: when its outcomes "
            "come is "
            "taken "
            "to be "
            "public, so "
            "nothing is "
            "claimed."
        )
    start, rng = time.perf_counter(), np.random.default_rng(check_int("seed", seed, least=0))
    hold = plan.private.channel.hold()
    if hold > LONGEST:
        raise DiscreetError(
            f"a batch has {hold} rounds, but this audit is for batches of at most {LONGEST}."
        )
    rounds = 2 * hold + 2
    schedules = [Schedule.draw(rounds, plan.wait, rng) for _ in range(SCHEDULES)]
    pairs = [
        (shown(plan, each, kind, silent=False), shown(plan, each, kind, silent=True))
        for each in schedules
    ]
    which = next((i for i, (answered, silent) in enumerate(pairs) if answered != silent), 0)
    schedule, reference = schedules[which], pairs[which][0]
    hits = [
        sum(shown(plan, schedule, kind, silent=silent) == reference for _ in range(trials))
        for silent in (False, True)
    ]
    delta = plan.private.guarantee.delta
    return Audit(
        name=f"release times of {type(subject).__name__} with {plan.algorithm}",
        claimed=plan.private.guarantee,
        lower_bound=epsilon_bound(
            Tally(hits[0], hits[1], trials), confidence=confidence, delta=delta, gaussian=False
        ),
        reach=largest_bound(trials, confidence=confidence, delta=delta, gaussian=False),
        confidence=confidence,
        trials=trials,
        attack="one person answers with the default, or is "
        "silent: "
        "everything "
        "that is "
        "shown, at "
        "fixed times",
        seed=seed,
        stated=plan.private.guarantee,
        seconds=time.perf_counter() - start,
    )


def shown(plan: RunPlan, schedule: Schedule, kind: type[LiveRun], *, silent: bool) -> Shown:
    """Play a run by a schedule; return what is shown of it at every look."""
    now, seen, tickets = [0.0], [], {}
    run = kind.start(plan, {}, clock=lambda: now[0])
    for at, what, which in schedule.events(silent):
        now[0] = at
        if what == 0:
            tickets[which] = run.ask(plan.observation)
        elif what == 1:
            run.tell(tickets[which], plan.default)
        elif what == 2:
            run.release_due()
        else:
            state = run.state()
            seen.append((state.released, state.open, state.waiting))
    return tuple(seen)
