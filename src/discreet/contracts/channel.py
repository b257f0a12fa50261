"""The contract of channels, the only objects that hold raw feedback."""

from __future__ import annotations

from typing import ClassVar, Generic, Self, TypeVar

from componentjit import map_parts
from discreet.components import Component
from discreet.contracts.learner import Learner
from discreet.contracts.noise import Noise, NoiseScale
from discreet.contracts.passing import Feedback, Generator, Query, Release
from discreet.guarantee import Guarantee

ENDLESS = 2**62  # more rounds than any run has; small additions still fit into 64 bits
Part = TypeVar("Part", bound="Channel")


class Channel(Component, Generic[Feedback, Release, Query]):
    """The only place that holds raw feedback. Its guarantee covers any use of its releases.

    ``take`` accepts feedback and ``release`` returns a value when one is due. ``offer`` does both;
    ``Private`` calls it, and a channel that releases in every round needs no other method.
    """

    # whether all outcomes must be learned before the next action is drawn
    in_order: ClassVar[bool] = False
    # whether all rounds enter one running sum, in their order of arrival
    one_stream: ClassVar[bool] = False
    # whether it stores raw feedback; otherwise ``offer`` releases in every round
    holds_feedback: ClassVar[bool] = True
    # whether noise is drawn before a release is due; such a channel has only ``offer``
    draws_while_taking: ClassVar[bool] = False
    example_feedback: ClassVar[object] = 0.75  # valid for the example, as is half of it
    example_query: ClassVar[object] = 1.0

    @classmethod
    def example(cls) -> Channel:
        """Return an example for the contract tests."""
        raise NotImplementedError

    def hold(self) -> int:
        """Return how many rounds to hold an action if the learner has no preference."""
        return 1

    def begin(self, patience: int) -> int:
        """Begin an action the learner asks to hold (0: no preference); return for how long."""
        return self.hold()

    def take(self, feedback: Feedback, query: Query) -> bool:
        """Take raw feedback; return whether a release is due."""
        raise NotImplementedError

    def release(self, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Draw noise; return whether a value is released, and the value."""
        raise NotImplementedError

    def nothing(self, query: Query) -> tuple[bool, Release]:
        """Report that nothing is released, with a placeholder of the type of a release."""
        # channels with other types of query override it
        return False, query * 0.0  # type: ignore[operator, return-value]

    def offer(self, feedback: Feedback, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Take raw feedback; return whether a value is released now, and the value."""
        if self.take(feedback, query):
            return self.release(query, rng)
        return self.nothing(query)

    def fork(self) -> Self:
        """Return a channel for the feedback to another decision that is still open."""
        return self

    def live(self) -> Self:
        """Return the channel for live use, with exact noise, or refuse.

        A channel that holds raw feedback is sealed: it releases values only inside a live run,
        which guards it against threads, forks, copies and failures.
        """
        return sealed(self._with_exact_noise()) if self.holds_feedback else self._with_exact_noise()

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, or refuse; by default there is none."""
        return self

    def rounds_seen(self) -> int:
        """Return how many rounds of a batch or stream it holds."""
        return 0

    def check_held(self) -> None:
        """Refuse to release a sum that the rounds held cannot add up to."""

    def max_rounds(self) -> int:
        """Return how many rounds it can serve."""
        return ENDLESS

    def release_size(self) -> int:
        """Return how many numbers a release has; 0 for one plain number."""
        return 0

    def feedback_size(self) -> int:
        """Return the length of feedback that is a vector; 0 for other feedback, or any length."""
        return 0

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        raise NotImplementedError

    def guarantee_with(self, learner: Learner) -> Guarantee:
        """Return the guarantee in combination with this particular learner."""
        return self.guarantee

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether all noise is Gaussian, so that one point determines the whole trade-off curve."""
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
