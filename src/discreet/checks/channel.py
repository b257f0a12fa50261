"""The contract of a channel for scalar feedback."""

from __future__ import annotations

import math

import numpy as np

from discreet import kernel
from discreet.checks.failure import require, require_component, same_state
from discreet.contracts import Channel


def check_channel(channel: Channel, *, feedback: float = 0.75) -> None:
    """Check a channel before its first round; ``feedback`` and half of it are valid values."""
    require_component(channel)
    name = type(channel).__name__
    hold = channel.hold()
    require(isinstance(hold, int) and hold >= 1, f"{name}.hold must be a whole number of at least 1, and is {hold!r}")
    guarantee = channel.guarantee
    require(guarantee.is_private or guarantee.status == "none", f"{name}.guarantee must be private, or say none")
    for noise in channel.noises:
        require(noise["scale"] >= 0.0, f"{name}.noises has a negative scale")

    first, second = kernel.copy(channel), kernel.copy(channel)
    for round_ in range(1, 2 * hold + 1):
        one = first.offer(feedback, 1.0, np.random.default_rng(round_))
        two = second.offer(feedback, 1.0, np.random.default_rng(round_))
        require(one == two, f"{name}.offer is not a function of its state, the feedback and the generator")
        require(one[0] == (round_ % hold == 0), f"{name} must release after every {hold} rounds, held with one action")

    one_way, other_way = kernel.copy(channel), kernel.copy(channel)
    for round_ in range(max(1, hold - 1)):
        one_way.offer(feedback, 1.0, np.random.default_rng(round_))
        other_way.offer(feedback / 2.0, 1.0, np.random.default_rng(round_))
    require(repr(one_way) == repr(other_way), f"repr of {name} shows raw feedback")

    before = kernel.copy(channel)
    fork = channel.fork()
    for round_ in range(max(1, hold - 1)):
        fork.offer(feedback, 1.0, np.random.default_rng(round_))
    require(same_state(before, channel) is None, f"{name}.fork shares state with the channel it came from")

    if guarantee.is_private:
        _check_bad_feedback(channel)


def _check_bad_feedback(channel: Channel) -> None:
    """Check that whatever comes is brought into the declared range: a guarantee must not depend on good input."""
    name = type(channel).__name__
    huge, infinite = _released(channel, 1e300), _released(channel, math.inf)
    tiny, minus_infinite = _released(channel, -1e300), _released(channel, -math.inf)
    require(huge == infinite and tiny == minus_infinite, f"{name} does not clamp feedback to a declared range")
    require(math.isfinite(huge) and math.isfinite(tiny), f"{name} releases what is not finite for infinite feedback")
    require(_released(channel, math.nan) in (huge, tiny), f"{name} does not bring NaN into the declared range")


def _released(channel: Channel, feedback: float) -> float:
    """Return the first release for constant feedback and fixed noise."""
    fresh, rng, ready = kernel.copy(channel), np.random.default_rng(0), False
    while not ready:
        ready, released = fresh.offer(feedback, 1.0, rng)
    return float(released)
