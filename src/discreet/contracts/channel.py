"""The contract of channels: what alone holds raw feedback."""

from __future__ import annotations

from typing import ClassVar, Generic, Self, TypeVar

from componentjit import map_parts
from discreet.components import Component
from discreet.contracts.learner import Learner
from discreet.contracts.noise import Noise, NoiseScale
from discreet.contracts.passing import Feedback, Generator, Query, Release
from discreet.guarantee import Guarantee

ENDLESS = 2**62  # rounds
Part = TypeVar("Part", bound="Channel")


class Channel(Component, Generic[Feedback, Release, Query]):
    """The only place that holds raw feedback. Its guarantee covers whatever is done with what it releases.

    Feedback is *taken*, and what is due is *released*: two steps, so that a program can keep what
    it was told before anything is drawn. ``offer`` does both.
    """

    in_order: ClassVar[bool] = (
        False  # whether all outcomes must be learned before the next action is drawn
    )
    one_stream: ClassVar[bool] = (
        False  # whether all rounds enter one running sum, in the order in which they come
    )
    holds_feedback: ClassVar[bool] = (
        True  # whether raw feedback stays; else each round is released at once, by offer
    )
    draws_while_taking: ClassVar[bool] = (
        False  # whether noise is drawn before a release is due: then offer does both
    )
    example_feedback: ClassVar[object] = 0.75  # valid for the example, and half of it too
    example_query: ClassVar[object] = 1.0

    @classmethod
    def example(cls) -> Channel:
        """Return one to check the contract with."""
        raise NotImplementedError

    def hold(self) -> int:
        """Return for how many rounds in a row an action is played, where the learner does not say."""
        return 1

    def begin(self, patience: int) -> int:
        """Begin with an action that the learner wants to hold, 0 for no wish; return for how many rounds it is played."""
        return self.hold()

    def take(self, feedback: Feedback, query: Query) -> bool:
        """Take raw feedback; return whether a release is due."""
        raise NotImplementedError

    def release(self, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Draw noise; return whether something is released, and what."""
        raise NotImplementedError

    def nothing(self, query: Query) -> tuple[bool, Release]:
        """Return that nothing is released, with a value of the type of a release."""
        return False, query * 0.0  # type: ignore[operator, return-value] # who takes other queries says so

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

        One that holds raw feedback is sealed: it releases nothing by itself, but inside a live run
        alone, which sees to threads, processes, copies and failures.
        """
        return sealed(self._with_exact_noise()) if self.holds_feedback else self._with_exact_noise()

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, or refuse: here there is none."""
        return self

    def rounds_seen(self) -> int:
        """Return how many rounds of a batch or a stream are held."""
        return 0

    def most_rounds(self) -> int:
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
        """Whether all that is released has Gaussian noise: then one point of the trade-off tells all of it."""
        return False

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise that is added, in the units of the feedback."""
        return ()


def sealed(channel: Part) -> Part:
    """Return a channel whose exact noise refuses to be drawn."""
    return map_parts(channel, Noise, lambda noise: noise.sealed())


def unsealed(channel: Part) -> Part:
    """Return a channel with exact noise of its own that is drawn; for live runs, which guard it, and for audits."""
    return map_parts(channel, Noise, lambda noise: noise.unsealed())
