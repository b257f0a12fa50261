"""Games with expert advice: each round shows what every expert would do, a distribution over arms each."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Environment, Floats, Game, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.arms.game import least
from discreet.errors import DiscreetError

GOOD, BAD = 0.3, 0.6  # how likely the good arm and all others lose
SURE = 0.8  # the share that an expert who knows, or misleads, puts on one arm
PHASES = 4


class AdviceGame(Game):
    """Rounds with advice: ``table[which[t]]`` is the advice of round t, ``losses[t, i]`` the loss of arm i.

    Advice is kept by arms: entry (i, j) is the probability that expert j gives to arm i, so that all that a learner needs
    after playing an arm lies in one row.
    """

    losses: Floats
    table: Floats  # scene, arm, expert
    which: Integers
    luck: Floats  # decides what those do who follow one expert

    def observe(self, t: int) -> Floats:
        """Show the advice, arms by experts."""
        scene: Floats = self.table[self.which[t]]
        return scene

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that was played."""
        loss: float = self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same: the feedback is the loss."""
        if not 0 <= action < self.losses.shape[1]:  # compiled code would read other memory
            raise DiscreetError(
                "the learner played an arm that the game does not have: their numbers of arms must agree."
            )
        loss: float = self.losses[t, action]
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return each expert's expected loss over each stretch."""
        rows = []
        for start, stop in zip(starts, [*starts[1:], len(self.which)], strict=True):
            sums = np.zeros(self.table.shape[:2])
            np.add.at(sums, self.which[start:stop], self.losses[start:stop])
            scenes = np.flatnonzero(sums.any(axis=1))
            rows.append(np.einsum("ca,cae->e", sums[scenes], self.table[scenes]))
        return np.array(rows)

    def followed(self) -> FollowedGame:
        """Return the game of those who play experts: to follow one is to do what it draws."""
        return FollowedGame(self.losses, self.table, self.which, self.luck)


class FollowedGame(Game):
    """The same rounds for actions that are experts: an arm is drawn from the advice of the one that is followed.

    That is lines 4 and 5 of Faster rates 2025, Algorithm 5: any bandit learner can play it.
    """

    losses: Floats
    table: Floats
    which: Integers
    luck: Floats

    def carried_out(self, t: int, action: int) -> int:
        """Return the arm that the expert draws in this round."""
        scene, left = self.which[t], float(self.luck[t])
        last = int(self.table.shape[1]) - 1
        for arm in range(last):
            left -= self.table[scene, arm, action]
            if left < 0.0:
                return arm
        return last

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that the expert draws."""
        loss: float = self.losses[t, self.carried_out(t, action)]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same."""
        if not 0 <= action < self.table.shape[2]:
            raise DiscreetError(
                "the learner followed an expert that the game does not have: their numbers of experts must agree."
            )
        loss: float = self.losses[t, self.carried_out(t, action)]
        return loss


class AdviceRandom(Environment):
    """One good expert among many that guess.

    There are 32 scenes, drawn at random in every round (8 for more than 1,000 experts), each with a good arm, which
    loses with probability 0.3, all others with 0.6. The first expert gives 0.8 to the good arm and the rest to all
    others; every other expert has for each scene a distribution drawn uniformly at random.
    """

    arms: int
    experts: int

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = guesses(self.arms, self.experts)
        return game(table, good, rng, start, stop)

    def best(self, total: Floats) -> float:
        """Return the loss of the best expert."""
        return least(total)


class AdviceContextual(Environment):
    """Experts are policies: each names one arm for each of 16 contexts, which come at random.

    The first expert names the good arm of every context; expert j of N names it in a share 1 - j / N of all contexts,
    drawn for each, and an arm at random otherwise. The good arm loses with probability 0.3, all others with 0.6.
    """

    arms: int
    experts: int

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = policies(self.arms, self.experts)
        return game(table, good, rng, start, stop)

    def best(self, total: Floats) -> float:
        """Return the loss of the best expert."""
        return least(total)


class AdviceAdversarial(Environment):
    """Experts whose quality switches: a fourth of them knows in each fourth of the game, and misleads in the others.

    Who knows gives 0.8 to the good arm, who misleads to the next one, and both the rest to all others. The first expert
    knows in all but the last fourth. There are 8 scenes; the good arm loses with probability 0.3, all others with 0.6.
    """

    arms: int
    experts: int
    rounds: int

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = switching(self.arms, self.experts)
        phase = np.minimum(PHASES * np.arange(start, stop) // self.rounds, PHASES - 1)
        return game(table, good, rng, start, stop, phase)

    def best(self, total: Floats) -> float:
        """Return the loss of the best expert."""
        return least(total)


def game(
    table: Floats, good: Integers, rng: Generator, start: int, stop: int, phase: NDArray[np.int64] | int = 0
) -> AdviceGame:
    """Return rounds in random scenes (of a phase) in which the good arm loses less often."""
    scenes = len(good)
    scene = (uniforms(rng, start, stop, 1, purpose=0)[:, 0] * scenes).astype(np.int64)
    arms = table.shape[1]
    chances = np.full((stop - start, arms), BAD)
    chances[np.arange(stop - start), good[scene]] = GOOD
    losses = (uniforms(rng, start, stop, arms, purpose=1) < chances).astype(np.float64)
    return AdviceGame(losses, table, phase * scenes + scene, uniforms(rng, start, stop, 1, purpose=2)[:, 0].copy())


@functools.lru_cache(maxsize=4)
def guesses(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return scenes with one expert who knows and many that guess, and the good arm of each."""
    scenes = 32 if experts <= 1000 else 8
    rng = np.random.default_rng([arms, experts])
    good = rng.integers(0, arms, scenes)
    table = rng.standard_exponential((scenes, arms, experts))
    table /= table.sum(axis=1, keepdims=True)
    table[:, :, 0] = _sure(arms, good)
    return _frozen(table), good


@functools.lru_cache(maxsize=4)
def policies(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return contexts with experts that name one arm each, and the good arm of each."""
    contexts = 16
    rng = np.random.default_rng([arms, experts, 1])
    good = rng.integers(0, arms, contexts)
    knows = rng.random((contexts, experts)) < 1.0 - np.arange(experts) / experts
    named = np.where(knows, good[:, None], rng.integers(0, arms, (contexts, experts)))
    return _frozen((np.arange(arms)[None, :, None] == named[:, None, :]).astype(np.float64)), good


@functools.lru_cache(maxsize=4)
def switching(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return the scenes of all phases, one phase after the other, and the good arm of each scene."""
    scenes = 8
    rng = np.random.default_rng([arms, experts, 2])
    good = rng.integers(0, arms, scenes)
    table = np.empty((PHASES, scenes, arms, experts))
    for phase in range(PHASES):
        for expert in range(experts):
            knows = expert % PHASES == phase or (expert == 0 and phase < PHASES - 1)
            table[phase, :, :, expert] = _sure(arms, good if knows else (good + 1) % arms)
    return _frozen(table.reshape(PHASES * scenes, arms, experts)), good


def _sure(arms: int, named: Integers) -> Floats:
    """Return distributions over arms with the most on one of them, a row for each."""
    rows = np.full((len(named), arms), (1.0 - SURE) / (arms - 1))
    rows[np.arange(len(named)), named] = SURE
    return rows


def _frozen(table: Floats) -> Floats:
    """Return the table, which all games share, as one that cannot be changed."""
    table.setflags(write=False)
    return table
