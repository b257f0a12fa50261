"""The attack on running sums of gradients: one outcome is replaced, in a round whose direction tells most."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.auditing.registry import GameFacts, attack_on
from discreet.auditing.running_sums import OneVector
from discreet.channels import DifferenceSums, RoundedSums
from discreet.channels.gradient_sums import GradientShape
from discreet.channels.running_sum import Stream
from discreet.contracts import Floats, Generator, Noise, Protected, Toss
from discreet.curves import GaussianNoise
from discreet.guarantee import Guarantee
from discreet.problems.points import product
from discreet.sets import Projected

FEWEST = 2_500_000


class Terms(Stream):
    """Sums of gradients as a stream of vectors: each is a number times one direction, told as an outcome of a batch.

    The first outcome of a batch is that number, as a part of the range; all others are in the
    middle, and add nothing.
    """

    gradients: GradientShape[Any, Any]
    direction: Floats

    def offer(self, feedback: Floats, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Tell the outcomes of a batch."""
        bounds = self.gradients.bounds
        low, width = bounds.low, bounds.high - bounds.low
        share = product(feedback, self.direction)
        ready, released = self.gradients.offer(
            self.told(low + width * (0.5 + share)), self.direction, rng
        )
        for _ in range(self.gradients.size - 1):
            ready, released = self.gradients.offer(
                self.told(low + width * 0.5), self.direction, rng
            )
        return ready, released

    def told(self, outcome: float) -> float | Floats:
        """Return the feedback with that outcome."""
        return outcome

    def restart(self) -> None:
        """Forget everything and begin again."""
        self.gradients.seen[0] = 0
        self.gradients.held[:] = 0.0
        running: Any = self.gradients.running
        running.restart()

    @property
    def running(self) -> Stream:
        """The running sum inside."""
        found: Any = self.gradients.running
        return found  # type: ignore[no-any-return]

    @property
    def losses(self) -> Projected:
        """What a replaced round moves."""
        return self.running.losses

    @property
    def noise(self) -> Noise:
        """The noise of the running sum."""
        return self.running.noise

    def with_noise(self, noise: Noise) -> Terms:
        """Return a copy with other noise."""
        return self._replace(
            gradients=self.gradients._replace(running=self.running.with_noise(noise))
        )

    def without_padding(self) -> Terms:
        """Return the channel without noise that no guarantee rests on."""
        return self._replace(
            gradients=self.gradients._replace(running=self.running.without_padding())
        )

    def rounds_to_audit(self) -> int:
        """Return how many sums there are."""
        return self.running.rounds_to_audit()

    @property
    def guarantee(self) -> Guarantee:
        """That of the channel."""
        return self.gradients.guarantee


class PairTerms(Terms):
    """The same for two values a round, of which the second is 0."""

    values: Floats

    def told(self, outcome: float) -> float | Floats:
        """Return two values with that difference."""
        self.values[0] = outcome
        return self.values


class RoundedTerms(Terms):
    """The same for outcomes that are rounded: the coin is 1/2, and a direction is as long as the number asks for."""

    asked: Toss

    def offer(self, feedback: Floats, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Tell the outcomes of a batch; all but the first are asked for in no direction."""
        bounds = self.gradients.bounds
        share = product(feedback, self.direction)
        for i in range(self.direction.size):
            self.asked.direction[i] = 2.0 * abs(share) * self.direction[i]
        ready, released = self.gradients.offer(
            bounds.high if share > 0.0 else bounds.low, self.asked, rng
        )
        for i in range(self.direction.size):
            self.asked.direction[i] = 0.0
        for _ in range(self.gradients.size - 1):
            ready, released = self.gradients.offer(bounds.low, self.asked, rng)
        return ready, released


class OneOutcome(OneVector):
    """Every trial is a run from the start; its first outcome is the lowest or the highest, all others in the middle."""

    @property
    def text(self) -> str:
        """What is done."""
        return (
            "the first outcome is the lowest or the highest; the likelihood ratio of all releases"
        )

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return the channel as a stream of vectors, without padding if the claim does not rest on it."""
        return super().prepared(as_stream(private), claim)

    def gaussian_curve(self, private: Protected) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return super().gaussian_curve(as_stream(private))

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as are needed; the best events of spherical noise are rarer than those of other noise."""
        return max(super().trials_for(as_stream(private), claim), FEWEST)


@attack_on(GradientShape)
def one_outcome(private: Protected, facts: GameFacts) -> OneOutcome:
    """Return the attack in the direction that is longest in the norm of the noise."""
    channel: Any = as_stream(private).channel
    return OneOutcome(-channel.direction / 2.0, channel.direction / 2.0)


def as_stream(private: Protected) -> Protected:
    """Return the private learner behind its channel as a stream of vectors."""
    gradients: Any = private.channel
    if isinstance(gradients, Terms):
        return private
    size, norm = gradients.release_size(), gradients.running.noise.norm
    directions = np.full(size, size**-0.5), np.eye(size)[0]
    longest = max(directions, key=lambda direction: float(np.linalg.norm(direction, norm)))
    if isinstance(gradients, DifferenceSums):
        return private._replace(channel=PairTerms(gradients, longest, np.zeros(2)))
    if isinstance(gradients, RoundedSums):
        return private._replace(channel=RoundedTerms(gradients, longest, Toss(np.zeros(size), 0.5)))
    return private._replace(channel=Terms(gradients, longest))
