"""The narrow contracts of a private learner: learner, channel, mechanism. Those of games are in ``problems/base.py``.

Each is a base class. It has defaults for what most do, and declares every ability that only some have, with what it means
not to have it; so nothing has to be asked whether it has an attribute. Names that recur: an *action* is what is played
(an arm, a point, a distribution). A *trace* is the public record of how it was chosen, everything that ``learn`` will
need of it later; its arrays stay valid until the next ``act``, and a trace that is kept longer is copied. *Feedback* is
raw and sensitive. A *query* is the public factor by which a learner wants feedback multiplied. ``rng`` is a
``numpy.random.Generator``. Rounds inside a game count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from discreet.guarantee import Guarantee
from discreet.kernel import Component

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Generator = np.random.Generator


class Estimate(NamedTuple):
    """A query for more than the loss: ``factor`` times ``vector`` times the loss is wanted. All of it is public.

    ``group`` says which queries may be alike (the arm that was played); ``weights``, with the sum ``total``, say how much
    an error in each coordinate matters. The channel computes the sensitivity from these numbers itself.
    """

    group: int
    factor: float
    vector: Floats
    weights: Floats
    total: float


class Learner(Component):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    follows: ClassVar[bool] = False  # whether actions are experts, whose advice the game then carries out

    @classmethod
    def example(cls) -> Learner:
        """Return one to check the contract with."""
        raise NotImplementedError

    def act(self, observation: Any, rng: Generator) -> tuple[Any, Any]:
        """Return an action and its trace."""
        raise NotImplementedError

    def query(self, trace: Any) -> Any:
        """Return the public factor by which the feedback to this trace is to be multiplied: the plain loss is wanted."""
        return 1.0

    def learn(self, trace: Any, released: Any) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""
        raise NotImplementedError

    def patience(self, trace: Any) -> int:
        """Return for how many rounds to hold the action, chosen from earlier releases; 0 leaves it to the channel."""
        return 0

    def is_done(self) -> bool:
        """Return whether the game may stop here, as far as the learner is concerned."""
        return False

    def must_pause(self) -> bool:
        """Return whether ``resume`` is to be called before the next action, outside of compiled code."""
        return False

    def resume(self) -> None:
        """Do what cannot be compiled, as plain Python; called where ``must_pause`` asks for it."""

    def window(self, change: float) -> float:
        """Return within which window log-ratios of action probabilities stay when one past gain is ``change`` away."""
        return math.inf

    def release_size(self) -> int:
        """Return how many numbers a release must have; 0 for one plain number."""
        return 0


class Mechanism(Protocol):
    """Noise with a known strength."""

    def add_noise(self, value: Any, rng: Generator) -> Any:
        """Return the value with noise."""

    def guarantee(self, sensitivity: float, *, model: Any, source: str) -> Guarantee:
        """Return what a release promises for a value that moves by at most ``sensitivity``."""

    def exactly(self, sensitivity: float) -> Any:
        """Return the mechanism for live use, with the same guarantee for this sensitivity."""

    def noise(self) -> dict[str, Any]:
        """Return the kind of noise and its scale."""


class Channel(Component):
    """The only place that holds raw feedback. Its guarantee covers whatever is done with what it releases.

    Feedback is *taken*, and what is due is *released*: two steps, so that a program can keep what it was told before
    anything is drawn. ``offer`` does both.
    """

    in_order: ClassVar[bool] = False  # whether all outcomes must be learned before the next action is drawn
    one_stream: ClassVar[bool] = False  # whether all rounds enter one running sum, in the order in which they come
    holds_feedback: ClassVar[bool] = True  # whether raw feedback stays; else each round is released at once, by offer

    def hold(self) -> int:
        """Return for how many rounds in a row an action is played, where the learner does not say."""
        return 1

    def begin(self, patience: int) -> int:
        """Begin with an action that the learner wants to hold, 0 for no wish; return for how many rounds it is played."""
        return self.hold()

    def take(self, feedback: Any, query: Any) -> bool:
        """Take raw feedback; return whether a release is due."""
        raise NotImplementedError

    def release(self, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Draw noise; return whether something is released, and what."""
        raise NotImplementedError

    def nothing(self, query: Any) -> tuple[bool, Any]:
        """Return that nothing is released, with a value of the type of a release."""
        return False, query * 0.0

    def offer(self, feedback: Any, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Take raw feedback; return whether something is released now, and what."""
        if self.take(feedback, query):
            return self.release(query, rng)
        return self.nothing(query)

    def fork(self) -> Self:
        """Return the channel that takes the feedback to another, still open, decision."""
        return self

    def live(self) -> Any:
        """Return the channel for live use, with exact noise, or refuse."""
        return self

    def rounds_seen(self) -> int:
        """Return how many rounds of a batch or a stream are held."""
        return 0

    def release_size(self) -> int:
        """Return how many numbers a release has; 0 for one plain number."""
        return 0

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, computed from the noise that is really added."""
        raise NotImplementedError

    def guarantee_with(self, learner: Learner) -> Guarantee:
        """Return what is promised with this very learner."""
        return self.guarantee

    @property
    def noises(self) -> Sequence[dict[str, Any]]:
        """The noise that is added: kind and scale, in the units of the feedback."""
        return ()
