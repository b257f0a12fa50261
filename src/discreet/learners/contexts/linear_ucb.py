"""LinUCB as a server: least squares on moments, and how uncertain they are."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Asked, Floats, Integers, Server
from discreet.errors import DiscreetError, check_int, check_range
from discreet.learners.contexts.cholesky import factorise, invert
from discreet.models import LinearModel

SEEN, NEXT, RAISED = (
    0,
    1,
    2,
)  # reports, the next fit of the schedule, fits whose shift had to be raised
FEATURE, LEFT = (
    3,
    4,
)  # the feature that is looked at next, and for how many reports the one before still is
MOST_RAISES = 100


class Schedule(NamedTuple):
    """When the model is fitted again, and with which numbers then: all fixed in advance.

    ``shifts`` c are added to the matrix; ``widths`` β and ``reaches`` ω say how uncertain the model
    is.
    """

    times: Integers
    shifts: Floats
    widths: Floats
    reaches: Floats


class Looks(NamedTuple):
    """Features that were hardly played after some reports are looked at by themselves: for how long, with what weight.

    Feature i was hardly played if the sum of x(i)², as reported, is below ``hardly``, or below
    ``share`` of the largest such sum: then little is known of it beside the others. A look ends
    without effect after ``trial`` reports if their sum is below ``worth``: then no arm has much of
    the feature, and little hangs on it.
    """

    after: int
    reports: int  # for each feature; 0 for none
    weight: float
    hardly: float
    share: float
    trial: int
    worth: float


NO_LOOKS = Looks(0, 0, 1.0, 0.0, 0.0, 0, 0.0)


class LinearUcb(Server[LinearModel, Floats, Asked]):
    """Publishes θ̂ = W⁻¹ u and the spread β² W⁻¹ + ω² W⁻², W = V + c 1, from sums V of x x' and u of y x as reported.

    β |x| in the norm of W⁻¹ is the confidence of LinUCB. ω |W⁻¹ x| is what errors of u and too
    large a shift do to a prediction: an error h of u moves ⟨x, θ̂⟩ by ⟨W⁻¹ x, h⟩, and the shift by
    c ⟨W⁻¹ x, θ⟩. Where most is noise, it tells better than the first term how little is known of an
    arm that was hardly played.

    Report s counts with the weight (s / t)^recency in round t: with more than 0, noise of long ago
    is forgotten, so that bad luck with an arm does not last.

    That alone cannot exclude that it locks in to a wrong arm: every report brings noise to all
    features, played or not, so that the noise in what is known of an arm grows with all rounds, and
    not with its own. Therefore features that were hardly played are looked at one by one
    (``Looks``): devices are made to play the arm with the most of feature i, and of their reports
    only x(i)² and y x(i) are added up, without other rounds' noise, in the place of what was known.

    The model is fitted at ``times`` of the schedule. With noise V may have negative eigenvalues;
    the shift c is chosen so large that W has none, with high probability. If it has, nothing is
    clipped: the shift is doubled until W is positive definite, which makes the model more
    uncertain, and ``counts`` says how often.

    Regret: what the schedule gives; see the algorithms that are made of it.
    """

    recency: float
    schedule: Schedule
    looks: Looks
    model: LinearModel
    matrix: Floats
    vector: Floats
    lower: Floats  # to work in
    inverse: Floats
    counts: Integers
    looked: Floats  # of a look: the sums of x(i)² and of y x(i)

    @classmethod
    def start(
        cls, *, dimension: int, schedule: Schedule, recency: float = 0.0, looks: Looks = NO_LOOKS
    ) -> Self:
        """Return the server before the first report; until the first fit all directions are alike."""
        size = check_int("dimension", dimension, minimum=1)
        if len({len(part) for part in schedule}) > 1:
            lengths = ", ".join(str(len(part)) for part in schedule)
            raise DiscreetError(
                f"the schedule has {lengths} entries, but needs one shift, width and reach a time."
            )
        if looks.reports > 0 and looks.after < schedule.times[0]:
            raise DiscreetError(
                f"looks begin after {looks.after} reports, "
                "before the "
                "first "
                "fit at "
                f"{schedule.times[0]}."
            )
        return cls(
            recency=check_range("recency", recency, 0.0, 100.0),
            schedule=schedule,
            looks=looks,
            model=LinearModel(np.zeros(size), np.eye(size), np.ones(1)),
            matrix=np.zeros((size, size)),
            vector=np.zeros(size),
            lower=np.zeros((size, size)),
            inverse=np.zeros((size, size)),
            counts=np.zeros(5, np.int64),
            looked=np.zeros(2),
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        times = np.arange(1, 100)
        return cls.start(
            dimension=3,
            recency=0.5,
            looks=Looks(
                after=20, reports=5, weight=2.0, hardly=30.0, share=0.5, trial=3, worth=4.0
            ),
            schedule=Schedule(
                times, 5.0 * np.sqrt(times), np.full(times.size, 2.0), np.sqrt(times)
            ),
        )

    @property
    def choices(self) -> int:
        """The number of features."""
        return self.vector.size

    def release_size(self) -> int:
        """Return how many numbers a report has."""
        return self.vector.size * (self.vector.size + 3) // 2

    def learn(self, trace: object, released: Floats) -> None:
        """Add the moments of a report, and fit the model when it is time."""
        if self.counts[LEFT] > 0:
            self.absorb_feature(released, self.counts[FEATURE] - 1)
        else:
            self.absorb(released, self.kept_share())
        self.fit_when_due()

    def kept_share(self) -> float:
        """Return by what older reports are multiplied when one more comes."""
        return (1.0 - 1.0 / (self.counts[SEEN] + 1)) ** self.recency if self.recency > 0.0 else 1.0

    def absorb(self, released: Floats, kept: float) -> None:
        """Add moments to ``kept`` times what there is."""
        size, place = self.vector.size, 0
        last = released.size - size
        for i in range(size):
            for j in range(i + 1):
                self.matrix[i, j] = kept * self.matrix[i, j] + released[place]
                place += 1
            self.vector[i] = kept * self.vector[i] + released[last + i]

    def absorb_feature(self, released: Floats, i: int) -> None:
        """Add what a report says of the feature that is looked at, and leave out the noise in all else."""
        self.looked[0] += released[i * (i + 3) // 2]
        self.looked[1] += released[released.size - self.vector.size + i]

    def fit_when_due(self) -> None:
        """Count a report; let a feature be looked at, or fit the model if it is time."""
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
        """Count a report of a look; at its end, what it found takes the place of what was known of the feature."""
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
        """Publish the next feature that was hardly played, as if it were all that matters; there may be none."""
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
        self.move_on()

    def move_on(self) -> None:
        """Do what else a new model asks for: nothing."""


class LinearUcbOnSums(LinearUcb[float]):
    """The same where each release is the sum of all moments so far, and not one more report."""

    def learn(self, trace: object, released: Floats) -> None:
        """Take the new sums, and fit the model when it is time."""
        turn = self.counts[NEXT]
        if turn < self.schedule.times.size and self.counts[SEEN] + 1 >= self.schedule.times[turn]:
            self.absorb(released, 0.0)
        self.fit_when_due()
