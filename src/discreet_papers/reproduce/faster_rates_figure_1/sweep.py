"""EXP3 in loss form and in gain form, in two games that differ in one loss, with actions that are forced on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from componentjit import compile_for
from discreet.contracts import Floats
from discreet.environments import Leak
from discreet.learners import Exp3, Exp3Gain
from discreet.learners.arms.draws import Draw
from discreet_papers.reproduce.plan import Plan

RATE = 1e-4
Form = Literal["losses", "gains"]
FORMS: tuple[Form, ...] = ("losses", "gains")


class ForcedGame(NamedTuple):
    """EXP3 on losses or gains, in a game or in its neighbour."""

    form: Form
    neighbour: bool
    rounds: int
    rate: float = RATE


class Forced(NamedTuple):
    """A forced game, and the second arm's probability in every round."""

    game: ForcedGame
    probabilities: Floats


def sweep(rounds: int) -> tuple[ForcedGame, ...]:
    """Return both neighbouring games, for losses and for gains."""
    return tuple(
        ForcedGame(form, neighbour, rounds) for form in FORMS for neighbour in (False, True)
    )


def play(games: Sequence[ForcedGame], plan: Plan) -> list[Forced]:
    """Play all games, which takes a moment; nothing in them is random."""
    return [Forced(game, probabilities(game)) for game in games]


def probabilities(game: ForcedGame) -> Floats:
    """Return the second arm's probability in every round of a forced game."""
    learner: Exp3 | Exp3Gain = Exp3.start(arms=2, learning_rate=game.rate, mixing=game.rate)
    if game.form == "gains":
        learner = Exp3Gain.start(arms=2, mixing=game.rate)
    losses = Leak(2, neighbour=game.neighbour).deal(0, game.rounds, np.random.default_rng(0)).losses
    found = np.empty(game.rounds)
    compile_for(forced, learner)(learner, losses, game.rate, found)
    return found


def forced(learner: Exp3 | Exp3Gain, losses: Floats, mixing: float, probabilities: Floats) -> None:
    """Let a learner on two arms see alternating actions, the second arm first; note the second arm's probabilities."""
    values = learner.weights.values
    for t in range(losses.shape[0]):
        second = (1.0 - mixing) * values[1] / (values[0] + values[1]) + mixing / 2.0
        probabilities[t] = second
        arm = 1 - t % 2
        probability = second if arm == 1 else 1.0 - second
        learner.learn(Draw(arm, 1.0 / probability), losses[t, arm])
