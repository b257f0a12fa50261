"""The narrow contracts that everything is built from: learner, channel, mechanism, environment, game.

Names that recur: an *action* is what is played (an arm, a point, a distribution). A *trace* is the public record of how
it was chosen, everything that ``learn`` will need of it later; its arrays stay valid until the next ``act``, and whoever
keeps a trace longer copies it. *Feedback* is raw and sensitive. A *query* is the public factor by which a learner wants
feedback multiplied. ``rng`` is a ``numpy.random.Generator``. Rounds inside a game count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.guarantee import Guarantee

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


class Learner(Protocol):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    def act(self, observation: Any, rng: Generator) -> tuple[Any, Any]:
        """Return an action and its trace."""

    def query(self, trace: Any) -> Any:
        """Return the public factor by which the feedback to this trace is to be multiplied: 1.0 for most."""

    def learn(self, trace: Any, released: Any) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""


class Mechanism(Protocol):
    """Noise with a known strength."""

    def release(self, value: Any, rng: Generator) -> Any:
        """Return the value with noise."""

    def guarantee(self, sensitivity: float, *, model: Any, source: str) -> Guarantee:
        """Return what a release promises for a value that moves by at most ``sensitivity``."""

    def exactly(self, sensitivity: float) -> Any:
        """Return the mechanism for live use, with the same guarantee for this sensitivity."""

    def noise(self) -> dict[str, Any]:
        """Return the kind of noise and its scale."""


class Channel(Protocol):
    """The only place that holds raw feedback. Its guarantee covers whatever is done with what it releases."""

    def hold(self) -> int:
        """Return for how many rounds in a row the same action is to be played."""

    def offer(self, feedback: Any, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Take raw feedback; return whether something is released now, and what."""

    def live(self) -> Channel:
        """Return the channel for live use, with exact noise, or refuse."""

    def fork(self) -> Channel:
        """Return the channel that takes the feedback to another, still open, decision."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, computed from the noise that is really added."""

    @property
    def noises(self) -> Sequence[dict[str, Any]]:
        """The noise that is added: kind and scale, in the units of the feedback."""


class Game(Protocol):
    """Some consecutive rounds of an environment, dealt before they are played."""

    def observe(self, t: int) -> Any:
        """Return what is shown before round t is played."""

    def feedback(self, t: int, action: Any) -> Any:
        """Return the raw feedback to an action: it goes to the channel and nowhere else."""

    def loss(self, t: int, action: Any) -> float:
        """Return the loss of an action, for scoring only."""

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return for each stretch of rounds, from one start to the next, what comparators are scored by."""


class Environment(Protocol):
    """Produces games and scores comparators. Raw scoring lives here, never in a learner."""

    @property
    def actions(self) -> int:
        """How many arms, or the dimension of the points."""

    def deal(self, start: int, stop: int, rng: Generator) -> Game:
        """Return rounds start to stop (exclusive) of a game; called once for each stretch, in order."""

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed action, given the sum of ``Game.totals`` so far."""
