"""LinUCB as a server: least squares on moments, and how uncertain they are."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Floats, Integers, Release, Server, Trace
from discreet.errors import DiscreetError, check_int, check_range
from discreet.learners.contexts.cholesky import factorise, invert
from discreet.models import LinearModel

SEEN, NEXT, RAISED = 0, 1, 2  # reports, the next fit of the schedule, fits whose shift had to be raised
MOST_RAISES = 100


class Schedule(NamedTuple):
    """When the model is fitted again, and with which numbers then: all fixed in advance.

    ``shifts`` c are added to the matrix; ``widths`` β and ``reaches`` ω say how uncertain the model is.
    """

    times: Integers
    shifts: Floats
    widths: Floats
    reaches: Floats


class LinearUcb(Server):
    """Publishes θ̂ = W⁻¹ u and the spread β² W⁻¹ + ω² W⁻², W = V + c 1, from sums V of x x' and u of y x as reported.

    β |x| in the norm of W⁻¹ is the confidence of LinUCB. ω |W⁻¹ x| is what errors of u and too large a shift do to a
    prediction: an error h of u moves ⟨x, θ̂⟩ by ⟨W⁻¹ x, h⟩, and the shift by c ⟨W⁻¹ x, θ⟩. Where most is noise, it tells
    better than the first term how little is known of an arm that was hardly played.

    Report s counts with the weight (s / t)^recency in round t: with more than 0, noise of long ago is forgotten, so that
    bad luck with an arm does not last.

    The model is fitted at ``times`` of the schedule. With noise V may have negative eigenvalues; the shift c is chosen so
    large that W has none, with high probability. If it has, nothing is clipped: the shift is doubled until W is positive
    definite, which makes the model more uncertain, and ``counts`` says how often.

    Regret: what the schedule gives; see the algorithms that are made of it.
    """

    recency: float
    schedule: Schedule
    model: LinearModel
    matrix: Floats
    vector: Floats
    lower: Floats  # to work in
    inverse: Floats
    counts: Integers

    @classmethod
    def start(cls, *, dimension: int, schedule: Schedule, recency: float = 0.0) -> Self:
        """Return the server before the first report; until the first fit all directions are alike."""
        size = check_int("dimension", dimension, least=1)
        if len({len(part) for part in schedule}) > 1:
            lengths = ", ".join(str(len(part)) for part in schedule)
            raise DiscreetError(f"the schedule has {lengths} entries, but needs one shift, width and reach a time.")
        return cls(
            recency=check_range("recency", recency, 0.0, 100.0),
            schedule=schedule,
            model=LinearModel(np.zeros(size), np.eye(size), np.ones(1)),
            matrix=np.zeros((size, size)),
            vector=np.zeros(size),
            lower=np.zeros((size, size)),
            inverse=np.zeros((size, size)),
            counts=np.zeros(3, np.int64),
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        times = np.arange(1, 100)
        return cls.start(
            dimension=3,
            recency=0.5,
            schedule=Schedule(times, 5.0 * np.sqrt(times), np.full(times.size, 2.0), np.sqrt(times)),
        )

    @property
    def choices(self) -> int:
        """The number of features."""
        return self.vector.size

    def release_size(self) -> int:
        """Return how many numbers a report has."""
        return self.vector.size * (self.vector.size + 3) // 2

    def learn(self, trace: Trace, released: Release) -> None:
        """Add the moments of a report, and fit the model when it is time."""
        self.absorb(released, (1.0 - 1.0 / (self.counts[SEEN] + 1)) ** self.recency if self.recency > 0.0 else 1.0)
        self.fit_when_due()

    def absorb(self, released: Floats, kept: float) -> None:
        """Add moments to ``kept`` times what there is."""
        size, place = self.vector.size, 0
        last = released.size - size
        for i in range(size):
            for j in range(i + 1):
                self.matrix[i, j] = kept * self.matrix[i, j] + released[place]
                place += 1
            self.vector[i] = kept * self.vector[i] + released[last + i]

    def fit_when_due(self) -> None:
        """Count a report, and fit the model if the schedule says so."""
        self.counts[SEEN] += 1
        turn = self.counts[NEXT]
        if turn < self.schedule.times.size and self.counts[SEEN] >= self.schedule.times[turn]:
            self.counts[NEXT] += 1
            self.refit(self.schedule.shifts[turn], self.schedule.widths[turn], self.schedule.reaches[turn])

    def refit(self, shift: float, width: float, reach: float) -> None:
        """Publish a new model; where no shift is large enough, the last one stays."""
        raises, used = 0, shift
        while not factorise(self.matrix, used, self.lower):
            used = 2.0 * used + 1.0
            raises += 1
            if raises == 1:
                self.counts[RAISED] += 1
            if raises > MOST_RAISES:
                return
        estimate, spread = self.model.estimate, self.model.spread
        invert(self.lower, self.inverse)
        size = self.vector.size
        widest = 0.0
        for i in range(size):
            estimate[i], total = 0.0, 0.0
            for j in range(size):
                estimate[i] += self.inverse[i, j] * self.vector[j]
                square = 0.0
                for k in range(size):
                    square += self.inverse[i, k] * self.inverse[k, j]
                spread[i, j] = width * width * self.inverse[i, j] + reach * reach * square
                total += abs(spread[i, j])
            widest = max(widest, total)  # no eigenvalue is larger than the largest sum of a row
        self.model.widest[0] = widest


class LinearUcbOnSums(LinearUcb):
    """The same where each release is the sum of all moments so far, and not one more report."""

    def learn(self, trace: Trace, released: Release) -> None:
        """Take the new sums, and fit the model when it is time."""
        turn = self.counts[NEXT]
        if turn < self.schedule.times.size and self.counts[SEEN] + 1 >= self.schedule.times[turn]:
            self.absorb(released, 0.0)
        self.fit_when_due()
