"""The loop for games that accept only some actions, such as the replay of a log with contexts."""

from __future__ import annotations

from componentjit import as_plain
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
from discreet.problems import SkippingGame


def replay(
    private: Protected[Action, Trace, Feedback, Observation],
    game: SkippingGame[Action, Feedback, Observation],
    marks: Integers,
    scores: Floats,
    t: int,
    mark: int,
    loss: float,
    held: tuple[Action, Trace, int],
    learner_rng: Generator,
    privacy_rng: Generator,
) -> tuple[int, int, float, tuple[object, object, int]]:
    """Play like ``play``, but skip rounds that the game does not accept.

    The learner chooses again for the next observation, and learns only from accepted rounds. No
    action is held for more than a round, because each round shows something else.
    """
    action, trace, left = held
    going = True
    while going and mark < marks.size:
        while going and t < marks[mark]:
            if left == 0:
                action, trace = private.act(game.observe(t), learner_rng)
            left = 0
            while not game.accepts(action):
                game.skip()
                action, trace = private.act(game.observe(t), learner_rng)
            private.hold_for(trace)
            loss += game.loss(t, action)
            released = private.tell(trace, game.feedback(t, action), privacy_rng)
            t += 1
            going = not released or not (private.learner.must_pause() or private.learner.is_done())
        if going:
            scores[mark] = loss
            mark += 1
    return t, mark, loss, as_plain((action, trace, left))
