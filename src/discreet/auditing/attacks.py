"""Attacks: neighbouring inputs, and the statistic that tells them apart best. All of them run the real, compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from discreet import kernel
from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, count
from discreet.learners.wrapping import Wrapping
from discreet.private import Private
from discreet.problems import ArmGame, Game
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.loop import Player

AT_ONCE = 1 << 19


class Attack(Protocol):
    """Plays both of two neighbouring games and reports one number for each trial."""

    @property
    def text(self) -> str:
        """What is done, in one sentence."""

    def sample(self, private: Private, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of so many independent trials in world 0 or 1."""


class Listening(Wrapping):
    """A learner that is overheard: its actions and what is released to it are noted, and nothing else changes."""

    actions: Integers
    released: Floats
    counts: Integers  # actions, releases

    def act(self, observation: Any, rng: Generator) -> tuple[Any, Any]:
        """Note the action of the learner."""
        action, trace = self.learner.act(observation, rng)
        self.actions[self.counts[0] % self.actions.size] = action
        self.counts[0] += 1
        return action, trace

    def learn(self, trace: Any, released: Any) -> None:
        """Note what is released."""
        self.released[self.counts[1] % self.released.size] = released
        self.counts[1] += 1
        self.learner.learn(trace, released)


class Stretches(Game):
    """A game whose feedback is ``usual``, but ``first`` in the first round of every stretch of ``length`` rounds."""

    length: int
    first: float
    usual: float
    left: Integers  # rounds of the running stretch; counting is much cheaper than a remainder

    def feedback(self, t: int, action: int) -> float:
        """Return the same for all arms."""
        if self.left[0] > 0:
            self.left[0] -= 1
            return self.usual
        self.left[0] = self.length - 1
        return self.first

    def loss(self, t: int, action: int) -> float:
        """Score nothing."""
        return 0.0


class EveryRelease(NamedTuple):
    """Every release is a trial: for channels that keep nothing from one release to the next.

    In each batch the loss of the first round is the lowest in one world and the highest in the other; the statistic is
    what is released. It is all that the learner hears of that round, so no attack on actions or states can do better.
    """

    bounds: Range
    size: int  # of a batch

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        what = f"one loss of {self.size}" if self.size > 1 else "a loss"
        return f"{what} is {low:g} or {high:g}; a half-line of what is released"

    def sample(self, private: Private, world: int, trials: int, seed: int) -> Floats:
        """Return what is released, batch after batch."""
        low, high = self.bounds
        found = np.empty(trials)
        for start in range(0, trials, AT_ONCE):
            part = found[start : start + AT_ONCE]
            heard = np.empty(part.size)
            game: Any = Stretches(self.size, self.bounds[world], low + (high - low) / 2, np.zeros(1, np.int64))
            player = Player(overheard(private, 1, heard), streams(seed, trial=2 * (start // AT_ONCE) + world))
            player.play(game, np.array([part.size * self.size]))
            part[:] = recorder(player).released
        return found


class Record(NamedTuple):
    """What was seen of one run."""

    actions: Integers
    released: Floats


def total_released(record: Record) -> float:
    """Return the sum of all releases."""
    return float(record.released.sum())


class FreshRuns(NamedTuple):
    """Every trial is a run of its own from the start, on one of two tables of losses (a row a round, a column an arm).

    The tables are neighbours: they differ in one row. ``statistic`` turns the record of a run into a number.
    """

    one: Floats
    other: Floats
    statistic: Callable[[Record], float] = total_released
    text: str = "two neighbouring tables of losses; a half-line of the statistic"

    def sample(self, private: Private, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each run."""
        if self.one.shape != self.other.shape or self.one.ndim != 2:
            shapes = f"{self.one.shape} and {self.other.shape}"
            raise DiscreetError(f"the tables have shapes {shapes}, but must have the same two dimensions.")
        changed = int((self.one != self.other).any(axis=1).sum())
        if changed != 1:
            raise DiscreetError(f"the tables differ in {count(changed, 'round')}, but neighbours differ in one only.")
        if not (np.isfinite(self.one).all() and np.isfinite(self.other).all()):
            raise DiscreetError("a table holds a loss that is not a finite number.")
        rounds = self.one.shape[0]
        game: Any = ArmGame(np.ascontiguousarray((self.one, self.other)[world], dtype=np.float64))
        draws = -(-rounds // private.channel.hold())
        marks = np.array([rounds])
        found = np.empty(trials)
        for trial in range(trials):
            player = Player(overheard(private, draws, np.empty(draws)), streams(seed, trial=2 * trial + world))
            player.play(game, marks)
            ear = recorder(player)
            acted, heard = (int(number) for number in ear.counts)
            found[trial] = self.statistic(Record(ear.actions[:acted], ear.released[:heard]))
        if np.isnan(found).any():
            raise DiscreetError("the statistic is not a number for some record, so it cannot tell worlds apart.")
        return found


def overheard(private: Private, draws: int, released: Floats) -> Private:
    """Return the private learner with somebody listening."""
    learner = Listening(kernel.copy(private.learner), np.zeros(draws, np.int64), released, np.zeros(2, np.int64))
    return private._replace(learner=learner)


def recorder(player: Player) -> Listening:
    """Return who listened."""
    learner = player.private.learner
    assert isinstance(learner, Listening)
    return learner
