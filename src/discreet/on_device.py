"""Private contexts: devices choose and report, and the server learns from reports."""

from __future__ import annotations

from typing import ClassVar, Generic

from discreet.contracts import Channel, Generator, Policy, Protected, Server
from discreet.contracts.passing import Action, Feedback, Model, Observation, Query, Release
from discreet.guarantee import Guarantee


class OnDevice(
    Protected[Action, int, Feedback, Observation, Release, Query],
    Generic[Action, Feedback, Observation, Release, Query, Model],
):
    """Joins a device (policy and channel) and a server (the learner) that gets only reports.

    A round's datum is its whole record: all contexts that were shown, and the outcome. Neighbouring
    inputs differ in one record.

    **Theorem.** Let the sequence of reports that ``channel`` releases be (epsilon,
    delta)-differentially private, even when each round's record depends on earlier releases. Then
    so is everything that the server holds and publishes: the learner's whole state, all models, and
    anything computed from them. The same guarantee covers them together with the actions of all
    *other* rounds, whoever played them: the replaced record reaches these only through reports.

    *Proof.* ``act`` passes nothing to the learner, and its trace is empty. ``submit`` passes the
    record to the channel alone, and the learner gets only releases. So by induction over rounds,
    the learner's state and the model are functions of earlier reports, the same functions for both
    neighbours. The action of a round is a function of the model, of the contexts of that round and
    of its own coins. In rounds that are not replaced, all of these are functions of reports and of
    inputs that both neighbours share. Functions of a private output and independent randomness are
    private (docs/proofs.md: Devices). ∎

    *What it does not cover.* The action of the replaced round itself is a function of its contexts,
    without noise. **A server that sees the action voids the privacy of the context**, no matter how
    noisy the report is. So do user names, times and message lengths that depend on the action.
    """

    keeps_observations: ClassVar[bool] = True

    channel: Channel[Feedback, Release, Query]
    policy: Policy[Model, Action, Observation]
    learner: Server[Model, Release, Query]

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, int]:
        """Let the device choose with the published model; the trace for the server is empty."""
        return self.policy.choose(self.learner.model, observation, rng), 0

    def hold_for(self, trace: int) -> int:
        """Return one round: the next round shows other contexts."""
        return 1

    def submit(self, trace: int, feedback: Feedback, rng: Generator) -> tuple[bool, Release]:
        """Pass the record to the channel; return whether it reports a value now, and the value."""
        return self.channel.offer(feedback, self.learner.query(trace), rng)

    def deliver(self, trace: int, released: Release) -> None:
        """Pass a report to the server."""
        self.learner.learn(trace, released)

    def tell(self, trace: int, feedback: Feedback, rng: Generator) -> bool:
        """Take the record and learn from the report, if there is one; return whether there was."""
        ready, released = self.submit(trace, feedback, rng)
        if ready:
            self.deliver(trace, released)
        return ready

    @property
    def guarantee(self) -> Guarantee:
        """The channel's guarantee, or the one it proves for this particular learner."""
        return self.channel.guarantee_with(self.learner)
