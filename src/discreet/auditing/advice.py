"""Attacks on channels for expert advice: public queries as bad as they can be, and one loss that is replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

import componentjit
from componentjit import compile_for
from discreet.auditing.attacks import AT_ONCE, PIECE, Attack, trials_to_find
from discreet.auditing.bounds import ROUNDS
from discreet.auditing.registry import GameFacts, attack_on
from discreet.channels import Estimates
from discreet.channels.estimates import FITTED, GROUPS, JOINT_LAPLACE
from discreet.contracts import Channel, Estimate, Floats, Generator, Protected
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.randomness import streams
from discreet.ranges import Range

HEAVY = 1e6  # the weight of one expert, if all others have 1


class OneEstimate(Attack):
    """Every batch is a trial; in its first round the loss is the lowest or the highest, in all others in the middle.

    The queries are fixed and public: all learners hear is what the channel releases. All experts
    but the first advise the arm that is played, so that one loss moves all of their estimates; the
    first has nearly all of the weight, so that the arm is hardly ever played and the entries are
    large. With ``alike`` the queries of a batch are equal, and may be added up before noise is
    drawn; otherwise each is a little smaller than the one before.

    The statistic is the likelihood ratio of what is released, up to a monotone map: along a public
    vector for Gaussian noise and for groups, a sum of bounded terms for Laplace noise.
    """

    bounds: Range
    experts: int
    importance: float = 20.0
    alike: bool = True
    heavy: float = 0.0  # what the first expert gives to the arm
    always_laplace: bool = False  # whether the channel has Laplace noise in every batch

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        return (
            f"a loss is {low:g} or {high:g} where all "
            "experts "
            "but one "
            "advise the "
            "arm; the "
            "likelihood ratio of what "
            "comes"
        )

    def queries(self, size: int) -> tuple[Floats, Floats]:
        """Return the vectors of a batch, a row a round, and the weights of experts."""
        column = np.ones(self.experts)
        column[0] = self.heavy
        factors = self.importance * (np.ones(size) if self.alike else 1.0 - 1e-6 * np.arange(size))
        weights = np.ones(self.experts)
        weights[0] = HEAVY
        return factors[:, None] * column, weights

    def gaussian_curve(self, private: Protected) -> GaussianNoise | None:
        """Return that of the noise that is drawn for these queries, if it is Gaussian."""
        channel: Any = private.channel
        return (
            None
            if self.way(channel) in (GROUPS, JOINT_LAPLACE)
            else GaussianNoise(1.0 / channel.gaussian)
        )

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as are needed, or can be played in about a minute."""
        channel: Any = private.channel
        affordable = ROUNDS // (20 + 10 * self.experts * channel.size)
        return trials_to_find(claim, self.gaussian_curve(private), affordable=affordable)

    def at_once(self, private: Protected) -> int:
        """Return as many as take a part of a second."""
        channel: Any = private.channel
        return int(PIECE // (20 + 10 * self.experts * channel.size))

    def way(self, channel: Estimates) -> int:
        """Return in which way the channel releases a batch of these queries, which is public."""
        if channel.sums.size != self.experts:
            raise DiscreetError(
                f"the attack is for {self.experts} "
                "experts, "
                "but the "
                "channel has "
                f"{channel.sums.size}."
            )
        if self.always_laplace:
            return JOINT_LAPLACE
        probe: Any = componentjit.copy(channel)
        vectors, weights = self.queries(probe.size)
        batches(
            probe,
            np.zeros(probe.size),
            vectors,
            weights,
            np.empty((1, self.experts)),
            streams(0).privacy,
        )
        return int(probe.way[0])

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each batch."""
        channel: Any = componentjit.copy(private.channel)
        low, high = self.bounds
        losses = np.full(channel.size, low + (high - low) / 2)
        losses[0] = self.bounds[world]
        vectors, weights = self.queries(channel.size)
        shift = vectors[0] / channel.size
        middle = (vectors.sum(axis=0) - vectors[0]) / channel.size / 2.0
        way = self.way(channel)
        along = shift
        if (
            way == FITTED
        ):  # σ² is inversely proportional to this, and every |shift| is the largest of its coordinate
            along = np.sqrt(weights / weights.sum() + 1.0 / self.experts)
        play = compile_for(batches, channel)
        rng = streams(seed, trial=world).privacy
        found = np.empty(trials)
        at_once = max(1, AT_ONCE // self.experts)
        for start in range(0, trials, at_once):
            released = np.empty((min(at_once, trials - start), self.experts))
            play(channel, losses, vectors, weights, released, rng)
            if way == JOINT_LAPLACE:
                ratios = np.abs(released - middle) - np.abs(released - middle - shift)
                found[start : start + at_once] = ratios.sum(axis=1) / np.abs(shift).max()
            else:
                found[start : start + at_once] = released @ along
        return found


def batches(
    channel: Channel,
    losses: Floats,
    vectors: Floats,
    weights: Floats,
    released: Floats,
    rng: Generator,
) -> None:
    """Offer the same batch to a channel again and again, and keep what it releases."""
    total = weights.sum()
    for trial in range(released.shape[0]):
        for t in range(losses.size):
            _, out = channel.offer(losses[t], Estimate(0, 1.0, vectors[t], weights, total), rng)
        for j in range(out.size):
            released[trial, j] = out[j]


@attack_on(Estimates)
def one_estimate(private: Protected, facts: GameFacts) -> OneEstimate:
    """Return the attack with entries as large as the learner's mixing allows."""
    channel: Any = private.channel
    attack = OneEstimate(facts.bounds or channel.bounds, channel.sums.size)
    arms, mixing = 2 if facts.problem is None else facts.problem.actions, private.learner.mixing
    return attack._replace(importance=arms / mixing) if mixing > 0.0 else attack
