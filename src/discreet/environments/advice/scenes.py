"""Games with expert advice: each round shows what every expert would do, a distribution over arms each."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.problems import Advice, AdviceEnvironment, AdviceGame

GOOD, BAD = 0.3, 0.6  # how likely the good arm and all others lose
SURE = 0.8  # the share that an expert who knows, or misleads, puts on one arm
PHASES = 4


@register_environment(
    "advice-random", title="one good expert among many that guess", problem=Advice
)
class AdviceRandom(AdviceEnvironment):
    """One good expert among many that guess.

    There are 32 scenes, drawn at random in every round (8 for more than 1,000 experts), each with a
    good arm, which loses with probability 0.3, all others with 0.6. The first expert gives 0.8 to
    the good arm and the rest to all others; every other expert has for each scene a distribution
    drawn uniformly at random.
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = guesses(self.arms, self.experts)
        return game(table, good, rng, start, stop)


@register_environment(
    "advice-contextual", title="experts are policies on 16 contexts", problem=Advice
)
class AdviceContextual(AdviceEnvironment):
    """Experts are policies: each names one arm for each of 16 contexts, which come at random.

    The first expert names the good arm of every context; expert j of N names it in a share 1 - j /
    N of all contexts, drawn for each, and an arm at random otherwise. The good arm loses with
    probability 0.3, all others with 0.6.
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = policies(self.arms, self.experts)
        return game(table, good, rng, start, stop)


@register_environment(
    "advice-adversarial", title="experts whose quality switches four times", problem=Advice
)
class AdviceAdversarial(AdviceEnvironment):
    """Experts whose quality switches: a fourth of them knows in each fourth of the game, and misleads in the others.

    Who knows gives 0.8 to the good arm, who misleads to the next one, and both the rest to all
    others. The first expert knows in all but the last fourth. There are 8 scenes; the good arm
    loses with probability 0.3, all others with 0.6.
    """

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = switching(self.arms, self.experts)
        phase = np.minimum(PHASES * np.arange(start, stop) // self.rounds, PHASES - 1)
        return game(table, good, rng, start, stop, phase)


def game(
    table: Floats,
    good: Integers,
    rng: Generator,
    start: int,
    stop: int,
    phase: NDArray[np.int64] | int = 0,
) -> AdviceGame:
    """Return rounds in random scenes (of a phase) in which the good arm loses less often."""
    scenes = len(good)
    scene = (uniforms(rng, start, stop, 1, purpose=0)[:, 0] * scenes).astype(np.int64)
    arms = table.shape[1]
    chances = np.full((stop - start, arms), BAD)
    chances[np.arange(stop - start), good[scene]] = GOOD
    losses = (uniforms(rng, start, stop, arms, purpose=1) < chances).astype(np.float64)
    drawn = uniforms(rng, start, stop, 1, purpose=2)[:, 0].copy()
    return AdviceGame(losses=losses, table=table, which=phase * scenes + scene, uniforms=drawn)


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
