"""Limits on the rate of requests: a token bucket for each caller."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from discreet.service.problems import HttpProblem

CALLERS = 10_000  # that are remembered; of more, those that were quiet longest are forgotten


class RateLimit:
    """At most ``rate`` requests a second of each caller in the long run, ``burst`` at once.

    A rate of 0 means no limit.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # left, at

    def count(self, caller: str) -> None:
        """Count a request, or refuse it with the time after which to try again."""
        if not self.rate:
            return
        now = self._clock()
        known = self._left.get(caller)
        left = self.burst
        if known is not None:
            left = min(self.burst, known[0] + (now - known[1]) * self.rate)
        if left < 1.0:
            wait = math.ceil((1.0 - left) / self.rate)
            raise HttpProblem(
                "too-many-requests",
                f"there were too many requests: at most {self.rate:g} a second are possible.",
                headers={"Retry-After": str(max(1, wait))},
            )
        self._left[caller] = (left - 1.0, now)
        if known is None:
            if len(self._left) > CALLERS:
                self._left.popitem(last=False)
        else:
            self._left.move_to_end(caller)
