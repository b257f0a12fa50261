"""Lower bounds on epsilon from two samples of a statistic, with a stated confidence."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.curves import gaussian_epsilon
from discreet.progress import ShowProgress

CONFIDENCE = 0.99
LEAST, MOST = 400_000, 100_000_000  # minimum and maximum trials, unless their number is given
RUNS = 20_000  # trials of attacks in which each is a whole run
ROUNDS = 4 * 10**9  # maximum rounds, unless the number of trials is given: about a minute
SPENT = 0.25  # the share of the trials used to choose the event
AT_ONCE = 1 << 21  # numbers in memory
CANDIDATES = 400  # thresholds to try
# The step by which a threshold is moved, as a share of the spread: far above rounding errors.
ASIDE = 1e-5
PLACES = np.arange(1, 9)  # numbers of such steps to try


# In place of what is not a number: each kind is one value, which an event can count. They are far
# from usual releases, but not so far that they would hide how those vary.
NAN, INFINITE = 131_071.25, 131_072.5


def coded(sample: Floats) -> Floats:
    """Return a sample with numbers in place of NaN and infinite values."""
    if np.isfinite(sample).all():
        return sample
    return np.nan_to_num(sample, nan=NAN, posinf=INFINITE, neginf=-INFINITE)


class Event(NamedTuple):
    """The statistic is above (or below) a threshold; for one of the inputs this is likelier."""

    threshold: float
    upper: bool
    likelier: int

    def hits(self, sample: Floats) -> int:
        """Return how many values of a sample are in the event."""
        inside = sample >= self.threshold if self.upper else sample <= self.threshold
        return int(np.count_nonzero(inside))


class Tally(NamedTuple):
    """How often an event happened for each input, the likelier one first."""

    hits: int
    others: int
    trials: int


def attacked(
    sample: Callable[[int, int, int], ArrayLike],
    trials: int,
    *,
    delta: float,
    gaussian: bool,
    confidence: float = CONFIDENCE,
    at_once: int = AT_ONCE,
    progress: ShowProgress | None = None,
) -> float:
    """Return the lower bound on epsilon from ``sample(neighbour, trials, series)``.

    Both neighbouring inputs, 0 and 1, are sampled in parallel. The event is chosen on a quarter of
    the trials and counted in the others. The work is done in pieces, so memory does not grow and an
    interrupt waits for at most one piece.
    """
    spent, counted = split_trials(trials)
    stop, lock, done = threading.Event(), threading.Lock(), 0

    def pieces(neighbour: int, number: int, first: int) -> Iterator[Floats]:
        nonlocal done
        for piece, start in enumerate(range(0, number, at_once)):
            if stop.is_set():
                return
            size = min(at_once, number - start)
            yield coded(np.asarray(sample(neighbour, size, first + piece)))
            with lock:
                done += size
                if progress is not None:
                    progress(done, 2 * trials)

    def choose(neighbour: int) -> Floats:
        drawn = list(pieces(neighbour, min(spent, at_once), 0)) + list(
            pieces(neighbour, spent - min(spent, at_once), 1 << 20)
        )
        return np.concatenate(drawn) if drawn else np.empty(0)

    with ThreadPoolExecutor(2) as threads:
        try:
            first, second = threads.map(choose, (0, 1))
            event = best_event(first, second, confidence=confidence, delta=delta, gaussian=gaussian)
            hits = list(
                threads.map(
                    lambda neighbour: sum(map(event.hits, pieces(neighbour, counted, 1))), (0, 1)
                )
            )
        finally:
            stop.set()
    tally = Tally(hits[event.likelier], hits[1 - event.likelier], counted)
    return epsilon_bound(tally, confidence=confidence, delta=delta, gaussian=gaussian)


def split_trials(trials: int) -> tuple[int, int]:
    """Return how many trials are used to choose the event, and how many to count it."""
    spent = min(math.ceil(SPENT * trials), AT_ONCE)
    return spent, trials - spent


def largest_bound(trials: int, *, confidence: float, delta: float, gaussian: bool) -> float:
    """Return the bound from this many trials if one input always has the event, the other never."""
    counted = split_trials(trials)[1]
    return epsilon_bound(
        Tally(counted, 0, counted), confidence=confidence, delta=delta, gaussian=gaussian
    )


def epsilon_bound(tally: Tally, *, confidence: float, delta: float, gaussian: bool) -> float:
    """Return a lower bound on epsilon that holds with the stated confidence.

    P and Q are the probabilities of the event. p is an exact (Clopper-Pearson) lower limit on P and
    q an upper limit on Q; each fails with at most half of the allowed probability. Differential
    privacy says P ≤ e^ε Q + δ, so ε ≥ ln((p - δ) / q). For Gaussian noise one number determines the
    whole trade-off curve: Φ⁻¹(P) - Φ⁻¹(Q) ≤ μ, so μ ≥ Φ⁻¹(p) - Φ⁻¹(q), returned as the epsilon that
    this μ has at δ.
    """
    return float(
        _bounds(
            np.array([tally.hits]),
            np.array([tally.others]),
            tally.trials,
            confidence,
            delta,
            gaussian,
        )[0]
    )


def best_event(
    first: Floats, second: Floats, *, confidence: float, delta: float, gaussian: bool
) -> Event:
    """Return the event with the largest bound on these two samples of equal size.

    The bound must then come from other samples, so that the choice costs no confidence.
    """
    strict = 1.0 - (1.0 - confidence) / 100.0  # otherwise some rare event looks best by chance
    trials = min(first.size, second.size)
    samples = np.sort(first[:trials]), np.sort(second[:trials])
    pooled = np.sort(np.concatenate(samples))
    tail = np.geomspace(1e-7, 0.1, 60)
    shares = np.concatenate([tail, np.linspace(0.0, 1.0, CANDIDATES), 1.0 - tail])
    thresholds = move_aside(
        pooled[np.minimum((shares * pooled.size).astype(np.int64), pooled.size - 1)], pooled
    )
    best, chosen = -math.inf, Event(float(thresholds[0]), upper=False, likelier=0)
    for upper in (False, True):
        counts = [
            trials - np.searchsorted(each, thresholds, "left")
            if upper
            else np.searchsorted(each, thresholds, "right")
            for each in samples
        ]
        for likelier in (0, 1):
            scores = _bounds(
                counts[likelier], counts[1 - likelier], trials, strict, delta, gaussian
            )
            index = int(np.argmax(scores))
            if scores[index] > best:
                best = float(scores[index])
                chosen = Event(float(thresholds[index]), upper, likelier)
    return chosen


def quick_bound(
    first: Floats, second: Floats, *, delta: float, gaussian: bool, deviations: float
) -> float:
    """Return roughly what the best event shows on two samples of equal size, to rank statistics.

    It allows for some standard deviations of the counts.
    """
    from scipy import special

    trials = first.size
    samples = np.sort(first), np.sort(second)
    pooled = np.sort(np.concatenate(samples))
    places = (np.linspace(0.0, 1.0, 64) * (pooled.size - 1)).astype(np.int64)
    values = np.unique(pooled[places])
    thresholds = np.concatenate([[values[0] - 1.0], (values[1:] + values[:-1]) / 2.0])
    below = [np.searchsorted(each, thresholds, "right") for each in samples]
    best = 0.0
    for hits, others in (
        below,
        below[::-1],
        [trials - each for each in below],
        [trials - each for each in below[::-1]],
    ):
        low = np.maximum(hits - deviations * np.sqrt(hits), 0.0) / trials
        high = np.minimum((others + deviations * np.sqrt(others) + deviations**2) / trials, 1.0)
        if gaussian:
            with np.errstate(invalid="ignore"):
                shift = float(
                    np.nanmax(
                        special.ndtri(np.minimum(low, 1.0 - 0.5 / trials)) - special.ndtri(high)
                    )
                )
            best = max(best, gaussian_epsilon(shift, delta) if shift > 0.0 else 0.0)
        else:
            best = max(best, float(np.log(np.maximum(low - delta, 1e-300) / high).max()))
    return best


def move_aside(values: Floats, pooled: Floats) -> Floats:
    """Return thresholds next to some values of a sorted sample, on both sides, where it is sparse.

    Many trials may have the same value up to rounding errors, which differ between the two inputs.
    A threshold among them would distinguish the inputs by these errors alone. So it is moved aside,
    to the emptiest of a few places.
    """
    plain = pooled[~np.isin(np.abs(pooled), (NAN, INFINITE))]
    plain = plain if plain.size else pooled
    low, high = np.quantile(plain, [0.01, 0.99])
    spread = (high - low) or (plain[-1] - plain[0])
    width = ASIDE * spread + 1e-10 * float(np.abs(plain[[0, -1]]).max())
    sides = []
    for side in (-1.0, 1.0):
        places = values[:, None] + side * width * PLACES
        ends = np.searchsorted(pooled, places + width / 2.0) - np.searchsorted(
            pooled, places - width / 2.0
        )
        sides.append(places[np.arange(values.size), ends.argmin(axis=1)])
    found: Floats = np.unique(np.concatenate(sides))
    return found


def _bounds(
    hits: np.ndarray[tuple[int], np.dtype[np.int64]],
    others: np.ndarray[tuple[int], np.dtype[np.int64]],
    trials: int,
    confidence: float,
    delta: float,
    gaussian: bool,
) -> Floats:
    from scipy import special

    wrong = (1.0 - confidence) / 2.0
    with np.errstate(all="ignore"):
        low = np.where(
            hits > 0, special.betaincinv(np.maximum(hits, 1), trials - hits + 1, wrong), 0.0
        )
        high = np.where(
            others < trials,
            special.betaincinv(others + 1, np.maximum(trials - others, 1), 1.0 - wrong),
            1.0,
        )
        if gaussian:
            mu = special.ndtri(low) - special.ndtri(high)
            mu = np.where(np.isfinite(mu), np.maximum(mu, 0.0), 0.0)
            return mu if hits.size > 1 else np.array([gaussian_epsilon(float(mu[0]), delta)])
        bound = np.log((low - delta) / high)
    return np.where(np.isfinite(bound), np.maximum(bound, 0.0), 0.0)
