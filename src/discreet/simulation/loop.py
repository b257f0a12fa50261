"""The game loop. It serves every kind of action, observation and feedback, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, cast

import numpy as np

from componentjit import (
    Call,
    arrays,
    as_plain,
    compilable,
    compile_for,
    copier,
    copy,
    type_signature,
    vectorizable,
    was_compiled,
    with_names,
)
from discreet.contracts import (
    Action,
    Feedback,
    Floats,
    Generator,
    Integers,
    Observation,
    Protected,
    Trace,
)
from discreet.contracts.learner import check_act, check_methods
from discreet.errors import DiscreetError
from discreet.problems import Game, ReactingGame
from discreet.randomness import Streams
from discreet.sets.in_python import failures_of, with_calls
from discreet.simulation.replay import replay

# Round, mark, loss so far, and the held action.
Reached = tuple[int, int, float, tuple[object, object, int]]
Loop = Callable[..., Reached]


class Held(NamedTuple, Generic[Action, Trace]):
    """An action that is still to be played for some rounds."""

    action: Action
    trace: Trace
    left: int


@vectorizable(
    state="private",
    tables=("game", "scores"),
    uniform=("marks", "t", "mark"),
    carried=("loss", "held"),
    generators=("learner_rng", "privacy_rng"),
    running=("going",),
    returns=("t", "mark", "loss", "held"),
)
def play(
    private: Protected[Action, Trace, Feedback, Observation],
    game: Game[Action, Feedback, Observation],
    marks: Integers,
    scores: Floats,
    t: int,
    mark: int,
    loss: float,
    held: Held[Action, Trace],
    learner_rng: Generator,
    privacy_rng: Generator,
) -> Reached:
    """Play from round t to ``marks[-1]``; write the loss so far at each mark into ``scores``.

    It returns earlier, after a release, if the learner is done or must pause. The held action is an
    argument and a result, so that a game can be played piece by piece.
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


class Prototype:
    """The common parts of all players of one algorithm, computed once for many trials."""

    def __init__(self, private: Protected, *, compiled: bool = True) -> None:
        check_methods(private.learner)
        given, needed = private.channel.release_size(), private.learner.release_size()
        if given and needed and given != needed:  # compiled loops would read beyond an array's end
            lengths = f"the channel releases {given} numbers, but the learner needs {needed}"
            raise DiscreetError(f"{lengths}: give both the same dimension.")
        self._start = copy(private)
        self._copy = copier(self._start)
        fast, calls = with_calls(self._start)
        self.has_calls = bool(calls)
        self.compiled = compiled and compilable(fast)
        # Compiled loops, by the types of the game and of the held action.
        self.loops: dict[object, Loop] = {}
        # The placeholder before the first action, by the types of the game.
        self.openings: dict[object, Held] = {}

    def begin(self) -> Protected:
        """Return a copy of the algorithm as it is before its first round."""
        return self._start if self._copy is None else self._copy(self._start)


class Player:
    """An algorithm in the middle of a game.

    ``rounds`` is how many rounds it has played: fewer than were dealt, if the learner is done.
    """

    def __init__(
        self, private: Protected | Prototype, streams: Streams, *, compiled: bool = True
    ) -> None:
        self._prototype = (
            private if isinstance(private, Prototype) else Prototype(private, compiled=compiled)
        )
        self.private = self._prototype.begin()
        self.rounds = 0
        self.memory: Any = None
        self._streams = streams
        self._fast, self._calls = self.private, list[Call]()
        if self._prototype.has_calls:  # the same, with sets that stay in Python called from there
            self._fast, self._calls = with_calls(self.private)
        self._compiled = self._prototype.compiled
        self._loss = 0.0
        self._held: tuple[Held, Any] | None = None  # with names, and as compiled code left it

    def play(self, game: Game, marks: Integers) -> Floats:
        """Play the next rounds; return the loss since the start of the game at each mark."""
        learner, scores = self.private.learner, np.empty(marks.size)
        game = self.as_played(game)
        kinds = type_signature((game, marks)) if self._compiled else ()
        held = with_names(*self._held) if self._held else self._opening(game, kinds)
        playing = self._fast if self._compiled else self.private
        t = mark = 0
        while mark < marks.size and not learner.is_done():
            if learner.must_pause():
                learner.resume()
            learner_rng, privacy_rng = self._streams.learner, self._streams.privacy
            arguments = (
                playing,
                game,
                marks,
                scores,
                t,
                mark,
                self._loss,
                held,
                learner_rng,
                privacy_rng,
            )
            loop = self._loop(arguments, kinds, held)
            t, mark, self._loss, plain = (
                self._calling(loop, arguments) if self._calls else loop(*arguments)
            )
            self._held = held, plain
            if mark < marks.size:
                held = with_names(held, plain)
        scores[mark:] = self._loss
        self.rounds += t
        return scores

    def is_kept(self, game: Game) -> bool:
        """Return whether the loop for such a game was compiled, now or in an earlier process."""
        played = self.as_played(game)
        return was_compiled(loop_for(played), self._fast, played, self.first(played))

    def as_played(self, game: Game) -> Game:
        """Return the game as this player sees it: with experts to follow, or with its memory."""
        if self.private.learner.follows:
            game = game.followed()
        if isinstance(game, ReactingGame):
            self.memory = game.memory.copy() if self.memory is None else self.memory
            game = game._replace(memory=self.memory)
        return game

    def _calling(self, loop: Loop, arguments: tuple[object, ...]) -> Reached:
        with failures_of(self._calls):
            return loop(*arguments)

    def _opening(self, game: Game, kinds: object) -> Held:
        """Return the initial held action, or a placeholder if compiled code can draw it."""
        openings, key = self._prototype.openings, (kinds, game.choices)
        if key in openings:
            return openings[key]
        held = self.first(game)
        # Arrays would belong to this player alone.
        if self._compiled and not any(True for _ in arrays(held)):
            openings[key] = held._replace(left=0)
        return held

    def first(self, game: Game) -> Held:
        """Return the first action; it also tells the compiler the types of actions and traces."""
        if self.private.learner.must_pause():
            self.private.learner.resume()
        if (
            game.shows_private
            and not self.private.keeps_observations
            and self.private.guarantee.is_private
        ):
            raise DiscreetError(
                "the game shows private contexts, which Private hands to its learner: use OnDevice."
            )
        mine, theirs = self.private.learner.choices, game.choices
        if mine and theirs and mine != theirs:
            what = "dimensions" if game.action_shape else "actions"
            raise DiscreetError(
                f"the learner is for {mine:,} {what}, but the game has {theirs:,}: they must agree."
            )
        returned: Any = self.private.act(game.observe(0), self._streams.learner)
        check_act(self.private.learner, returned)
        action, trace = returned
        if game.action_shape is not None and np.shape(action) != game.action_shape:
            played, asked = (
                _action_words(shape) for shape in (np.shape(action), game.action_shape)
            )
            raise DiscreetError(f"the learner plays {played}, but the game is played with {asked}.")
        return Held(action, trace, self.private.hold_for(trace))

    def _loop(self, arguments: tuple[object, ...], kinds: object, held: Held) -> Loop:
        ordinary = loop_for(cast(Game, arguments[1]))
        if not self._compiled:
            return ordinary
        settled, key = self._prototype.loops, (kinds, type_signature(held))
        if key in settled:
            return settled[key]
        # Without reference counting a view would come back as the array that it is a view of.
        views = any(array.base is not None for _, array in arrays(held))
        loop: Any = compile_for(ordinary, *arguments[:2], held)

        def first_call(*given: object) -> Reached:
            reached: Reached = (loop.ordinary if views else loop)(*given)
            settled[key] = loop.entry(arguments, lean=not (views or loop.must_allocate))
            return reached

        return first_call


def loop_for(game: Game) -> Loop:
    """Return the loop that plays a game."""
    return replay if game.skips else play


def _action_words(shape: tuple[int, ...]) -> str:
    return f"points of shape {shape}" if shape else "one of several actions"
