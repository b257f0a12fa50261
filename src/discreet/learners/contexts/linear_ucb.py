"""LinUCB as a server: least squares on moments, and their uncertainty."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Asked, Floats, Integers, Server
from discreet.errors import DiscreetError, check_int, check_range
from discreet.least_squares import MomentPlaces, add_moments, factorise, invert, publish
from discreet.models import LinearModel

# Entries of the counts: reports, the next fit of the schedule, fits whose shift had to be raised,
# the feature that is looked at next, and how many reports the current look still has.
SEEN, NEXT, RAISED, FEATURE, LEFT = range(5)
MOST_RAISES = 100  # doublings of a shift: beyond 2^100, no shift will help


class FitSchedule(NamedTuple):
    """The times and parameters of fits, all fixed in advance.

    ``shifts`` c are added to the matrix; ``widths`` β and ``reaches`` ω define the uncertainty of
    the model.
    """

    times: Integers
    shifts: Floats
    widths: Floats
    reaches: Floats


class Looks(NamedTuple):
    """Plans looks at single features that were hardly played: time, length and weight.

    Feature i was hardly played if the reported sum of x(i)² is below ``hardly``, or below ``share``
    of the largest such sum: then little is known about it compared with the others. A look ends
    without effect after ``trial`` reports if their sum is below ``worth``: then no arm has much of
    the feature, and it matters little.
    """

    after: int
    reports: int  # per feature; 0 for no looks
    weight: float
    hardly: float
    share: float
    trial: int
    worth: float


NO_LOOKS = Looks(0, 0, 1.0, 0.0, 0.0, 0, 0.0)


class LinearUcb(Server[LinearModel, Floats, Asked]):
    """Publishes θ̂ = W⁻¹ S and the spread β² W⁻¹ + ω² W⁻², with W = V + c 1.

    V is the sum of x x' and S the sum of y x, as reported. β |x| in the norm of W⁻¹ is the
    confidence of LinUCB. ω |W⁻¹ x| is the effect on a prediction of errors of S and of too large a
    shift: an error h of S moves ⟨x, θ̂⟩ by ⟨W⁻¹ x, h⟩, and the shift moves it by c ⟨W⁻¹ x, θ⟩.
    Where noise dominates, this measures the uncertainty about a hardly played arm better than the
    first term.

    Report s counts with the weight (s / t)^recency in round t. With a positive ``recency``, old
    noise fades, so bad luck with an arm does not last.

    That alone cannot exclude locking in to a wrong arm: every report adds noise to all features,
    played or not, so the noise in the estimate of an arm grows with all rounds, not only with its
    own. Therefore features that were hardly played are looked at one by one (``Looks``): devices
    play the arm with the most of feature i, and only x(i)² and y x(i) of their reports are summed,
    without the noise of other rounds. These sums replace the earlier ones.

    The model is fitted at the ``times`` of the schedule. With noise V may have negative
    eigenvalues; the shift c is so large that W has none, with high probability. If it has some,
    nothing is clipped: the shift is doubled until W is positive definite, which makes the model
    more uncertain, and ``counts`` records how often.

    Regret: that of the schedule; see the algorithms that use it.
    """

    recency: float
    places: MomentPlaces  # of the entries of V that are reported
    schedule: FitSchedule
    looks: Looks
    model: LinearModel
    matrix: Floats
    vector: Floats
    upper: Floats  # a buffer
    inverse: Floats
    counts: Integers
    looked: Floats  # the sums of x(i)² and of y x(i) in a look

    @classmethod
    def start(
        cls,
        *,
        dimension: int,
        schedule: FitSchedule,
        recency: float = 0.0,
        looks: Looks = NO_LOOKS,
        places: MomentPlaces | None = None,
    ) -> Self:
        """Return the server before the first report.

        Until the first fit, all directions are treated alike. Without ``places``, all moments are
        reported.
        """
        size = check_int("dimension", dimension, minimum=1)
        if len({len(part) for part in schedule}) > 1:
            lengths = ", ".join(str(len(part)) for part in schedule)
            raise DiscreetError(
                f"the schedule has {lengths} entries, but needs one shift, width and reach per "
                "time."
            )
        if looks.reports > 0 and looks.after < schedule.times[0]:
            raise DiscreetError(
                f"looks begin after {looks.after} reports, but the first fit is at "
                f"{schedule.times[0]}."
            )
        return cls(
            recency=check_range("recency", recency, 0.0, 100.0),
            places=MomentPlaces.of(size) if places is None else places,
            schedule=schedule,
            looks=looks,
            model=LinearModel(np.zeros(size), np.eye(size), np.ones(1)),
            matrix=np.zeros((size, size)),
            vector=np.zeros(size),
            upper=np.zeros((size, size)),
            inverse=np.zeros((size, size)),
            counts=np.zeros(5, np.int64),
            looked=np.zeros(2),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        times = np.arange(1, 100)
        return cls.start(
            dimension=3,
            recency=0.5,
            looks=Looks(
                after=20, reports=5, weight=2.0, hardly=30.0, share=0.5, trial=3, worth=4.0
            ),
            schedule=FitSchedule(
                times, 5.0 * np.sqrt(times), np.full(times.size, 2.0), np.sqrt(times)
            ),
        )

    @property
    def choices(self) -> int:
        """The number of features."""
        return self.vector.size

    def release_size(self) -> int:
        """Return the number of entries of a report."""
        return self.places.rows.size + self.vector.size

    def learn(self, trace: object, released: Floats) -> None:
        """Add the moments of a report, and fit the model when it is due."""
        if self.counts[LEFT] > 0:
            self.absorb_feature(released, self.counts[FEATURE] - 1)
        else:
            self.absorb(released, self.kept_share())
        self.fit_when_due()

    def kept_share(self) -> float:
        """Return the factor of older reports when one more arrives."""
        return (1.0 - 1.0 / (self.counts[SEEN] + 1)) ** self.recency if self.recency > 0.0 else 1.0

    def absorb(self, released: Floats, kept: float) -> None:
        """Multiply the sums by ``kept``, and add moments."""
        add_moments(self.matrix, self.vector, self.places.rows, self.places.columns, kept, released)

    def absorb_feature(self, released: Floats, i: int) -> None:
        """Add a report's entries for the feature of a look, and leave out the noise in the rest."""
        self.looked[0] += released[i * (i + 3) // 2]
        self.looked[1] += released[released.size - self.vector.size + i]

    def fit_when_due(self) -> None:
        """Count a report; begin a look, or fit the model if it is due."""
        self.counts[SEEN] += 1
        due = self.counts[LEFT] > 0 and self.ends_look()
        while (
            self.counts[NEXT] < self.schedule.times.size
            and self.counts[SEEN] >= self.schedule.times[self.counts[NEXT]]
        ):
            self.counts[NEXT] += 1
            due = True
        if (
            self.counts[LEFT] == 0
            and self.looks.reports > 0
            and self.counts[SEEN] >= self.looks.after
        ):
            self.look_further()
        if self.counts[LEFT] == 0 and due:
            turn = self.counts[NEXT] - 1
            self.refit(
                self.schedule.shifts[turn], self.schedule.widths[turn], self.schedule.reaches[turn]
            )

    def ends_look(self) -> bool:
        """Count a report of a look; at its end, replace the earlier sums of the feature."""
        feature = self.counts[FEATURE] - 1
        self.counts[LEFT] -= 1
        idle = (
            self.looks.reports - self.counts[LEFT] == self.looks.trial
            and self.looked[0] < self.looks.worth
        )
        if self.counts[LEFT] > 0 and not idle:
            return False
        if not idle:
            for i in range(self.vector.size):
                self.matrix[max(i, feature), min(i, feature)] = 0.0
            self.matrix[feature, feature] = self.looks.weight * self.looked[0]
            self.vector[feature] = self.looks.weight * self.looked[1]
        self.counts[LEFT] = 0
        self.looked[0] = 0.0
        self.looked[1] = 0.0
        return True

    def look_further(self) -> None:
        """Publish the next feature that was hardly played, as if nothing else mattered.

        There may be none.
        """
        size, feature, enough = self.vector.size, self.counts[FEATURE], self.looks.hardly
        for i in range(size):
            enough = max(enough, self.looks.share * self.matrix[i, i])
        while feature < size and self.matrix[feature, feature] >= enough:
            feature += 1
        self.counts[FEATURE] = min(feature + 1, size)
        if feature == size:
            return
        self.counts[LEFT] = self.looks.reports
        self.model.widest[0] = 0.0
        for i in range(size):
            self.model.estimate[i] = 1.0 if i == feature else 0.0
            for j in range(size):
                self.model.spread[i, j] = 0.0

    def refit(self, shift: float, width: float, reach: float) -> None:
        """Publish a new model; if no shift is large enough, keep the last one."""
        raises, used = 0, shift
        while not factorise(self.matrix, used, self.upper):
            used = 2.0 * used + 1.0
            raises += 1
            if raises == 1:
                self.counts[RAISED] += 1
            if raises > MOST_RAISES:
                return
        invert(self.upper, self.inverse)
        self.model.widest[0] = publish(
            self.inverse, self.vector, width, reach, self.model.estimate, self.model.spread
        )
        self.move_on()

    def move_on(self) -> None:
        """Run further steps for a new model; by default there are none."""


class LinearUcbOnSums(LinearUcb[float]):
    """The same where each release is the sum of all moments so far, and comes when a fit is due."""

    def learn(self, trace: object, released: Floats) -> None:
        """Take the new sums, and fit the model."""
        turn = self.counts[NEXT]
        if turn < self.schedule.times.size:
            self.absorb(released, 0.0)
            self.counts[SEEN] = self.schedule.times[turn]
            self.counts[NEXT] = turn + 1
            self.refit(
                self.schedule.shifts[turn], self.schedule.widths[turn], self.schedule.reaches[turn]
            )
