"""What is promised about privacy, as a value that is stated once and printed everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from discreet.errors import DiscreetError, whole

Model = Literal["central", "local", "none"]
Status = Literal["proved", "claimed by the paper only", "none"]


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """Differential privacy of everything that is released: (epsilon, delta), for whom, and why one may believe it.

    Neighbouring inputs differ in the feedback of ``unit``. For every set S of outputs,
    ``P(output in S) <= exp(epsilon) P'(output in S) + delta``. In the ``local`` model the output is every single noisy
    report; in the ``central`` model it is the sequence of actions and of everything else that the learner knows.

    >>> promise = Guarantee(epsilon=0.5, delta=0.0, model="central", status="proved", source="Faster rates, Lemma 1")
    >>> print(promise)
    0.5-differential privacy (central model, unit: one round replaced; proved: Faster rates, Lemma 1)
    >>> promise.for_user(rounds=4).epsilon
    2.0
    """

    epsilon: float
    delta: float
    model: Model
    status: Status
    source: str
    unit: str = "one round replaced"
    caveat: str = ""  # what keeps it from holding in full for the object that states it

    def __post_init__(self) -> None:
        if not self.epsilon >= 0.0:
            raise DiscreetError(f"epsilon is {self.epsilon!r}, but must be at least 0.")
        if not 0.0 <= self.delta <= 1.0:
            raise DiscreetError(f"delta is {self.delta!r}, but must be between 0 and 1.")

    @classmethod
    def none(cls, source: str) -> Guarantee:
        """Return the absence of any promise."""
        return cls(epsilon=math.inf, delta=0.0, model="none", status="none", source=source)

    @property
    def is_private(self) -> bool:
        """Whether anything is promised at all."""
        return math.isfinite(self.epsilon) and self.status != "none"

    @property
    def short(self) -> str:
        """The guarantee in two or three words."""
        if not self.is_private:
            return "no privacy"
        name = f"{self.epsilon:.12g}" if self.delta == 0.0 else f"({self.epsilon:.12g}, {self.delta:.12g})"
        return f"{name}-differential privacy"

    def for_user(self, *, rounds: int) -> Guarantee:
        """Return what holds for a person who takes part in up to ``rounds`` rounds (group privacy)."""
        size = whole("rounds", rounds, least=1)
        if not self.is_private or size == 1:
            return self
        return replace(
            self,
            epsilon=size * self.epsilon,
            delta=_group_delta(self.epsilon, self.delta, size),
            unit=f"{size} rounds replaced",
            source=f"{self.source}; group privacy for {size} rounds",
        )

    def as_dict(self) -> dict[str, float | str | None]:
        """Return the guarantee for JSON; epsilon is None when nothing is promised."""
        facts = {
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else None,
            "delta": self.delta,
            "model": self.model,
            "unit": self.unit,
            "status": self.status,
            "source": self.source,
        }
        return facts | ({"caveat": self.caveat} if self.caveat else {})

    def __str__(self) -> str:
        if not self.is_private:
            return f"no privacy ({self.source})"
        but = f"; but {self.caveat}" if self.caveat else ""
        return f"{self.short} ({self.model} model, unit: {self.unit}; {self.status}: {self.source}{but})"


def _group_delta(epsilon: float, delta: float, size: int) -> float:
    """Return delta (1 + e^epsilon + ... + e^((size - 1) epsilon)), but at most 1."""
    total, factor = 0.0, 1.0
    for _ in range(size):
        total += factor * delta
        if total >= 1.0:
            return 1.0
        factor *= math.exp(epsilon)
    return total


def stated(epsilon: float, *, digits: int = 12) -> float:
    """Return epsilon rounded up to some digits: what may be said of a value computed in floating point.

    >>> stated(0.09999999999999999), stated(0.1 + 1e-16)
    (0.1, 0.100000000001)
    """
    if epsilon == 0.0 or not math.isfinite(epsilon):
        return epsilon
    rounded = float(f"{epsilon:.{digits}g}")
    if rounded >= epsilon:
        return rounded
    step = 10.0 ** (math.floor(math.log10(epsilon)) - digits + 1)
    return float(f"{epsilon + step:.{digits}g}")
