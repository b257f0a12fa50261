"""A learner that wraps another one and delegates to it."""

from __future__ import annotations

from discreet.contracts import Action, Generator, Learner, Observation, Query, Release, Trace


class Around(Learner[Action, Trace, Release, Query, Observation]):
    """Holds ``learner``, which may have other traces and queries.

    A subclass defines ``act``, ``query`` and ``learn``.
    """

    learner: Learner

    @property
    def choices(self) -> int:
        """The number of choices of the learner."""
        return self.learner.choices

    @property
    def oracle_calls(self) -> int | None:
        """How often the learner has called a linear oracle."""
        return self.learner.oracle_calls

    def is_done(self) -> bool:
        """Stop when the learner does."""
        return self.learner.is_done()

    def must_pause(self) -> bool:
        """Pause when the learner must."""
        return self.learner.must_pause()

    def resume(self) -> None:
        """Let the learner run its steps that cannot be compiled."""
        self.learner.resume()

    def window(self, change: float) -> float:
        """Return the window of the learner."""
        return self.learner.window(change)

    def release_size(self) -> int:
        """Return the release size of the learner."""
        return self.learner.release_size()


class Wrapping(Around[Action, Trace, Release, Query, Observation]):
    """Delegates everything to ``learner``. A subclass changes one thing."""

    learner: Learner[Action, Trace, Release, Query, Observation]

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Let the learner act."""
        return self.learner.act(observation, rng)

    def query(self, trace: Trace) -> Query:
        """Return the query of the learner."""
        return self.learner.query(trace)

    def learn(self, trace: Trace, released: Release) -> None:
        """Let the learner learn."""
        self.learner.learn(trace, released)

    def give_up(self, trace: Trace) -> None:
        """Tell the learner that nothing will be released for an action."""
        self.learner.give_up(trace)

    def chance(self, trace: Trace, action: Action) -> float | None:
        """Return the probability of the learner's action."""
        return self.learner.chance(trace, action)

    def patience(self, trace: Trace) -> int:
        """Hold an action for as long as the learner asks."""
        return self.learner.patience(trace)


def chooses_lengths(learner: Learner) -> bool:
    """Return whether a learner may choose the length of its batches."""
    while isinstance(learner, Wrapping):
        learner = learner.learner
    return type(learner).patience is not Learner.patience
