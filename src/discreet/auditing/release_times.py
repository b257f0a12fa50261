"""Attack what a live run shows besides released numbers: when it releases, and its state.

In a run with a wait time, nothing observable may depend on whether and when somebody answers. So
one person either answers with the default value, which also replaces a missing answer, or stays
silent. Nothing that the run shows may then reveal which.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from discreet.auditing.audits import Audit
from discreet.auditing.bounds import CONFIDENCE, Tally, epsilon_bound, largest_bound
from discreet.contracts import Generator
from discreet.errors import DiscreetError, check_int, check_range, shorten
from discreet.live.client import LiveClient
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan

TIMETABLES = 24  # tried; the first that shows a difference is attacked
LOOKS = 200  # at the run's state, at fixed times
LONGEST = 2_000  # maximum number of rounds in a batch
Views = tuple[tuple[int, int, int], ...]  # at each look: released, open, waiting


class Timetable(NamedTuple):
    """When decisions, answers, timers and looks happen; the target may stay silent instead."""

    asked: tuple[float, ...]
    told: tuple[float, ...]  # delay after the decision; infinity for silence
    looks: tuple[float, ...]
    timers: tuple[float, ...]
    target: int

    @classmethod
    def draw(cls, rounds: int, wait: float, rng: Generator) -> Timetable:
        """Return a random timetable: some people answer at once, some later, too late or never."""
        # All decisions together take a tenth, half or twice the wait time: many, some or few
        # outcomes are then outstanding at once. They are not evenly spaced.
        pace = float(rng.choice([0.1, 0.5, 2.0])) * wait / rounds
        asked = np.cumsum(rng.uniform(0.5, 1.5, rounds)) * pace
        # In wait times: 0 at once, 1 within the wait time (drawn below), 1.5 too late, never. Most
        # people answer at once, on average 80 %: otherwise few batches would be complete in time.
        late = (
            rng.choice([0.0, 1.0, 1.5, np.inf], size=rounds, p=rng.dirichlet([8.0, 1.0, 0.5, 0.5]))
            * wait
        )
        told = np.where(late == wait, rng.uniform(0.0, wait, rounds), late)
        target = int(rng.integers(rounds))
        told[target] = rng.uniform(0.0, wait) * rng.integers(2)
        end = asked[-1] + 2.0 * wait
        # About one timer per wait time, a little earlier or later than outcomes run out.
        timers = np.arange(1.0, end / wait + 1.0) * wait * rng.uniform(0.9, 1.1)
        looks = np.linspace(0.0, end, LOOKS)
        asked_at, told_at, looks_at, timers_at = (
            tuple(row.tolist()) for row in (asked, told, looks, timers)
        )
        return cls(asked_at, told_at, looks_at, timers_at, target)

    def events(self, silent: bool) -> Iterator[tuple[float, int, int]]:
        """Return events in chronological order: 0 is ask, 1 is tell, 2 a timer, 3 a look."""
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
    """Attack the release times, and everything else that a run with a wait time shows.

    The attack plays fresh runs of the same plan with a simulated clock; the subject itself is not
    changed. ``kind`` is the class of runs to attack, for example your own.

    >>> from discreet import Bandit
    >>> batches = {"algorithm": "batched-exp3", "batch_size": 5}
    >>> bandit = Bandit(arms=2, horizon=100, epsilon=1.0, wait=60, default_loss=0.0, **batches)
    >>> audit_release_times(bandit, trials=100).violated
    False
    """
    check_int("trials", trials, minimum=100)
    confidence = check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {shorten(subject)}, but must be a live run.")
    if not isinstance(kind, type) or not issubclass(kind, LiveRun):
        raise DiscreetError(f"kind is {shorten(kind)}, but must be a subclass of LiveRun.")
    plan = subject.plan
    if plan.wait is None:
        raise DiscreetError(
            "the run has no wait=, so arrival times are public and there is no claim to audit."
        )
    start, rng = time.perf_counter(), np.random.default_rng(check_int("seed", seed, minimum=0))
    hold = plan.private.channel.hold()
    if hold > LONGEST:
        raise DiscreetError(
            f"a batch has {hold} rounds, but this audit is for batches of at most {LONGEST}."
        )
    rounds = 2 * hold + 2
    timetables = [Timetable.draw(rounds, plan.wait, rng) for _ in range(TIMETABLES)]
    pairs = [
        (
            play_timetable(plan, each, kind, silent=False),
            play_timetable(plan, each, kind, silent=True),
        )
        for each in timetables
    ]
    which = next((i for i, (answered, silent) in enumerate(pairs) if answered != silent), 0)
    timetable, reference = timetables[which], pairs[which][0]
    hits = [
        sum(
            play_timetable(plan, timetable, kind, silent=silent) == reference for _ in range(trials)
        )
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
        attack="one person answers with the default, or stays silent; everything the run shows, "
        "at fixed times",
        seed=seed,
        stated=plan.private.guarantee,
        seconds=time.perf_counter() - start,
    )


def play_timetable(
    plan: RunPlan, timetable: Timetable, kind: type[LiveRun], *, silent: bool
) -> Views:
    """Play a run according to a timetable; return what it shows at every look."""
    now, seen, tickets = [0.0], [], {}
    run = kind.start(plan, {}, clock=lambda: now[0])
    for at, what, which in timetable.events(silent):
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
