"""The contract of channels: only they hold raw feedback."""

from __future__ import annotations

from typing import ClassVar, Generic, Self, TypeVar

from componentjit import map_parts
from discreet.components import Component
from discreet.contracts.learner import Learner
from discreet.contracts.noise import Noise, NoiseScale
from discreet.contracts.passing import Feedback, Generator, Query, Release
from discreet.guarantee import Guarantee

ENDLESS = 2**62  # rounds: more than any run has, and still a 64-bit integer when added to
Part = TypeVar("Part", bound="Channel")


class Channel(Component, Generic[Feedback, Release, Query]):
    """The only place that holds raw feedback. Its guarantee covers any use of what it releases.

    Feedback is *taken*, and what is due is *released*. ``offer`` does both; it is what ``Private``
    calls, and the only method that a channel must have if it releases every round at once.
    """

    # whether all outcomes must be learned before the next action is drawn
    in_order: ClassVar[bool] = False
    # whether all rounds enter one running sum, in the order in which they come
    one_stream: ClassVar[bool] = False
    # whether raw feedback stays; otherwise ``offer`` releases each round at once
    holds_feedback: ClassVar[bool] = True
    # whether noise is drawn before a release is due: then there is only ``offer``
    draws_while_taking: ClassVar[bool] = False
    example_feedback: ClassVar[object] = 0.75  # valid for the example, and half of it too
    example_query: ClassVar[object] = 1.0

    @classmethod
    def example(cls) -> Channel:
        """Return one to check the contract with."""
        raise NotImplementedError

    def hold(self) -> int:
        """Return how many rounds in a row an action is played if the learner has no wish."""
        return 1

    def begin(self, patience: int) -> int:
        """Begin an action that the learner wishes to hold (0: no wish); return for how long."""
        return self.hold()

    def take(self, feedback: Feedback, query: Query) -> bool:
        """Take raw feedback; return whether a release is due."""
        raise NotImplementedError

    def release(self, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Draw noise; return whether something is released, and what."""
        raise NotImplementedError

    def nothing(self, query: Query) -> tuple[bool, Release]:
        """Return that nothing is released, with a value of the type of a release."""
        # a channel with other queries overrides it
        return False, query * 0.0  # type: ignore[operator, return-value]

    def offer(self, feedback: Feedback, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Take raw feedback; return whether something is released now, and what."""
        if self.take(feedback, query):
            return self.release(query, rng)
        return self.nothing(query)

    def fork(self) -> Self:
        """Return the channel that takes the feedback to another, still open, decision."""
        return self

    def live(self) -> Self:
        """Return the channel for live use, with exact noise, or refuse.

        A channel that holds raw feedback is sealed: it releases values only inside a live run,
        which guards it against threads, forks, copies and failures.
        """
        return sealed(self._with_exact_noise()) if self.holds_feedback else self._with_exact_noise()

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, or refuse: here there is none."""
        return self

    def rounds_seen(self) -> int:
        """Return how many rounds of a batch or a stream are held."""
        return 0

    def check_held(self) -> None:
        """Refuse to release a sum that the rounds cannot have added up to."""

    def max_rounds(self) -> int:
        """Return how many rounds it can serve."""
        return ENDLESS

    def release_size(self) -> int:
        """Return how many numbers a release has; 0 for one plain number."""
        return 0

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed, computed from the noise that is really added."""
        raise NotImplementedError

    def guarantee_with(self, learner: Learner) -> Guarantee:
        """Return what is guaranteed with this very learner."""
        return self.guarantee

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether all noise is Gaussian: then one point of the trade-off curve gives all of it."""
        return False

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise that is added, in the units of the feedback."""
        return ()


def sealed(channel: Part) -> Part:
    """Return a channel whose exact noise refuses to be drawn."""
    return map_parts(channel, Noise, lambda noise: noise.sealed())


def unsealed(channel: Part) -> Part:
    """Return a channel whose exact noise can be drawn, for live runs (guarded) and audits."""
    return map_parts(channel, Noise, lambda noise: noise.unsealed())
