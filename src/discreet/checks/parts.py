"""How a check fails, and the contracts of a learner and of a channel."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

import componentjit
from discreet.channels.running_sum import Stream
from discreet.contracts import Channel, Floats, Generator, Learner, Record, Server
from discreet.contracts.learner import check_act, check_methods
from discreet.errors import DiscreetError, shorten
from discreet.ranges import Range
from discreet.simulation.rehearsing import wrong_index


class CheckFailed(AssertionError):
    """A component breaks its contract."""


def require(condition: bool, message: str) -> None:
    """Raise CheckFailed unless the condition holds; unlike ``assert``, also under ``python -O``."""
    if not condition:
        raise CheckFailed(message)


def require_kind(name: str, value: object, kind: type) -> None:
    """Refuse an argument of the wrong type."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise DiscreetError(f"{name} is {shorten(value)}, but must be {article} {kind.__name__}.")


def same_state(one: object, other: object) -> str | None:
    """Return the name of the first array that differs between two components, bit for bit."""
    for (name, left), (_, right) in zip(
        componentjit.arrays(one), componentjit.arrays(other), strict=True
    ):
        if left.tobytes() != right.tobytes():
            return name
    return None


def all_finite(component: object) -> str | None:
    """Return the name of the first array that holds NaN or infinity."""
    for name, array in componentjit.arrays(component):
        if not np.isfinite(array).all():
            return name
    return None


ROUNDS = 300


def check_learner(
    learner: Learner,
    *,
    observation: object = 0,
    releases: Callable[[Generator], float | Floats] | None = None,
) -> None:
    """Check a learner before its first round.

    ``observation`` is what it observes in each round. ``releases`` maps a random generator to a
    released value; the default is a noisy loss as channels release it, sometimes far outside
    [0, 1].
    """
    require_kind("learner", learner, Learner)
    name = type(learner).__name__
    check_methods(learner)
    release = releases or (lambda rng: float(rng.random() + rng.laplace(0.0, 1.0)))

    try:
        _check_rounds(learner, observation, release)
        _check_late(componentjit.copy(learner), observation, release)
    except IndexError as error:
        raise CheckFailed(f"{name}: {wrong_index(error)}") from error


def _check_rounds(
    learner: Learner, observation: object, release: Callable[[Generator], float | Floats]
) -> None:
    """Check that a learner is a function of its state, and that its state stays finite."""
    name = type(learner).__name__
    first = componentjit.copy(learner)
    second = componentjit.copy(learner)
    require(
        same_state(learner, first) is None,
        f"{name} loses state when copied: its state must be in NumPy arrays",
    )
    for round_ in range(ROUNDS):
        value = release(np.random.default_rng(10_000 + round_))
        action, trace = act_or_publish(first, observation, np.random.default_rng(round_))
        again, same_trace = act_or_publish(second, observation, np.random.default_rng(round_))
        require(
            np.array_equal(action, again) and same_state((trace,), (same_trace,)) is None,
            f"{name}.act is not a function of its state, the observation and the generator",
        )
        query = first.query(trace)
        parts = query if isinstance(query, tuple) else (query,)
        require(
            all(np.isfinite(part).all() for part in parts),
            f"{name}.query must be finite, but is {query!r}",
        )
        kept = componentjit.copy(same_trace)
        first.learn(trace, value)
        second.learn(kept, value)
        where = same_state(first, second)
        require(where is None, f"{name}.learn gives a different {where} if the trace is a copy")
        where = all_finite(first)
        require(where is None, f"{name}.{where} is not finite after {round_ + 1} noisy losses")


def act_or_publish(
    learner: Learner, observation: object, rng: Generator
) -> tuple[ArrayLike, object]:
    """Let a learner act; a server, which only publishes its model, has an empty trace."""
    if isinstance(learner, Server):
        return 0, 0
    returned = learner.act(observation, rng)
    check_act(learner, returned)
    return returned


def _check_late(
    learner: Learner, observation: object, release: Callable[[Generator], float | Floats]
) -> None:
    """Check that feedback may arrive after many newer decisions, in any order."""
    name = type(learner).__name__
    rng = np.random.default_rng(0)
    traces = [componentjit.copy(act_or_publish(learner, observation, rng)[1]) for _ in range(50)]
    for trace in reversed(traces):
        learner.learn(trace, release(rng))
    act_or_publish(learner, observation, rng)
    where = all_finite(learner)
    require(where is None, f"{name}.{where} is not finite after late feedback")


LONGEST = 2_000  # maximum rounds in which lengths are compared
HUGE = 1e200  # feedback beyond this is also put into the features of a record
DRAWS = 24  # seeds with which to look for memory
BEYOND = (0.01, 1.0, 10.0, 1e6)  # how many widths feedback is outside the declared range

Told = float | Floats | Record  # the feedback of this package's problems


def check_channel(channel: Channel, *, feedback: Told = 0.75, query: object = 1.0) -> None:
    """Check a channel before its first round.

    ``feedback`` (a number, a vector or a record) and half of it are valid values; ``query`` is the
    query in every round. A channel with a field ``size`` releases after that many rounds.
    """
    require_kind("channel", channel, Channel)
    name = type(channel).__name__
    hold = channel.hold()
    require(
        isinstance(hold, int) and hold >= 1,
        f"{name}.hold must be a whole number of at least 1, but is {hold!r}",
    )
    guarantee = channel.guarantee
    require(
        guarantee.is_private or guarantee.status == "none",
        f"{name}.guarantee must be private, or have the status none",
    )
    for noise in channel.noise_scales:
        require(noise.scale >= 0.0, f"{name}.noise_scales has a negative scale")

    first, second = componentjit.copy(channel), componentjit.copy(channel)
    period = int(channel._asdict().get("size", hold))
    require(period % hold == 0, f"{name} must hold an action for a batch or for equal parts of one")
    for round_ in range(1, 2 * period + 1):
        asked = componentjit.copy(query)
        one = first.offer(feedback, query, np.random.default_rng(round_))
        require(
            same_state((query,), (asked,)) is None,
            f"{name}.offer writes into the query, whose arrays belong to the learner",
        )
        two = second.offer(feedback, query, np.random.default_rng(round_))
        alike = one[0] == two[0] and np.array_equal(one[1], two[1])
        require(
            alike, f"{name}.offer is not a function of its state, the feedback and the generator"
        )
        require(
            one[0] == (round_ % period == 0), f"{name} must release after every {period} rounds"
        )

    _check_lengths(channel, feedback, query, rounds=min(3 * period, LONGEST))
    one_way, other_way = componentjit.copy(channel), componentjit.copy(channel)
    for round_ in range(max(1, period - 1)):
        one_way.offer(feedback, query, np.random.default_rng(round_))
        other_way.offer(scaled(feedback, 0.5), query, np.random.default_rng(round_))
    require(repr(one_way) == repr(other_way), f"repr of {name} shows raw feedback")

    before = componentjit.copy(channel)
    fork = channel.fork()
    if fork is not channel or hold > 1:  # a channel for one stream of rounds is its own fork
        for round_ in range(max(1, hold - 1)):
            fork.offer(feedback, query, np.random.default_rng(round_))
        require(
            same_state(before, channel) is None,
            f"{name}.fork shares state with the channel it came from",
        )

    if guarantee.is_private:
        _check_bad_feedback(channel, feedback, query)
        _check_ends(channel, feedback, query)
        if not channel.holds_feedback:
            _check_memory(channel, feedback, query)


def _check_lengths(channel: Channel, feedback: Told, query: object, *, rounds: int) -> None:
    """Check that holding times and release times do not depend on feedback.

    Both may depend on earlier releases. So if they vary with the noise, they are compared only up
    to the first release.
    """
    name = type(channel).__name__

    def seen(factors: tuple[float, ...], seed: int) -> list[tuple[int, int, bool]]:
        fresh, rng, left, found = componentjit.copy(channel), np.random.default_rng(seed), 0, []
        for round_ in range(rounds):
            left = left or fresh.begin(0)
            ready = bool(
                fresh.offer(scaled(feedback, factors[round_ % len(factors)]), query, rng)[0]
            )
            found.append((left, fresh.hold(), ready))
            left -= 1
        return found

    usual = seen((1.0,), 0)
    first = next((place for place, (_, _, ready) in enumerate(usual) if ready), rounds - 1)
    drawn = any(seen((1.0,), seed) != usual for seed in (1, 2))
    compared = first if drawn else rounds
    for factors in ((0.5,), (0.0,), (1.0, 0.0), (0.0, 1.0, 1.0)):
        alike = seen(factors, 0)[:compared] == usual[:compared]
        require(
            alike,
            f"{name}: how long it holds an action, or when a release is due, depends on feedback",
        )


def scaled(feedback: Told, factor: float) -> Told:
    """Return feedback times a factor; for a record, times all of its numbers."""
    if isinstance(feedback, Record):
        return Record(feedback.features * factor, feedback.outcome * factor)
    return feedback * factor


def _check_memory(channel: Channel, feedback: Told, query: object) -> None:
    """Check that a channel that declares to hold no feedback really forgets it."""
    name = type(channel).__name__
    for seed in range(DRAWS):  # with the same noise, many records may give the same report
        released = []
        for factor in (1.0, 0.5, 0.0):
            fresh, rng = componentjit.copy(channel), np.random.default_rng(seed)
            fresh.offer(scaled(feedback, factor), query, rng)
            released.append(np.array(fresh.offer(feedback, query, np.random.default_rng(DRAWS))[1]))
        same = all(np.array_equal(released[0], other) for other in released)
        require(same, f"{name} declares to hold no feedback, but releases depend on earlier rounds")


def _check_bad_feedback(channel: Channel, like: Told, query: object) -> None:
    """Check that all feedback is clamped: a guarantee must not depend on valid input."""
    name = type(channel).__name__
    bad = (1e300, math.inf, -1e300, -math.inf, math.nan)
    try:
        huge, infinite, tiny, minus_infinite, nothing = (
            _released(channel, like, value, query) for value in bad
        )
    except (ArithmeticError, ValueError) as reason:
        raise CheckFailed(
            f"{name} does not clamp feedback to a declared range: it fails with '{reason}'"
        ) from None
    same = np.allclose(huge, infinite, rtol=1e-9) and np.allclose(tiny, minus_infinite, rtol=1e-9)
    require(same, f"{name} does not clamp feedback to a declared range")
    finite = bool(np.isfinite(huge).all() and np.isfinite(tiny).all())
    require(finite, f"{name} releases a number that is not finite for infinite feedback")
    low, high = np.minimum(huge, tiny), np.maximum(huge, tiny)
    inside = bool(((low - 1e-9 <= nothing) & (nothing <= high + 1e-9)).all())
    require(inside, f"{name} does not clamp NaN to the declared range")


def _check_ends(channel: Channel, like: Told, query: object) -> None:
    """Check that feedback out of range counts as the nearest end, and vectors are projected."""
    name = type(channel).__name__
    if isinstance(channel, Stream):
        for factor in BEYOND:
            signs = np.where(np.arange(channel.losses.dimension) % 2 == 0, 1.0, -1.0)
            far = factor * signs * channel.losses.diameter(math.inf)
            near = far.copy()
            channel.losses.project(near)
            same = np.allclose(
                _released(channel, like, far, query),
                _released(channel, like, near, query),
                rtol=1e-9,
            )
            require(same, f"{name} does not project every vector onto its set")
        return
    for bounds in (part for part in channel if isinstance(part, Range)):
        for end, side in ((bounds.low, -1.0), (bounds.high, 1.0)):
            expected = _released(channel, like, end, query)
            for factor in BEYOND:
                beyond = end + side * factor * (bounds.high - bounds.low)
                same = np.allclose(_released(channel, like, beyond, query), expected, rtol=1e-9)
                require(
                    same,
                    f"{name} does not clamp {beyond:g} to its declared range, {bounds.low:g} to "
                    f"{bounds.high:g}",
                )


def _valued(like: Told, value: float | Floats) -> Told:
    """Return feedback of the same kind with this value; a record's features change only if huge."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(like, Record):
        return Record(
            like.features if abs(value) < HUGE else np.full(like.features.shape, value), value
        )
    return np.full(np.shape(like), value) if np.ndim(like) else value


def _released(channel: Channel, like: Told, value: float | Floats, query: object) -> Floats:
    """Return the first release for constant feedback and fixed noise."""
    fresh, rng, ready = componentjit.copy(channel), np.random.default_rng(0), False
    feedback = _valued(like, value)
    while not ready:
        ready, released = fresh.offer(feedback, query, rng)
    return np.array(released, dtype=np.float64)
