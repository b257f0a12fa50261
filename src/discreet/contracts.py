"""The narrow contracts of a private learner: learner, channel, noise, policy. Those of games are in ``problems/base.py``.

Each is a base class. It has defaults for what most do, and declares every ability that only some have, with what it means
not to have it; so nothing has to be asked whether it has an attribute. Names that recur: an *action* is what is played
(an arm, a point, a distribution). A *trace* is the public record of how it was chosen, everything that ``learn`` will
need of it later; its arrays stay valid until the next ``act``, and a trace that is kept longer is copied. *Feedback* is
raw and sensitive. A *query* is the public factor by which a learner wants feedback multiplied. ``rng`` is a
``numpy.random.Generator``. Rounds inside a game count from 0.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee, Json
from discreet.guarantee import Model as PrivacyModel
from discreet.kernel import Component, map_parts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Generator = np.random.Generator

# What passes between the parts of a private learner. Every problem has types of its own, which the compiler infers.
Observation: TypeAlias = Any  # public: what is shown before a round, such as advice; 0 where nothing is
Action: TypeAlias = Any  # what is played: an arm, a point, a distribution
Trace: TypeAlias = Any  # public: how the action was chosen, all that ``query`` and ``learn`` need of it
Feedback: TypeAlias = Any  # raw and sensitive: a loss, or the whole loss vector
Query: TypeAlias = Any  # public: the factor by which feedback is wanted, a number, a vector, an ``Estimate``, a ``Toss``
Model: TypeAlias = Any  # public: what a server publishes, arrays by name
Release: TypeAlias = Any  # what a channel lets out: a number or a vector, with the noise of its guarantee

ENDLESS = 2**62  # rounds


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


class Toss(NamedTuple):
    """A query for an outcome that is rounded to an end of its range by a public coin, times a direction."""

    direction: Floats
    coin: float  # uniform in [0, 1]


class Record(NamedTuple):
    """Raw and sensitive: what a device knows after its round, where contexts are private."""

    features: Floats  # of the arm that was played
    outcome: float  # its loss


class Learner(Component):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    follows: ClassVar[bool] = False  # whether actions are experts, whose advice the game then carries out
    plays_vertices: ClassVar[bool] = False  # whether actions are vertices of a set, which can be told in words

    @classmethod
    def example(cls) -> Learner:
        """Return one to check the contract with."""
        raise NotImplementedError

    @property
    def choices(self) -> int:
        """Among how many arms or experts it chooses, or in how many dimensions; 0 if it does not say."""
        return 0

    @property
    def mixing(self) -> float:
        """With which probability an action is drawn uniformly at random."""
        return 0.0

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def query(self, trace: Trace) -> Query:
        """Return the public factor by which the feedback to this trace is to be multiplied: the plain loss is wanted."""
        return 1.0

    def learn(self, trace: Trace, released: Release) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""
        raise NotImplementedError

    def patience(self, trace: Trace) -> int:
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


class Server(Learner):
    """A learner that plays nothing: it publishes a model, with which devices choose, and learns from their reports."""

    @property
    def model(self) -> Model:
        """What is published: arrays, by name."""
        raise NotImplementedError

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Refuse: a server is shown nothing, and plays nothing."""
        raise DiscreetError("a server publishes a model and plays nothing: join it with a policy by OnDevice.")


class Policy(Component):
    """How a device chooses, from a published model and from what it alone is shown. It keeps nothing between rounds."""

    @classmethod
    def example(cls) -> Policy:
        """Return one to check the contract with."""
        raise NotImplementedError

    def choose(self, model: Model, observation: Observation, rng: Generator) -> Action:
        """Return an action; what is observed stays on the device."""
        raise NotImplementedError


class NoiseScale(NamedTuple):
    """What noise is added: its kind, its scale in the units of the feedback, and whether it is drawn exactly."""

    kind: str
    scale: float
    exact: bool = False

    def times(self, factor: float) -> NoiseScale:
        """Return the same noise in other units."""
        return self._replace(scale=self.scale * factor)

    def as_dict(self) -> Json:
        """Return the noise for JSON."""
        return {"kind": self.kind, "scale": self.scale} | ({"exact": True} if self.exact else {})


class Noise(Component):
    """Noise with a known strength, for one number or for vectors. It knows itself: nothing asks which noise it is.

    Noise of one's own needs ``scale``, ``add_noise`` and ``guarantee``. Then it is for one number at a time, and for
    simulation: what vectors and several releases cost together is stated by noise that declares it.
    """

    kind: ClassVar[str] = "noise of one's own"
    norm: ClassVar[float] = math.nan  # in which movements of a vector count: 1, 2 or infinity
    across: ClassVar[float] = math.nan  # in which norm those of several releases add up: 1, or 2 where squares do
    is_exact: ClassVar[bool] = False  # whether it is drawn exactly on a grid of ``step``, as live use needs
    has_exact_twin: ClassVar[bool] = False  # whether there is noise of this kind that is
    is_bounded: ClassVar[bool] = False  # whether noisy numbers of a range stay as near to its middle as their mean square
    has_memory: ClassVar[bool] = True  # whether a draw may depend on earlier ones, so that releases are no trials

    @property
    def scale(self) -> float:
        """The scale in units of the value."""
        raise NotImplementedError

    @property
    def step(self) -> float:
        """The step of the grid that exact noise lives on; 0 for floating-point noise."""
        return 0.0

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Return the least noise with which a movement of ``sensitivity`` costs at most (epsilon, delta)."""
        raise DiscreetError(f"{cls.__name__} noise cannot be calibrated by name: build it with the scale that it needs.")

    @classmethod
    def combined(cls, releases: int) -> float:
        """Return by how much more a movement costs that is in several releases: k times, or sqrt(k) times."""
        if math.isnan(cls.across):
            raise DiscreetError(f"noise is {cls.__name__}, of which it is not known what several releases cost together.")
        return math.sqrt(releases) if cls.across == 2.0 else float(releases)

    def fits_vectors_of(self, size: int) -> bool:
        """Return whether it is noise for vectors of that many numbers, which move in ``norm``."""
        return not math.isnan(self.norm)

    def unit_variance(self, dimension: int) -> float:
        """Return the variance of a coordinate of noise of scale 1."""
        raise NotImplementedError

    def deviation(self, dimension: int) -> float:
        """Return the standard deviation of a coordinate."""
        return math.sqrt(self.unit_variance(dimension)) * self.scale

    def square_around_middle(self, width: float) -> float:
        """Return the largest mean square of a noisy number around the middle of its range, which has that width."""
        return width * width / 4.0 + self.deviation(1) ** 2

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return the logarithm of E exp(tilt Z), Z a coordinate of the noise; infinite where there is none."""
        raise NotImplementedError

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise; ``perturb`` is for vectors."""
        raise NotImplementedError

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise to a vector, in place: independent noise to every coordinate."""
        for i in range(vector.size):
            vector[i] = self.add_noise(vector[i], rng)

    def guarantee(self, sensitivity: float, *, model: PrivacyModel, source: str) -> Guarantee:
        """Return what the release of one number guarantees that moves by at most ``sensitivity``."""
        raise NotImplementedError

    def joint_guarantee(self, sensitivity: float, *, model: PrivacyModel, source: str) -> Guarantee:
        """Return what releases of vectors guarantee that move by ``sensitivity`` together, in ``norm`` and ``across``."""
        return Guarantee.none(f"nothing is proved of running sums with {type(self).__name__} noise")

    def exact(self, guarantee: Guarantee, sensitivity: float) -> Noise:
        """Return the exact twin that keeps a guarantee for this sensitivity, or refuse."""
        if self.is_exact:
            return self
        raise DiscreetError(f"noise is {type(self).__name__}, which cannot be drawn exactly: it is for simulation only.")

    def sealed(self) -> Noise:
        """Return noise of the same law that refuses to be drawn: exact noise can do so, for live use."""
        return self

    def unsealed(self) -> Noise:
        """Return noise of the same law that can be drawn."""
        return self

    @property
    def is_gaussian(self) -> bool:
        """Whether draws are independent, and movements of several releases add up as for Gaussian noise."""
        return self.across == 2.0 and not self.has_memory

    @property
    def noise_scale(self) -> NoiseScale:
        """Kind and scale."""
        return NoiseScale(self.kind, self.scale, self.is_exact)


class Channel(Component):
    """The only place that holds raw feedback. Its guarantee covers whatever is done with what it releases.

    Feedback is *taken*, and what is due is *released*: two steps, so that a program can keep what it was told before
    anything is drawn. ``offer`` does both.
    """

    in_order: ClassVar[bool] = False  # whether all outcomes must be learned before the next action is drawn
    one_stream: ClassVar[bool] = False  # whether all rounds enter one running sum, in the order in which they come
    holds_feedback: ClassVar[bool] = True  # whether raw feedback stays; else each round is released at once, by offer
    draws_while_taking: ClassVar[bool] = False  # whether noise is drawn before a release is due: then offer does both
    example_feedback: ClassVar[Feedback] = 0.75  # valid for the example, and half of it too
    example_query: ClassVar[Query] = 1.0

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
        return False, query * 0.0

    def offer(self, feedback: Feedback, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Take raw feedback; return whether something is released now, and what."""
        if self.take(feedback, query):
            return self.release(query, rng)
        return self.nothing(query)

    def fork(self) -> Self:
        """Return the channel that takes the feedback to another, still open, decision."""
        return self

    def live(self) -> Channel:
        """Return the channel for live use, with exact noise, or refuse.

        One that holds raw feedback is sealed: it releases nothing by itself, but inside a live run alone, which sees to
        threads, processes, copies and failures.
        """
        return sealed(self._with_exact_noise()) if self.holds_feedback else self._with_exact_noise()

    def _with_exact_noise(self) -> Channel:
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


class Protected(Component):
    """A channel before a learner, as games are played with: ``Private``, or ``OnDevice`` where contexts are private."""

    keeps_observations: ClassVar[bool] = False  # whether what is observed stays away from the learner, as feedback does

    @property
    def channel(self) -> Channel:
        """What all raw feedback goes to."""
        raise NotImplementedError

    @property
    def learner(self) -> Learner:
        """Who learns from what is released."""
        raise NotImplementedError

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def hold_for(self, trace: Trace) -> int:
        """Return for how many rounds the action is to be played; asked once for every action, before its feedback."""
        raise NotImplementedError

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Hand raw feedback to the channel, and what is released to the learner; return whether something was."""
        raise NotImplementedError

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        raise NotImplementedError


def sealed(channel: Channel) -> Channel:
    """Return a channel whose exact noise refuses to be drawn."""
    return map_parts(channel, Noise, lambda noise: noise.sealed())


def unsealed(channel: Channel) -> Channel:
    """Return a channel with exact noise of its own that is drawn; for live runs, which guard it, and for audits."""
    return map_parts(channel, Noise, lambda noise: noise.unsealed())
