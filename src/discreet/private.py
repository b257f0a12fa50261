"""Read this first: a private learner is an ordinary learner behind a privacy channel."""

from __future__ import annotations

from discreet.contracts import Channel, Generator, Learner, Protected
from discreet.contracts.passing import Action, Feedback, Observation, Query, Release, Trace
from discreet.guarantee import Guarantee


class Private(Protected[Action, Trace, Feedback, Observation, Release, Query]):
    """Joins a channel and a learner; whatever the learner does is as private as what the channel releases.

    **Theorem.** Let the sequence of values released by ``channel`` be (epsilon,
    delta)-differentially private, also when each round's feedback depends on what was released
    before. Then so is everything that this object does: all actions, the whole state of the
    learner, and anything computed from them.

    *Proof.* The learner draws with randomness of its own. Its state and actions are functions of
    that randomness, of the observations and queries, which are public, and of the released values:
    ``tell`` below is the only place where feedback enters, and it hands it to the channel alone.
    Functions of a private output, with independent randomness, are private (docs/proofs.md:
    Post-processing). A channel may prove something weaker, of one learner only. ∎

    So the guarantee belongs to the channel, and any learner can be put behind any channel in one
    line:

    >>> from discreet import Range, channels, learners
    >>> channel = channels.Batch.laplace(size=10, epsilon=0.5, bounds=Range(0.0, 1.0))
    >>> print(Private(channel, learners.Exp3.start(arms=4, learning_rate=0.01)).guarantee.short)
    0.5-differential privacy
    """

    channel: Channel[Feedback, Release, Query]
    learner: Learner[Action, Trace, Release, Query, Observation]

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return the learner's action and the trace to tell feedback with."""
        return self.learner.act(observation, rng)

    def hold_for(self, trace: Trace) -> int:
        """Return for how many rounds the action is to be played; asked once for every action, before its feedback."""
        return self.channel.begin(self.learner.patience(trace))

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Hand raw feedback to the channel; let the learner learn if something is released, and say whether it was."""
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released)
        return ready

    @property
    def guarantee(self) -> Guarantee:
        """The channel's guarantee, or what the channel proves of this very learner."""
        return self.channel.guarantee_with(self.learner)
