"""Attack the durations of a live run's operations: they must not reveal outcomes.

Two neighbouring inputs are played alternately, in random order, in one process. The time of each
operation is measured; an event on one of these times gives a lower bound on epsilon.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from discreet.auditing.bounds import CONFIDENCE, Tally, best_event, epsilon_bound
from discreet.auditing.measured_times import Measured, quiet_process, rank_score
from discreet.channels.batch import BatchSums
from discreet.channels.per_round import EveryRound
from discreet.contracts import Floats, Generator, Server
from discreet.contracts.passing import Action, Observation, Query, Release, Trace
from discreet.errors import DiscreetError, check_int, check_range
from discreet.guarantee_facts import FactsInHtml, Json
from discreet.learners.wrapping import Wrapping
from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import ArmsClient
from discreet.live.client import LiveClient
from discreet.live.contextual import ContextualBandit
from discreet.live.experts import Advisor, Experts
from discreet.live.optimizers import Optimizer, VectorOptimizer
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.live.slates import SlateBandit

LIMIT = 0.05  # the largest epsilon that durations may show
TRIALS = 20_000
PILOT = 0.1  # of the trials: to compare neighbouring inputs
# Between an outcome and its deadline a processor does other work, so its caches do not show whether
# an outcome was told a microsecond ago. A round of another run, and reading this, simulate that.
ELSEWHERE = np.zeros(1 << 16)
WARM = 20  # trials of a new run that are not counted: caches and branch predictors adapt
FEWEST = 4  # ... if a run has few rounds
LONGEST = 2_000  # maximum number of rounds in a batch
# Outcomes are at both ends of the range and at this share of it, which uses all binary digits.
ORDINARY = 0.37139906763250014
BEYOND = 3.0  # widths by which an outcome leaves the range, if it is clipped
SILENT = None  # the outcome does not arrive before its deadline
MEASURED = ("its tell", "the last tell of its batch", "all tells of its batch", "the next ask")
WAITING = ("its tell", "the releases after its deadline", "the next ask")


class SameRelease(Wrapping[Action, Trace, Release, Query, Observation]):
    """Always hands the learner the same value: the first that was released.

    The time a learner takes depends on the released value, which the guarantee covers anyway. So
    the audit compares times for equal released values only. ``kept`` holds the first value and the
    last one.
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


@dataclass(frozen=True, kw_only=True)
class DurationAudit(FactsInHtml):
    """What the durations of a live run show about one outcome."""

    name: str
    lower_bound: float  # on epsilon, of a single observed duration
    reach: float  # the largest epsilon that this many trials could show
    confidence: float
    trials: int  # with each of the two neighbouring inputs
    attack: str
    medians: tuple[float, float]  # of the observed duration, in nanoseconds
    seed: int
    seconds: float
    limit: float = LIMIT

    @property
    def leaks(self) -> bool:
        """Whether durations show more than the limit."""
        return self.lower_bound > self.limit

    def as_dict(self) -> Json:
        """Return the findings for JSON."""
        return {
            "name": self.name,
            "lower_bound": self.lower_bound,
            "limit": self.limit,
            "leaks": self.leaks,
            "reach": self.reach,
            "confidence": self.confidence,
            "trials": self.trials,
            "attack": self.attack,
            "medians": list(self.medians),
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
        }

    def __str__(self) -> str:
        verdict = "LEAKS" if self.leaks else "no leak"
        return (
            f"durations of {self.name}: epsilon at least {self.lower_bound:.3g} with "
            f"{100 * self.confidence:.4g} % confidence in {self.trials:,} trials ({self.attack}; "
            f"medians {self.medians[0]:,.0f} and {self.medians[1]:,.0f} ns): {verdict}"
        )


def audit_durations(
    subject: LiveClient | LiveRun,
    *,
    trials: int = TRIALS,
    seed: int = 1,
    confidence: float = CONFIDENCE,
    outcomes: tuple[object, ...] | None = None,
    kind: type[LiveRun] = LiveRun,
) -> DurationAudit:
    """Attack the durations of ``ask``, ``tell`` and ``release_due``.

    The attack plays fresh runs of the same plan in memory; the subject itself is not changed. It
    first compares some pairs of neighbouring inputs: outcomes at both ends of the range and inside
    it, outside it with ``clip=True``, and silence with a wait time. The pair, the operation and the
    event that distinguish best are then attacked with fresh trials, so the choice costs no
    confidence. Both inputs are played alternately, in random order. So machine load affects both
    alike and causes no false alarms.

    The learner is handed the same value in every trial, because the guarantee of a released value
    also covers the time spent on it. The disk, the network, other processes and garbage collection
    are not measured (docs/live.md: How long operations take).

    ``outcomes`` replaces the default outcomes, which are numbers in the declared range; a custom
    run needs it. ``kind`` is the class of runs to attack, for example your own. ``seed`` determines
    the order of trials; measured times are not reproducible.

    >>> from discreet import Bandit
    >>> found = audit_durations(Bandit(arms=2, horizon=1000, epsilon=1.0), trials=200)
    >>> found.trials <= 200  # trials whose releases differ are left out
    True
    """
    check_int("trials", trials, minimum=100)
    check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    rng = np.random.default_rng(check_int("seed", seed, minimum=0))
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {subject!r}, but must be a live run.")
    plan = subject.plan
    if plan.simulation or not plan.private.guarantee.is_private:
        raise DiscreetError(
            "the run protects nobody, since it is not private or is a simulation: there is nothing "
            "to audit."
        )
    hold = plan.private.channel.hold()
    if hold > LONGEST:
        raise DiscreetError(
            f"a batch has {hold} rounds, but this audit is for batches of at most {LONGEST}."
        )
    changes_arms = isinstance(subject, LiveClient) and subject._recipe.get("capacity") is not None
    for option, given in (
        ("max_rounds_per_user", plan.users is not None),
        ("capacity", changes_arms),
    ):
        if given:
            raise DiscreetError(
                f"the run has {option}, which this audit does not play: audit the same run without."
            )
    start = time.perf_counter()
    player = TimedPlayer(subject, kind)
    candidates = list(neighbours_of(subject, outcomes, batched=hold > 1))
    few = max(200, round(PILOT * trials))
    with quiet_process():
        best, chosen, column = -1.0, candidates[0], 0
        for each in candidates:
            pilot = measure(player, each, few, rng)
            scores = [rank_score(*pair) for pair in pilot.matched()]
            if max(scores) > best:
                best, chosen, column = max(scores), each, int(np.argmax(scores))
        picked = measure(player, chosen, max(few, trials // 3), rng).matched()[column]
        event = best_event(*picked, confidence=confidence, delta=0.0, gaussian=False)
        measured = measure(player, chosen, trials, rng)
    counted = measured.matched()[column]
    hits, number = [event.hits(each) for each in counted], counted[0].size
    bound, reach = (
        epsilon_bound(each, confidence=confidence, delta=0.0, gaussian=False)
        for each in (
            Tally(hits[event.likelier], hits[1 - event.likelier], number),
            Tally(number, 0, number),
        )
    )
    usual = float(np.median(measured.durations[:, :, column]))
    return DurationAudit(
        name=f"{type(subject).__name__} with {plan.algorithm}",
        lower_bound=bound,
        reach=reach,
        confidence=confidence,
        trials=number,
        attack=f"{player.measured[column]}: {chosen.text}",
        medians=(usual + float(np.median(counted[0])), usual + float(np.median(counted[1]))),
        seed=seed,
        seconds=time.perf_counter() - start,
    )


def neighbours_of(
    subject: LiveClient | LiveRun, outcomes: tuple[object, ...] | None, *, batched: bool
) -> Iterator[Neighbours]:
    """Yield pairs of inputs that differ in one outcome."""
    told = outcomes or _usual_outcomes(subject)
    if len(told) < 2:
        raise DiscreetError(f"outcomes has length {len(told)}, but at least 2 are needed.")
    low, high, *rest = told
    inside = rest[0] if rest else low
    pairs = [(high, low, "upper end", "lower end")]
    pairs += [(inside, low, "inside", "lower end"), (inside, high, "inside", "upper end")] * bool(
        rest
    )
    pairs += [(inside, each, "inside", "clipped") for each in rest[1:]]
    if subject.plan.wait is not None:
        pairs += [(inside, SILENT, "told", "silent"), (low, SILENT, "told", "silent")]
    for first, second, one, other in pairs:
        for others in {id(each): each for each in (low, inside)}.values() if batched else (low,):
            for last in (False, True) if batched else (True,):
                where = ("last" if last else "first") + " outcome of a batch" if batched else "it"
                yield Neighbours(others, first, second, last, f"{where} is {one} or {other}")


def _usual_outcomes(subject: LiveClient | LiveRun) -> tuple[object, ...]:
    """Return outcomes at both ends of the range, inside it, and outside if they are clipped."""
    if isinstance(subject, LiveRun):
        channel = subject.plan.private.channel
        if not isinstance(channel, BatchSums | EveryRound):
            raise DiscreetError(
                f"outcomes is None, but a {type(channel).__name__} needs them: give at least 2."
            )
        low, high = channel.bounds
        return low, high, low + ORDINARY * (high - low)
    recipe = subject._recipe
    low, high = recipe["low"], recipe["high"]
    if isinstance(subject, VectorOptimizer):
        one = np.zeros(recipe["dimension"])
        one[0] = high
        dense = np.full(one.size, ORDINARY * high / one.size)
        found: list[Floats] = [0.0 * one, one, dense] + [BEYOND * one] * recipe["clip"]
        return tuple(each.tolist() for each in found)
    width = high - low
    numbers = [low, high, low + ORDINARY * width]
    numbers += [low - BEYOND * width, high + BEYOND * width] * recipe["clip"]
    size = 1
    if isinstance(subject, Experts):
        size = len(recipe["experts"])
    elif isinstance(subject, SlateBandit):
        size = recipe["shown"]
    elif isinstance(subject, Optimizer):
        size = subject._problem.evaluations
    if isinstance(subject, Experts | SlateBandit) or size > 1:
        return tuple([number] * size for number in numbers)
    return tuple(numbers)


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
        self._rounds = min(plan.rounds_of(0), plan.private.channel.max_rounds())
        self.measured = MEASURED if plan.wait is None else WAITING
        self._keyword = "losses" if isinstance(subject, Experts | SlateBandit) else "loss"

    def start(self) -> None:
        """Begin a new run, and another one that is played between an outcome and its deadline."""
        self._left = self._rounds
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
        if self._left < 2 * hold + 2:
            self.start()
            return True
        return False

    def play(self, neighbours: Neighbours, which: int) -> list[float]:
        """Play one batch with one of the two inputs; return durations and the released value."""
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
        return [*found, released]


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
    durations, releases = np.empty((2, trials, len(player.measured))), np.empty((2, trials))
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
            *durations[which, trial], releases[which, trial] = player.play(neighbours, which)
            hold = max(hold, before - player._left)
    return Measured(durations, releases)
