"""Where contexts are private too: devices choose and report, the server learns from reports."""

from __future__ import annotations

from typing import ClassVar, Generic

from discreet.contracts import Channel, Generator, Policy, Protected, Server
from discreet.contracts.passing import Action, Feedback, Model, Observation, Query, Release
from discreet.guarantee import Guarantee


class OnDevice(
    Protected[Action, int, Feedback, Observation, Release, Query],
    Generic[Action, Feedback, Observation, Release, Query, Model],
):
    """Joins a device (policy and channel) with a server (the learner) that gets only reports.

    A round's datum is its whole record: all contexts that were shown, and the outcome. Neighbours
    replace one.

    **Theorem.** Let the sequence of reports that ``channel`` releases be (epsilon,
    delta)-differentially private, also when each round's record depends on what was released
    before. Then so is everything that the server holds and publishes: the learner's whole state,
    all models, and anything computed from them. Together with it, so are the actions of all
    *other* rounds, whoever played them: the replaced record reaches them only through reports.

    *Proof.* ``act`` hands nothing to the learner, and its trace is empty; ``submit`` hands the
    record to the channel alone, and the learner gets only what is released. So by induction over
    rounds the state of the learner, and the model, are functions of earlier reports, the same
    functions for both neighbours. The action of a round is a function of the model, of the contexts
    of that round and of coins of its own; in rounds that are not replaced all of these are
    functions of reports and of what both neighbours share. Functions of a private output, with
    independent randomness, are private (docs/proofs.md: Devices). ∎

    *What it does not cover.* The action of the replaced round itself is a function of its contexts,
    without noise. **A server that sees the action voids the privacy of the context**, whatever the
    report says; so do user names, times and lengths of messages that depend on the action.
    """

    keeps_observations: ClassVar[bool] = True

    channel: Channel[Feedback, Release, Query]
    policy: Policy[Model, Action, Observation]
    learner: Server[Model, Release, Query]

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, int]:
        """Let the device choose with the published model; the trace for the server is empty."""
        return self.policy.choose(self.learner.model, observation, rng), 0

    def hold_for(self, trace: int) -> int:
        """Return one round: the next one shows other contexts."""
        return 1

    def submit(self, trace: int, feedback: Feedback, rng: Generator) -> tuple[bool, Release]:
        """Hand the record to the channel; return whether it reports a value now, and which."""
        return self.channel.offer(feedback, self.learner.query(trace), rng)

    def deliver(self, trace: int, released: Release) -> None:
        """Hand a report to the server."""
        self.learner.learn(trace, released)

    def tell(self, trace: int, feedback: Feedback, rng: Generator) -> bool:
        """Take the record and learn from the report, if there is one; return whether there was."""
        ready, released = self.submit(trace, feedback, rng)
        if ready:
            self.deliver(trace, released)
        return ready

    @property
    def guarantee(self) -> Guarantee:
        """The channel's guarantee, or what the channel proves of this very learner."""
        return self.channel.guarantee_with(self.learner)
