"""Attack the durations of a live run's operations: they must not reveal outcomes.

Two neighbouring inputs are played alternately, in random order, in one process. The time of each
operation is measured; an event on one of these times gives a lower bound on epsilon.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.auditing.bounds import CONFIDENCE, Tally, best_event, epsilon_bound
from discreet.auditing.measured_times import difference, quiet_process
from discreet.auditing.timed_runs import SILENT, Neighbours, TimedPlayer, fewest_rounds, measure
from discreet.channels.batch import BatchSums
from discreet.channels.per_round import EveryRound
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, check_range, shorten
from discreet.guarantee_facts import FactsInHtml, Json
from discreet.learners.wrapping import chooses_lengths
from discreet.live.client import LiveClient
from discreet.live.experts import Experts
from discreet.live.optimizers import Optimizer, VectorOptimizer
from discreet.live.run import LiveRun
from discreet.live.slates import SlateBandit

LIMIT = 0.05  # the largest epsilon that durations may show
TRIALS = 20_000
PILOT = 0.1  # of the trials: to compare neighbouring inputs
LONGEST = 2_000  # maximum number of rounds in a batch
# Outcomes are at both ends of the range and at this share of it, which uses all binary digits.
ORDINARY = 0.37139906763250014
BEYOND = 3.0  # widths by which an outcome leaves the range, if it is clipped


@dataclass(frozen=True, kw_only=True)
class DurationAudit(FactsInHtml):
    """What the durations of a live run show about one outcome."""

    name: str
    lower_bound: float  # on epsilon, of a single observed duration
    reach: float  # the largest epsilon that this many trials could show
    confidence: float
    trials: int  # with each of the two neighbouring inputs
    left_out: int = 0  # further trials, in which the two inputs gave different releases
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
            "left_out": self.left_out,
            "attack": self.attack,
            "medians": list(self.medians),
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
        }

    def __str__(self) -> str:
        verdict = "LEAKS" if self.leaks else "no leak"
        return (
            f"durations of {self.name}: epsilon at least {self.lower_bound:.3g} with "
            f"{100 * self.confidence:.4g} % confidence in {self.trials:,} trials, which can show "
            f"at most {self.reach:.3g} ({self.attack}; medians {self.medians[0]:,.0f} and "
            f"{self.medians[1]:,.0f} ns): {verdict}"
        )


def audit_durations(
    subject: LiveClient | LiveRun,
    *,
    trials: int = TRIALS,
    seed: int = 1,
    confidence: float = CONFIDENCE,
    outcomes: Sequence[object] | None = None,
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
    >>> bandit = Bandit(arms=2, horizon=1000, epsilon=1.0, algorithm="batched-exp3")
    >>> found = audit_durations(bandit, trials=200)
    >>> found.trials <= 200  # trials whose releases differ are left out
    True
    """
    check_int("trials", trials, minimum=100)
    confidence = check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    rng = np.random.default_rng(check_int("seed", seed, minimum=0))
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {shorten(subject)}, but must be a live run.")
    if not isinstance(kind, type) or not issubclass(kind, LiveRun):
        raise DiscreetError(f"kind is {shorten(kind)}, but must be a subclass of LiveRun.")
    if outcomes is not None and not isinstance(outcomes, Sequence):
        raise DiscreetError(f"outcomes is {shorten(outcomes)}, but must be a list of outcomes.")
    plan = subject.plan
    if plan.simulation or not plan.private.guarantee.is_private:
        raise DiscreetError(
            "the run has no privacy guarantee (it is not private, or is a simulation), so there is "
            "nothing to audit."
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
    if player.rounds < fewest_rounds(hold):
        raise DiscreetError(
            f"a batch has {hold} rounds, but this audit plays at least {fewest_rounds(hold)} "
            f"rounds and the run has {player.rounds}: audit the same run with a larger horizon."
        )
    candidates = list(neighbours_of(subject, outcomes))
    few = max(200, round(PILOT * trials))
    with quiet_process():
        best, chosen, column = (-1.0, 0.0), candidates[0], 0
        for each in candidates:
            for place, pair in enumerate(measure(player, each, few, rng).matched()):
                score = difference(*pair)
                if score > best:
                    best, chosen, column = score, each, place
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
        left_out=trials - number,
        attack=f"{player.measured[column]}: {chosen.text}",
        medians=(usual + float(np.median(counted[0])), usual + float(np.median(counted[1]))),
        seed=seed,
        seconds=time.perf_counter() - start,
    )


def neighbours_of(
    subject: LiveClient | LiveRun, outcomes: Sequence[object] | None
) -> Iterator[Neighbours]:
    """Yield pairs of inputs that differ in one outcome."""
    private = subject.plan.private
    batched = private.channel.hold() > 1 or chooses_lengths(private.learner)
    told = _usual_outcomes(subject) if outcomes is None else outcomes
    if len(told) < 2:
        raise DiscreetError(f"outcomes has length {len(told)}, but at least 2 are needed.")
    low, high, *rest = told
    inside = rest[0] if rest else low
    pairs = [(high, low, "the upper or the lower end of the range")]
    if rest:
        pairs += [(inside, low, "inside the range or its lower end")]
        pairs += [(inside, high, "inside the range or its upper end")]
    pairs += [(inside, each, "inside the range or clipped") for each in rest[1:]]
    if subject.plan.wait is not None:
        pairs += [(each, SILENT, "reported or missing") for each in (inside, low)]
    for first, second, words in pairs:
        for others in {id(each): each for each in (low, inside)}.values() if batched else (low,):
            for last in (False, True) if batched else (True,):
                which = f"{'last' if last else 'first'} outcome of a batch"
                text = f"the {which if batched else 'outcome'} is {words}"
                yield Neighbours(others, first, second, last, text)


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
