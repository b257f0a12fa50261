"""Learners that are overheard."""

from __future__ import annotations

from discreet.contracts import Action, Asked, Floats, Generator, Integers, Observation, Trace
from discreet.learners.wrapping import Wrapping

LONGEST_BATCH = 64  # rounds that a batch has in an audit, if the learner chooses its length


class Hearing(Wrapping[Action, Trace, float, Asked, Observation]):
    """A learner that is overheard: what is released to it is noted, and nothing else changes."""

    released: Floats
    counts: Integers  # actions, releases

    def patience(self, trace: Trace) -> int:
        """Leave the length of a batch to the channel: what noise it has does not depend on that."""
        return 0

    def is_done(self) -> bool:
        """Go on after the learner is done: what it does is post-processing, and there are trials to come."""
        return False

    def learn(self, trace: Trace, released: float) -> None:
        """Note what is released."""
        self.released[self.counts[1] % self.released.size] = released
        self.counts[1] += 1
        self.learner.learn(trace, released)


class HearingSums(Hearing[Action, Trace, Asked, Observation]):
    """Notes sums of batches whose length the learner chooses, as far as they are away from losses in the middle.

    Means of batches of different lengths are no trials of one kind; sums are. Batches are cut to
    ``LONGEST_BATCH``.
    """

    def learn(self, trace: Trace, released: float) -> None:
        """Note what is released, as a sum."""
        self.released[self.counts[1] % self.released.size] = (released - 0.5) * max(
            1, self.patience(trace)
        )
        self.counts[1] += 1
        self.learner.learn(trace, released)

    def patience(self, trace: Trace) -> int:
        """Hold an action as long as the learner wishes, within limits; a guarantee is for batches of any length."""
        return min(self.learner.patience(trace), LONGEST_BATCH)


class Listening(Hearing[int, Trace, Asked, Observation]):
    """A learner whose actions are noted too; each must be one of several."""

    actions: Integers

    def act(self, observation: Observation, rng: Generator) -> tuple[int, Trace]:
        """Note the action of the learner."""
        action, trace = self.learner.act(observation, rng)
        self.actions[self.counts[0] % self.actions.size] = action
        self.counts[0] += 1
        return action, trace
