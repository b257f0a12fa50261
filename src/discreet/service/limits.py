"""Rate limits: a token bucket for each caller."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from discreet.service.problems import HttpProblem

CALLERS = 10_000  # callers remembered; beyond this, the least recent are dropped


class RateLimit:
    """On average at most ``rate`` requests per second per caller, and ``burst`` at once.

    A rate of 0 means no limit.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # left, at

    def count(self, caller: str) -> None:
        """Count a request, or refuse it with the time until the next try."""
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
                f"there were too many requests: at most {self.rate:g} per second are allowed.",
                headers={"Retry-After": str(max(1, wait))},
            )
        self._left[caller] = (left - 1.0, now)
        if known is None:
            if len(self._left) > CALLERS:
                self._left.popitem(last=False)
        else:
            self._left.move_to_end(caller)
