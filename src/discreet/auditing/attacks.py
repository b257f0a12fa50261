"""Attacks: neighbouring inputs, and the statistic that tells them apart best. All of them run the real, compiled loop."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

import componentjit
from discreet.auditing.bounds import (
    CONFIDENCE,
    LEAST,
    MOST,
    ROUNDS,
    RUNS,
    SPENT,
    attacked,
    largest_bound,
)
from discreet.auditing.hearing import Hearing, HearingSums, Listening
from discreet.components import Component
from discreet.contracts import Action, Floats, Generator, Integers, Protected, Query, Release, Trace
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.learners.wrapping import Wrapping
from discreet.problems import ArmGame, Game, Problem
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.experiment import Progress
from discreet.simulation.loop import Player, Prototype

AT_ONCE = 1 << 19
SEEDS = 10**15  # that there are
PIECE, SLOW_PIECE = (
    1 << 24,
    1 << 14,
)  # rounds, and such that are not compiled, which take a part of a second
SLOW_ROUNDS = 1 << 18  # that are played if they are not compiled, as in live use: half a minute


Sampler = Callable[
    [int, int, int], Floats
]  # from world, number of trials and seed to one number for each trial


class Attack(Component):
    """Plays both of two neighbouring games and reports one number for each trial."""

    compiles = False

    @property
    def text(self) -> str:
        """What is done, in one sentence."""
        raise NotImplementedError

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of independent trials in world 0 or 1, one number each."""
        raise NotImplementedError

    def sampler(self, private: Protected) -> Sampler:
        """Return ``sample`` for one private learner; what takes long and is the same for all trials is done here."""
        return functools.partial(self.sample, private)

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return what is attacked to refute the claim: the private learner itself."""
        return private

    def gaussian_curve(self, private: Protected) -> GaussianNoise | None:
        """Return the curve if the statistic has Gaussian noise of our own: only then one point of it tells all of it."""
        return None

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return how many trials the attack needs and can afford: a few, if each is a whole run."""
        return RUNS

    def at_once(self, private: Protected) -> int:
        """Return how many trials are played in one go: a second's worth at most, for nothing stops in between."""
        return RUNS // 20

    def largest_bound(
        self, private: Protected, claim: Guarantee, *, trials: int, confidence: float
    ) -> float:
        """Return what that many trials can show at most, whatever is attacked."""
        gaussian = self.gaussian_curve(private) is not None
        return largest_bound(trials, confidence=confidence, delta=claim.delta, gaussian=gaussian)

    def bound(
        self,
        private: Protected,
        claim: Guarantee,
        *,
        trials: int,
        seed: int,
        confidence: float,
        progress: Progress | None = None,
    ) -> float:
        """Return a lower bound on epsilon at the delta of the claim, from the best event of the statistic."""

        def sample(world: int, number: int, series: int) -> Floats:
            return drawn(world, number, (seed + (series << 40)) % SEEDS)

        prepared, gaussian = self.prepared(private, claim), self.gaussian_curve(private) is not None
        drawn = self.sampler(prepared)
        sample(0, 1, 0)  # compiles everything, where an interrupt is heard at once
        return attacked(
            sample,
            trials,
            delta=claim.delta,
            gaussian=gaussian,
            confidence=confidence,
            at_once=max(1, self.at_once(prepared)),
            progress=progress,
        )


def channel_curve(private: Protected) -> GaussianNoise | None:
    """Return the curve of a channel with Gaussian noise."""
    curve = private.guarantee.curve
    return (
        curve if private.channel.has_gaussian_noise and isinstance(curve, GaussianNoise) else None
    )


def trials_to_find(
    claim: Guarantee, shape: GaussianNoise | None, *, affordable: int, rarer: float = 1.0
) -> int:
    """Return about how many trials it takes to find 95 % of epsilon, where the guarantee is tight.

    ``rarer`` says by how much the root of the number grows if the best event is rare; Gaussian
    noise does not need it.
    """
    most = largest_bound(MOST, confidence=CONFIDENCE, delta=claim.delta, gaussian=shape is not None)
    if claim.epsilon == 0.0 or claim.epsilon > most:
        return LEAST
    precise = (
        rarer
        * 2.6
        * math.sqrt(2.0 + 2.0 * math.exp(min(claim.epsilon, 40.0)))
        / max(0.04 * claim.epsilon, 1e-9)
    )
    if shape is not None:
        precise = 2.6 * 1.8 / max(0.03 * shape.mu, 1e-9)
    return int(max(min(max(precise**2 / (1.0 - SPENT), LEAST), MOST, affordable), LEAST // 20))


class Stretches(Game[object, float | Floats, int]):
    """A game whose feedback is ``usual``, but ``first`` in the first round of every action, however long it is held."""

    first: float
    usual: float
    begins: Integers  # 1 if an action was just asked for

    def observe(self, t: int) -> int:
        """Show nothing; this is asked for whenever an action begins."""
        self.begins[0] = 1
        return 0

    def next_outcome(self) -> float:
        """Return the outcome of this round."""
        if self.begins[0] == 0:
            return self.usual
        self.begins[0] = 0
        return self.first

    def feedback(self, t: int, action: object) -> float | Floats:
        """Return the same for all actions."""
        return self.next_outcome()

    def loss(self, t: int, action: object) -> float:
        """Score nothing."""
        return 0.0


class PairStretches(Stretches):
    """The same for two values a round, of which the second is 0: the outcome is their difference."""

    values: Floats

    def feedback(self, t: int, action: object) -> float | Floats:
        """Return both values."""
        self.values[0] = self.next_outcome()
        return self.values


class EveryRelease(Attack):
    """Every release is a trial: for channels that keep nothing from one release to the next.

    In each batch the loss of the first round is the lowest in one world and the highest in the
    other; the statistic is what is released. It is all that the learner hears of that round, so no
    attack on actions or states can do better.
    """

    bounds: Range
    size: int  # of a batch
    hearing: ClassVar[type[Hearing[Any, Any, Any, Any]]] = Hearing

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        what = f"one loss of {self.size}" if self.size > 1 else "a loss"
        return f"{what} is {low:g} or {high:g}; a half-line of what is released"

    def gaussian_curve(self, private: Protected) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return channel_curve(private)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as are needed, or can be played in about a minute."""
        hold = private.channel.hold()
        affordable = (
            ROUNDS // (20 + hold) if componentjit.compilable(private) else SLOW_ROUNDS // hold
        )
        return trials_to_find(claim, self.gaussian_curve(private), affordable=affordable)

    def at_once(self, private: Protected) -> int:
        """Return as many as take a part of a second."""
        hold = private.channel.hold()
        return (
            min(AT_ONCE, PIECE // (20 + hold))
            if componentjit.compilable(private)
            else 1 + SLOW_PIECE // hold
        )

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return what is released, batch after batch."""
        low, high = self.bounds
        found = np.empty(trials)
        for start in range(0, trials, AT_ONCE):
            part = found[start : start + AT_ONCE]
            heard = np.empty(part.size)
            game = self.stretches(self.bounds[world], low + (high - low) / 2)
            learner = self.hearing(componentjit.copy(private.learner), heard, np.zeros(2, np.int64))
            player = Player(
                private._replace(learner=learner),
                streams(seed, trial=2 * (start // AT_ONCE) + world),
            )
            hearing: Any = player.private.learner
            while hearing.counts[1] < part.size:
                player.play(game, np.array([(part.size - int(hearing.counts[1])) * self.size]))
            part[:] = hearing.released
        return found

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with that loss in the first round of every batch."""
        return Stretches(first, usual, np.zeros(1, np.int64))


class EverySum(EveryRelease):
    """The same where the learner chooses how long batches are; a trial is the sum of one, less what the others add to it.

    Given all releases before, the length is known, and the sum has the law of a batch of any other
    length: so trials are independent of each other, whatever the learner chooses.
    """

    hearing = HearingSums

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        return (
            f"the first loss of every batch is {low:g} or {high:g}; a half-line of the sum that "
            "is released"
        )


class EveryBit(EveryRelease):
    """The same where one bit is released: all other losses are the lowest, where one more changes the odds the most."""

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        others = f" and all others are {low:g}" if self.size > 1 else ""
        return f"a loss is {low:g} or {high:g}{others}; whether the bit is 1"

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with that loss in the first round of every batch, and the lowest in all others."""
        return Stretches(first, self.bounds.low, np.zeros(1, np.int64))


class EveryDifference(EveryRelease):
    """The same where two values come back, and their difference is released."""

    @property
    def text(self) -> str:
        """What is done."""
        return (
            f"a difference is {self.bounds.low:g} or {self.bounds.high:g}; a half-line of what is "
            "released"
        )

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with pairs of that difference."""
        return PairStretches(first, usual, np.zeros(1, np.int64), np.zeros(2))


class Record(NamedTuple):
    """What was seen of one run."""

    actions: Integers
    released: Floats


def total_released(record: Record) -> float:
    """Return the sum of all releases."""
    return float(record.released.sum())


class FreshRuns(Attack):
    """Every trial is a run of its own from the start, on one of two neighbouring games.

    They are tables of losses that differ in one row (a row a round, a column an arm), or games of
    ``rounds`` rounds. ``statistic`` turns the record of a run into a number.
    """

    one: Floats | Game
    other: Floats | Game
    statistic: Callable[[Record], float] = total_released
    text: str = "two neighbouring tables of losses; a half-line of the statistic"
    rounds: int = 0

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each run."""
        game, rounds = self._game(world)
        draws = -(-rounds // private.channel.hold())
        marks = np.array([rounds])
        found = np.empty(trials)
        shared = Prototype(overheard(private, draws, np.empty(draws)))
        for trial in range(trials):
            player = Player(shared, streams(seed, trial=2 * trial + world))
            player.play(game, marks)
            ear = recorder(player)
            acted, heard = (int(number) for number in ear.counts)
            found[trial] = self.statistic(Record(ear.actions[:acted], ear.released[:heard]))
        if np.isnan(found).any():
            raise DiscreetError(
                "the statistic is not a number for some record, so it cannot tell worlds apart."
            )
        return found

    def _game(self, world: int) -> tuple[Game, int]:
        """Return the game of a world, and its number of rounds."""
        if isinstance(self.one, Game) or isinstance(self.other, Game):
            game = (self.one, self.other)[world]
            assert isinstance(game, Game), "one is a game, and so is the other"
            return game, self.rounds
        if self.one.shape != self.other.shape or self.one.ndim != 2:
            shapes = f"{self.one.shape} and {self.other.shape}"
            raise DiscreetError(
                f"the tables have shapes {shapes}, but must have the same two dimensions."
            )
        changed = int((self.one != self.other).any(axis=1).sum())
        if changed != 1:
            raise DiscreetError(
                f"the tables differ in {count(changed, 'round')}, but neighbours differ in one "
                "only."
            )
        if not (np.isfinite(self.one).all() and np.isfinite(self.other).all()):
            raise DiscreetError("a table holds a loss that is not a finite number.")
        return ArmGame(
            np.ascontiguousarray((self.one, self.other)[world], dtype=np.float64)
        ), self.one.shape[0]


def fresh_runs(
    private: Protected, problem: Problem | None = None, bounds: Range | None = None
) -> FreshRuns:
    """Return the attack on a channel of which nothing is known: its first loss is the lowest or the highest."""
    rounds = private.channel.hold()
    if problem is not None:
        one, other = problem.neighbours(rounds, bounds or make_range())
        text = (
            "the first outcome is the lowest or the highest; a half-line of the sum of the releases"
        )
        return FreshRuns(one, other, text=text, rounds=rounds)
    arms = max(
        [2, *(array.size for _, array in componentjit.arrays(private.learner))]
    )  # columns that are too many do no harm
    losses = np.full((rounds, arms), 0.5), np.full((rounds, arms), 0.5)
    losses[0][0], losses[1][0] = 0.0, 1.0
    text = "the first loss is 0 or 1, all others 0.5; a half-line of the sum of the releases"
    return FreshRuns(*losses, text=text)


class Shown(Wrapping[Action, Trace, Release, Query, Floats]):
    """A learner that is shown the same in every round, whatever the game shows."""

    observation: Floats

    def act(self, observation: object, rng: Generator) -> tuple[Action, Trace]:
        """Let the learner act on what it is shown."""
        return self.learner.act(self.observation, rng)


def shown(private: Protected, problem: Problem) -> Protected:
    """Return the private learner for games that show nothing: it is shown what a probe of its problem shows first."""
    return showing(private, problem.probe(1, np.random.default_rng(0)).observe(0))


def showing(private: Protected, observation: object) -> Protected:
    """Return the private learner for games that show nothing, where it is shown this in every round."""
    if isinstance(observation, int) or private.keeps_observations:
        return private
    return private._replace(
        learner=Shown(private.learner, np.ascontiguousarray(np.asarray(observation)))
    )


def overheard(private: Protected, draws: int, released: Floats) -> Protected:
    """Return the private learner with somebody listening."""
    learner = Listening(
        componentjit.copy(private.learner),
        released,
        np.zeros(2, np.int64),
        np.zeros(draws, np.int64),
    )
    return private._replace(learner=learner)


def recorder(player: Player) -> Listening:
    """Return who listened."""
    learner = player.private.learner
    assert isinstance(learner, Listening)
    return learner
