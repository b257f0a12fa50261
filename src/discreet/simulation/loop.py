"""The one game loop. It serves every kind of action, observation and feedback, compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from discreet.contracts import Action, Floats, Generator, Integers, Protected, Trace
from discreet.errors import DiscreetError
from discreet.kernel import arrays, as_plain, compilable, compile_for, copy, with_names
from discreet.problems import Game, ReactingGame
from discreet.randomness import Streams
from discreet.sets.in_python import failures_of, with_calls

Reached = tuple[int, int, float, tuple[Action, Trace, int]]  # round, mark, loss so far, and what is held
Loop = Callable[..., Reached]


class Held(NamedTuple):
    """An action that is still to be played for some rounds."""

    action: Action
    trace: Trace
    left: int


def play(
    private: Protected,
    game: Game,
    marks: Integers,
    scores: Floats,
    t: int,
    mark: int,
    loss: float,
    held: Held,
    learner_rng: Generator,
    privacy_rng: Generator,
) -> Reached:
    """Play on from round t until ``marks[-1]``, noting in ``scores`` the loss so far after the rounds in ``marks``.

    It returns earlier, after a release, if the learner is done or must pause. What is held is handed on, so that a game
    can be played piece by piece.
    """
    action, trace, left = held.action, held.trace, held.left
    going = True
    while going and mark < marks.size:
        while going and t < marks[mark]:
            if left == 0:
                action, trace = private.act(game.observe(t), learner_rng)
                left = private.hold_for(trace)
            left -= 1
            loss += game.loss(t, action)
            released = private.tell(trace, game.feedback(t, action), privacy_rng)
            t += 1
            going = not released or not (private.learner.must_pause() or private.learner.is_done())
        if going:
            scores[mark] = loss
            mark += 1
    return t, mark, loss, as_plain((action, trace, left))


class Player:
    """An algorithm in the middle of a game.

    ``rounds`` is how many rounds it has played: fewer than were dealt, if the learner is done.
    """

    def __init__(self, private: Protected, streams: Streams, *, compiled: bool = True) -> None:
        given, needed = private.channel.release_size(), private.learner.release_size()
        if given and needed and given != needed:  # compiled loops would read beyond an array's end
            lengths = f"the channel releases {given} numbers, but the learner needs {needed}"
            raise DiscreetError(f"{lengths}: give both the same dimension.")
        self.private = copy(private)
        self.rounds = 0
        self.memory: Any = None
        self._streams = streams
        self._fast, self._calls = with_calls(self.private)  # the same, with sets that stay in Python called from there
        self._compiled = compiled and compilable(self._fast)
        self._loss = 0.0
        self._held: Held | None = None

    def play(self, game: Game, marks: Integers) -> Floats:
        """Play the next rounds; return the loss since the start of the game after each number of rounds in ``marks``."""
        learner, scores = self.private.learner, np.empty(marks.size)
        if learner.follows:
            game = game.followed()
        if isinstance(game, ReactingGame):
            self.memory = game.memory.copy() if self.memory is None else self.memory
            game = game._replace(memory=self.memory)
        held = self._held or self.first(game)
        t = mark = 0
        while mark < marks.size and not learner.is_done():
            if learner.must_pause():
                learner.resume()
            with failures_of(self._calls):
                t, mark, self._loss, plain = self._loop(game, held)(
                    self._fast if self._compiled else self.private,
                    game,
                    marks,
                    scores,
                    t,
                    mark,
                    self._loss,
                    held,
                    self._streams.learner,
                    self._streams.privacy,
                )
            held = self._held = with_names(held, plain)
        scores[mark:] = self._loss
        self.rounds += t
        return scores

    def first(self, game: Game) -> Held:
        """Return the first action; it also tells the compiler of what type actions and traces are."""
        if self.private.learner.must_pause():
            self.private.learner.resume()
        if game.shows_private and not self.private.keeps_observations and self.private.guarantee.is_private:
            raise DiscreetError("the game shows private contexts, which Private hands to its learner: use OnDevice.")
        mine, theirs = self.private.learner.choices, game.choices
        if mine and theirs and mine != theirs:
            what = "dimensions" if game.action_shape else "actions"
            raise DiscreetError(f"the learner is for {mine:,} {what}, but the game has {theirs:,}: they must agree.")
        action, trace = self.private.act(game.observe(0), self._streams.learner)
        if game.action_shape is not None and np.shape(action) != game.action_shape:
            played, asked = (_action_words(shape) for shape in (np.shape(action), game.action_shape))
            raise DiscreetError(f"the learner plays {played}, but the game is played with {asked}.")
        return Held(action, trace, self.private.hold_for(trace))

    def _loop(self, game: Game, held: Held) -> Loop:
        if not self._compiled:
            return play
        loop: Any = compile_for(play, self._fast, game, held)
        # Without reference counting a view would come back as the array that it is a view of.
        chosen: Loop = loop.ordinary if any(array.base is not None for _, array in arrays(held)) else loop
        return chosen


def _action_words(shape: tuple[int, ...]) -> str:
    return f"points of shape {shape}" if shape else "one of several actions"
