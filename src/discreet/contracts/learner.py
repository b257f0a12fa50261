"""The contracts of learner, server and policy."""

from __future__ import annotations

import math
from typing import ClassVar, Generic, NoReturn

from discreet.components import Component
from discreet.contracts.passing import Action, Generator, Model, Observation, Query, Release, Trace
from discreet.errors import DiscreetError, shorten, whole_number


class Learner(Component, Generic[Action, Trace, Release, Query, Observation]):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    # whether actions are experts, whose advice the game then follows
    follows: ClassVar[bool] = False
    # whether releases determine its actions, apart from ties: no arm is drawn at random
    predictable: ClassVar[bool] = False
    # whether actions are named vertices of a set
    plays_vertices: ClassVar[bool] = False

    @classmethod
    def example(cls) -> Learner:
        """Return an example for the contract tests."""
        raise NotImplementedError

    @property
    def choices(self) -> int:
        """How many arms, experts or dimensions it chooses among; 0 if unknown."""
        return 0

    @property
    def learns(self) -> bool:
        """Whether its actions depend on the releases."""
        return True

    @property
    def mixing(self) -> float:
        """The probability with which an action is drawn uniformly at random."""
        return 0.0

    @property
    def oracle_calls(self) -> int | None:
        """How often it has called a linear oracle; None if it uses none."""
        return None

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def query(self, trace: Trace) -> Query:
        """Return the public factor for the feedback to this trace; 1 asks for the plain loss."""
        return 1.0  # type: ignore[return-value] # learners with another query override it

    def learn(self, trace: Trace, released: Release) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""
        raise NotImplementedError

    def give_up(self, trace: Trace) -> None:
        """Note that no release will follow for an action; for learners that count rounds."""

    def chance(self, trace: Trace, action: Action) -> float | None:
        """Return the probability of an action at the draw of the trace; None if unknown.

        The probability is conditional on the state before the draw. For the action drawn, the trace
        is enough; for any other action, call this right after the draw. Not compiled.
        """
        return None

    def patience(self, trace: Trace) -> int:
        """Return how many rounds to hold the action (0: the channel decides)."""
        return 0

    def is_done(self) -> bool:
        """Return whether the learner allows the game to stop here."""
        return False

    def must_pause(self) -> bool:
        """Return whether to call ``resume`` before the next action, outside of compiled code."""
        return False

    def resume(self) -> None:
        """Run the steps that cannot be compiled; called when ``must_pause`` asks for it."""

    def window(self, change: float) -> float:
        """Return how far log action probabilities can move if one past gain moves by ``change``."""
        return math.inf

    def release_size(self) -> int:
        """Return how many numbers a release must have; 0 for one plain number."""
        return 0


def check_methods(learner: Learner) -> None:
    """Refuse a learner without ``act`` or ``learn``."""
    kind, needed = type(learner), "but a learner needs act and learn"
    if kind.act is Learner.act:
        raise DiscreetError(f"{kind.__name__} has no method act, {needed}.")
    if kind.learn is Learner.learn:
        raise DiscreetError(f"{kind.__name__} has no method learn, {needed}.")


def check_act(learner: Learner, returned: object) -> None:
    """Refuse what ``act`` returned unless it is an action and a trace."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise DiscreetError(
            f"{type(learner).__name__}.act returned {shorten(returned)}, but must return an action "
            "and a trace."
        )


def check_arm_played(learner: Learner, action: object, arms: int) -> None:
    """Refuse an arm that does not exist."""
    number = whole_number(action)
    if number is None or not 0 <= number < arms:
        raise DiscreetError(
            f"{type(learner).__name__}.act played {shorten(action)}, but must play an arm from 0 "
            f"to {arms - 1:,}."
        )


class Server(Learner[NoReturn, object, Release, Query], Generic[Model, Release, Query]):
    """A learner that plays nothing: it publishes a model for devices and learns from reports."""

    @property
    def model(self) -> Model:
        """The published model: arrays, by name."""
        raise NotImplementedError

    def act(self, observation: object, rng: Generator) -> NoReturn:
        """Refuse: a server observes nothing and plays nothing."""
        raise DiscreetError(
            "a server publishes a model but does not act: combine it with a policy in OnDevice."
        )


class Policy(Component, Generic[Model, Action, Observation]):
    """Chooses on a device, from a published model and the device's context; it has no state."""

    @classmethod
    def example(cls) -> Policy:
        """Return an example for the contract tests."""
        raise NotImplementedError

    def choose(self, model: Model, observation: Observation, rng: Generator) -> Action:
        """Return an action; the observation stays on the device."""
        raise NotImplementedError
