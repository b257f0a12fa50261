"""The one game loop. It serves every kind of action, observation and feedback, compiled and as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.contracts import Floats, Game, Generator, Integers
from discreet.errors import DiscreetError
from discreet.kernel import arrays, compilable, compile_for, copy
from discreet.private import Private
from discreet.randomness import Streams


def play(
    private: Private,
    game: Game,
    marks: Integers,
    scores: Floats,
    loss: float,
    action: Any,
    trace: Any,
    left: int,
    learner_rng: Generator,
    privacy_rng: Generator,
) -> tuple[float, Any, Any, int]:
    """Play ``marks[-1]`` rounds, noting the loss so far after each number of rounds in ``marks``.

    ``action`` is still to be held for ``left`` rounds; what is held at the end is returned, so that a game can be played
    piece by piece.
    """
    hold = private.channel.hold()
    t = 0
    for mark in range(marks.size):
        while t < marks[mark]:
            if left == 0:
                action, trace = private.act(game.observe(t), learner_rng)
                left = hold
            left -= 1
            loss += game.loss(t, action)
            private.tell(trace, game.feedback(t, action), privacy_rng)
            t += 1
        scores[mark] = loss
    return loss, action, trace, left


class Player:
    """An algorithm in the middle of a game."""

    def __init__(self, private: Private, streams: Streams, *, compiled: bool = True) -> None:
        released, sums = getattr(private.channel, "released", None), getattr(private.learner, "sums", None)
        if released is not None and sums is not None and np.shape(released) != np.shape(sums):
            lengths = f"the channel releases {np.size(released)} numbers, but the learner needs {np.size(sums)}"
            raise DiscreetError(f"{lengths}: give both the same dimension.")  # compiled loops read beyond an array's end
        self.private = copy(private)
        self._streams = streams
        self._compiled = compiled and compilable(private)
        self._loss = 0.0
        self._held: tuple[Any, Any, int] | None = None
        self.memory: Any = None

    def play(self, game: Any, marks: Integers) -> Floats:
        """Play the next rounds; return the loss since the start of the game after each number of rounds in ``marks``."""
        if getattr(self.private.learner, "follows", False):  # actions are experts: the game lets them draw an arm
            game = game.followed()
        if self._held is None:
            action, trace = self.private.act(game.observe(0), self._streams.learner)
            self._held = action, trace, self.private.channel.hold()
        if hasattr(game, "memory"):  # of an adversary that reacts: every player has one of its own
            self.memory = game.memory.copy() if self.memory is None else self.memory
            game = game._replace(memory=self.memory)
        scores = np.empty(marks.size)
        loop: Any = play
        if self._compiled:
            loop = compile_for(play, self.private, game, self._held)
            if any(array.base is not None for _, array in arrays(self._held)):
                loop = (
                    loop.ordinary
                )  # without reference counting a view would come back as the array that it is a view of
        learner_rng, privacy_rng = self._streams.learner, self._streams.privacy
        self._loss, *held = loop(self.private, game, marks, scores, self._loss, *self._held, learner_rng, privacy_rng)
        self._held = held[0], held[1], held[2]
        return scores
