"""The evidence about means in a channel's releases, or an error that says why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable

from discreet.channels import Batch, OneBit, PerRound, Responses, Selection
from discreet.contracts import Channel, Protected
from discreet.errors import DiscreetError
from discreet.estimates.bits import BitEvidence
from discreet.estimates.pairs import Evidence
from discreet.estimates.released import ReleaseSum
from discreet.estimates.sums import NoisySums, SumEvidence
from discreet.learners.wrapping import chooses_lengths

# The number of rounds to tune evidence to, if a run has no horizon or stops by itself.
LONG = 1 << 14
# The size of a growing batch to tune evidence to, as a share of an arm's rounds.
USUAL = 12.0


class Design:
    """The public facts about a run before its first round, which determine the evidence.

    ``rounds`` is the horizon, or None without one. It must not depend on released values.
    """

    def __init__(self, private: Protected, *, arms: int, rounds: int | None) -> None:
        channel = private.channel
        _check(channel)
        self.channel, self.arms = channel, arms
        self._rounds = LONG if rounds is None else rounds
        self._usual = 1.0
        if isinstance(channel, Batch):
            self._usual = float(channel.size)
            if chooses_lengths(private.learner):
                self._usual = max(self._usual, self._rounds / (USUAL * arms))

    @property
    def per_arm(self) -> float:
        """The number of rounds to which evidence about an arm is tuned."""
        return self._rounds / self.arms

    def sums(self) -> NoisySums:
        """Return the information in the noisy sums of this run."""
        channel = self.channel
        assert isinstance(channel, Batch | PerRound), "bits are not sums"
        unit = 1.0 if isinstance(channel, Batch) else channel.bounds.width  # of the noise
        return NoisySums(channel.noise, unit, rounds=self.per_arm, usual=self._usual)

    def contrast(self, size: int) -> float:
        """Return the slope of a bit's mean in the mean of its batch."""
        channel = self.channel
        if isinstance(channel, OneBit):
            return channel.noise.contrast_of(size)
        assert isinstance(channel, Responses), "no other channel releases bits"
        return channel.contrast

    def evidence(self, sums: Iterable[ReleaseSum]) -> list[Evidence]:
        """Return the evidence about the mean loss of every arm, as a fraction of the range."""
        released = list(sums)
        return [
            self._of_arm([each for each in released if each.choice == arm])
            for arm in range(self.arms)
        ]

    def _of_arm(self, sums: list[ReleaseSum]) -> Evidence:
        channel = self.channel
        if isinstance(channel, OneBit | Responses):
            bits = BitEvidence()
            for _, size, releases, total in sums:
                bits.add(self.contrast(size), size, round(total), releases)
            return bits
        assert isinstance(channel, Batch | PerRound), "no other channel is accepted"
        noise, evidence = channel.noise, SumEvidence(self.sums())
        for _, size, releases, total in sums:
            if math.isfinite(noise.spread()) and size != channel.hold():
                raise DiscreetError(
                    f"a batch has {size} rounds, but {noise.kind} noise is for batches of "
                    f"{channel.hold()}: without a fixed size there is no valid interval."
                )
            evidence.add(size, total / releases, releases)
        return evidence


def _check(channel: Channel) -> None:
    """Refuse a channel whose releases give no valid interval, in one sentence."""
    # A subclass may release anything, so only these classes themselves are accepted.
    if type(channel) is Selection:
        raise DiscreetError(
            "this algorithm is private only through its random choice of arms: what its learner "
            "receives is not private, so there is nothing to estimate from."
        )
    if not channel.guarantee.is_private:
        raise DiscreetError(
            "this run is not private, and non-private values are never stored, so there is nothing "
            "to estimate from."
        )
    if type(channel) not in (Batch, OneBit, PerRound, Responses):
        raise DiscreetError(
            f"no valid interval is known for releases of {type(channel).__name__}: estimates need "
            "noisy means of batches, or random bits."
        )
    if isinstance(channel, Batch | PerRound) and type(channel) is not Responses:
        noise = channel.noise
        try:
            known = math.isfinite(noise.spread()) or noise.log_moment(0.0, 1) <= 0.0
        except NotImplementedError:
            known = False
        if not known:
            raise DiscreetError(
                f"the noise is {noise.kind}, whose moments are unknown: there is no valid interval."
            )
