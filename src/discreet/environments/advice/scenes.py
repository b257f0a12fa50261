"""Games with expert advice: each round shows every expert's distribution over arms."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.problems import Advice, AdviceEnvironment, AdviceGame

GOOD, BAD = 0.3, 0.6  # the probability of a loss for the good arm, and for all others
SURE = 0.8  # the probability that an expert who knows, or misleads, puts on one arm
PHASES = 4  # of advice-adversarial


@register_environment("advice-random", title="one good expert among many who guess", problem=Advice)
class AdviceRandom(AdviceEnvironment):
    """One good expert among many who guess.

    There are 32 scenes (8 for more than 1,000 experts), and every round draws one at random. Each
    scene has a good arm, which loses with probability 0.3; all others lose with probability 0.6.
    The first expert gives 0.8 to the good arm and the rest to all others; every other expert has
    for each scene a distribution drawn uniformly at random.
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = make_guesses(self.arms, self.experts)
        return make_game(table, good, rng, start, stop)


@register_environment(
    "advice-contextual", title="experts are policies on 16 contexts", problem=Advice
)
class AdviceContextual(AdviceEnvironment):
    """Experts are policies: each names one arm for each of 16 contexts, drawn at random.

    The first expert names the good arm of every context. Expert j of N names it in each context
    with probability 1 - j / N, and an arm at random otherwise. The good arm loses with probability
    0.3, all others with 0.6.
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = make_policies(self.arms, self.experts)
        return make_game(table, good, rng, start, stop)


@register_environment(
    "advice-adversarial", title="experts whose quality switches four times", problem=Advice
)
class AdviceAdversarial(AdviceEnvironment):
    """Experts whose quality switches with each quarter of the game.

    In each quarter a different quarter of the experts knows the good arm, and the others mislead.
    An expert who knows gives 0.8 to the good arm, one who misleads gives 0.8 to the next arm, and
    both give the rest to all others. The first expert knows in all quarters but the last. There are
    8 scenes; the good arm loses with probability 0.3, all others with 0.6.
    """

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> AdviceGame:
        """Return rounds start to stop."""
        table, good = make_switching(self.arms, self.experts)
        phase = np.minimum(PHASES * np.arange(start, stop) // self.rounds, PHASES - 1)
        return make_game(table, good, rng, start, stop, phase)


def make_game(
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
def make_guesses(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return scenes with one expert who knows and many who guess, and each scene's good arm."""
    scenes = 32 if experts <= 1000 else 8
    rng = np.random.default_rng([arms, experts])
    good = rng.integers(0, arms, scenes)
    table = rng.standard_exponential((scenes, arms, experts))
    table /= table.sum(axis=1, keepdims=True)
    table[:, :, 0] = _concentrate(arms, good)
    return _freeze(table), good


@functools.lru_cache(maxsize=4)
def make_policies(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return contexts with experts that name one arm each, and each context's good arm."""
    contexts = 16
    rng = np.random.default_rng([arms, experts, 1])
    good = rng.integers(0, arms, contexts)
    knows = rng.random((contexts, experts)) < 1.0 - np.arange(experts) / experts
    named = np.where(knows, good[:, None], rng.integers(0, arms, (contexts, experts)))
    return _freeze((np.arange(arms)[None, :, None] == named[:, None, :]).astype(np.float64)), good


@functools.lru_cache(maxsize=4)
def make_switching(arms: int, experts: int) -> tuple[Floats, Integers]:
    """Return the scenes of all phases, one phase after the other, and each scene's good arm."""
    scenes = 8
    rng = np.random.default_rng([arms, experts, 2])
    good = rng.integers(0, arms, scenes)
    table = np.empty((PHASES, scenes, arms, experts))
    for phase in range(PHASES):
        for expert in range(experts):
            knows = expert % PHASES == phase or (expert == 0 and phase < PHASES - 1)
            table[phase, :, :, expert] = _concentrate(arms, good if knows else (good + 1) % arms)
    return _freeze(table.reshape(PHASES * scenes, arms, experts)), good


def _concentrate(arms: int, named: Integers) -> Floats:
    """Return distributions over arms with most of the mass on one, one row each."""
    rows = np.full((len(named), arms), (1.0 - SURE) / (arms - 1))
    rows[np.arange(len(named)), named] = SURE
    return rows


def _freeze(table: Floats) -> Floats:
    """Return the table, which all games share, write-protected."""
    table.setflags(write=False)
    return table
