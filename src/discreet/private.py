"""Read this first: a private learner is an ordinary learner behind a privacy channel."""

from __future__ import annotations

from discreet.contracts import Channel, Generator, Learner, Protected
from discreet.contracts.passing import Action, Feedback, Observation, Query, Release, Trace
from discreet.guarantee import Guarantee


class Private(Protected[Action, Trace, Feedback, Observation, Release, Query]):
    """Joins a channel and a learner: everything the learner does is as private as the releases.

    **Theorem.** Let the values released by ``channel`` be (epsilon, delta)-differentially private,
    even when each round's feedback depends on earlier releases. Then so is everything this object
    does: all actions, the learner's whole state, and anything computed from them.

    *Proof.* The learner's state and actions are functions of its own randomness, the public
    observations and queries, and the released values. Feedback enters only in ``submit`` below,
    which passes it to the channel alone. Functions of a private output and independent randomness
    are private (docs/proofs.md: Post-processing). ∎ A channel may instead prove a weaker statement
    that holds for one learner only.

    So the guarantee belongs to the channel. Any learner fits behind any channel:

    >>> from discreet import Range, channels, learners
    >>> channel = channels.Batch.laplace(size=10, epsilon=0.5, bounds=Range(0.0, 1.0))
    >>> print(Private(channel, learners.Exp3.start(arms=4, learning_rate=0.01)).guarantee.short)
    0.5-differential privacy
    """

    channel: Channel[Feedback, Release, Query]
    learner: Learner[Action, Trace, Release, Query, Observation]

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return the learner's action and the trace that ``tell`` needs."""
        return self.learner.act(observation, rng)

    def hold_for(self, trace: Trace) -> int:
        """Return how many rounds to play the action; called once per action, before feedback."""
        return self.channel.begin(self.learner.patience(trace))

    def submit(self, trace: Trace, feedback: Feedback, rng: Generator) -> tuple[bool, Release]:
        """Pass raw feedback to the channel; return whether it releases a value, and the value."""
        return self.channel.offer(feedback, self.learner.query(trace), rng)

    def deliver(self, trace: Trace, released: Release) -> None:
        """Pass a released value to the learner."""
        self.learner.learn(trace, released)

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Take feedback and learn from the release, if there is one; return whether there was."""
        ready, released = self.submit(trace, feedback, rng)
        if ready:
            self.deliver(trace, released)
        return ready

    @property
    def guarantee(self) -> Guarantee:
        """The channel's guarantee, or the one it proves for this particular learner."""
        return self.channel.guarantee_with(self.learner)
