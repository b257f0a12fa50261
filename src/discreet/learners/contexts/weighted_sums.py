"""LinUCB on the best weighted mean of all running sums that were released."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from componentjit import compiled_as
from discreet.contracts import Floats, Integers
from discreet.factorisations.blt import Buffers
from discreet.learners.contexts.linear_ucb import NEXT, FitSchedule, LinearUcbOnSums
from discreet.least_squares import MomentPlaces, add_moments


class SumFilter(NamedTuple):
    """Gains of a Kalman filter for running sums whose noise is that of one buffer, all public.

    Where C has the generating function (1 - zero q) / (1 - decay q), the noise in the increments of
    the released sums is n(k) = zero n(k-1) + w(k) - decay w(k-1), with independent w: most of the
    noise of a release is taken back by the next ones. If records are alike over time, the
    increments are length times rate, plus this noise, plus that of the rewards. The filter has the
    linear unbiased estimate of the rate with the least variance.
    """

    ahead: Floats  # the expected increment, as a share of the estimated sum
    gain: Floats  # of the sum, from what was not expected
    taken: Floats  # the share of it that later releases are expected to take back, negative
    zero: float

    @classmethod
    def best(cls, times: Integers, matrix: Buffers, noise: float, rewards: float) -> Self:
        """Return the best gains for sums at these times.

        ``noise`` is the variance of one draw w, ``rewards`` the variance that a record adds.
        """
        decay, zero = float(matrix.decay[0]), float(matrix.zero[0])
        moved = (zero - decay) * noise  # covariance of a draw with the noise it adds later
        lengths = np.diff(times, prepend=0).astype(np.float64)
        ahead, gain, taken = np.zeros(times.size), np.zeros(times.size), np.zeros(times.size)
        # The first release: nothing is known of the rate, and so nothing of the noise.
        gain[0], first = 1.0, lengths[0]
        spread = np.array(
            [
                [(rewards * first + noise) / first**2, -moved / first],
                [-moved / first, moved * (zero - decay)],
            ]
        )
        still = np.array([1.0, zero])
        for k in range(1, times.size):
            along = spread @ np.array([lengths[k], 1.0])
            total = lengths[k] * along[0] + along[1] + rewards * lengths[k] + noise
            both = still * along + np.array([0.0, moved])
            spread = still[:, None] * spread * still - np.outer(both, both) / total
            spread[1, 1] += moved * (zero - decay)
            ahead[k] = lengths[k] / times[k - 1]
            gain[k], taken[k] = times[k] * both[0] / total, both[1] / total
        return cls(ahead, gain, taken, zero)


def sum_variances(sums: SumFilter, matrix: Buffers) -> Floats:
    """Return the variances of the estimated sums, for draws of variance 1.

    All are linear in the draws: the estimated sum, what is expected to be taken back, the noise of
    the last increment, and the last draw. Their covariance is followed from release to release.
    """
    decay, zero = float(matrix.decay[0]), float(matrix.zero[0])
    found, spread = np.zeros(sums.gain.size), np.zeros((4, 4))
    increment, unit = np.array([0.0, 0.0, zero, -decay]), np.eye(4)  # without the new draw
    for k, (ahead, gain, taken) in enumerate(zip(sums.ahead, sums.gain, sums.taken, strict=True)):
        surprise = increment - unit[1] - ahead * unit[0]
        step = np.array(
            [
                (1.0 + ahead) * unit[0] + gain * surprise,
                zero * unit[1] + taken * surprise,
                increment,
                np.zeros(4),
            ]
        )
        fresh = np.array([gain, taken, 1.0, 1.0])  # the share of the new draw in each
        spread = step @ spread @ step.T + np.outer(fresh, fresh)
        found[k] = spread[0, 0]
    return found


def _follow(
    total: Floats,
    back: Floats,
    last: Floats,
    released: Floats,
    ahead: float,
    gain: float,
    taken: float,
    zero: float,
) -> None:
    for i in range(total.size):
        expected = ahead * total[i]
        surprise = ((released[i] - last[i]) - back[i]) - expected
        total[i] = (total[i] + expected) + gain * surprise
        back[i] = zero * back[i] + taken * surprise
        last[i] = released[i]


@compiled_as(_follow)
def follow(
    total: Floats,
    back: Floats,
    last: Floats,
    released: Floats,
    ahead: float,
    gain: float,
    taken: float,
    zero: float,
) -> None:
    """Take a released sum into the estimated one: one step of a ``SumFilter``."""
    with np.errstate(all="ignore"):  # a sum of released values may be anything
        expected = ahead * total
        surprise = ((released - last) - back) - expected
        total[:] = (total + expected) + gain * surprise
        back[:] = zero * back + taken * surprise
    last[:] = released


class LinearUcbOnWeightedSums(LinearUcbOnSums):
    """The same, with the best estimate of the sums from all releases so far.

    The last released sum is not all that is known about the sums: if records are alike over time,
    earlier releases tell about the same rate with other noise (``SumFilter``). The estimate is a
    weighted sum of the moments of all records, with public weights that are 1 on average. Matrix
    and vector have the same weights, so least squares has no bias if records are not alike. As
    rewards have noise of their own, weights become equal in long runs.

    It is computed from released sums and public numbers only.
    """

    filter: SumFilter
    total: Floats  # estimated sums
    back: Floats  # what the next increment is expected to take back
    last: Floats  # the last release

    @classmethod
    def weighing(
        cls,
        *,
        dimension: int,
        schedule: FitSchedule,
        sums: SumFilter,
        places: MomentPlaces | None = None,
    ) -> Self:
        """Return the server before the first release."""
        plain = LinearUcbOnSums.start(dimension=dimension, schedule=schedule, places=places)
        empty = np.zeros(plain.release_size())
        return cls(
            **plain._asdict(), filter=sums, total=empty, back=empty.copy(), last=empty.copy()
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        schedule = LinearUcbOnSums.example().schedule
        matrix = Buffers.of(np.array([0.9]), np.array([0.1]))
        sums = SumFilter.best(schedule.times, matrix, 4.0, 1.0)
        return cls.weighing(dimension=3, schedule=schedule, sums=sums)

    def absorb(self, released: Floats, kept: float) -> None:
        """Take a released sum into the estimate, and fit that."""
        k, sums = self.counts[NEXT], self.filter
        follow(
            self.total,
            self.back,
            self.last,
            released,
            sums.ahead[k],
            sums.gain[k],
            sums.taken[k],
            sums.zero,
        )
        add_moments(
            self.matrix, self.vector, self.places.rows, self.places.columns, 0.0, self.total
        )
