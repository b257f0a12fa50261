"""Attacks: two neighbouring inputs and a statistic that distinguishes them, for each channel."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

import componentjit
from discreet.auditing.bounds import (
    CONFIDENCE,
    LEAST,
    MOST,
    RUNS,
    SPENT,
    attacked,
    largest_bound,
)
from discreet.components import Component
from discreet.contracts import (
    Action,
    Asked,
    Channel,
    Floats,
    Generator,
    Integers,
    Noise,
    Observation,
    Protected,
    Trace,
)
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.learners.wrapping import Wrapping
from discreet.problems import ArmGame, Game, Problem
from discreet.progress import ShowProgress
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.loop import Player, Prototype

LONGEST_BATCH = 64  # maximum rounds of a batch in an audit, if the learner chooses its length
AT_ONCE = 1 << 19  # numbers recorded in one array
SEEDS = 10**15  # seeds are below this
PIECE, SLOW_PIECE = 1 << 24, 1 << 14  # rounds in a fraction of a second: compiled, and in Python
SLOW_ROUNDS = 1 << 18  # rounds played in Python, as in live use: half a minute

# Takes 0 or 1 (the neighbouring input), a number of trials and a seed; returns a number per trial.
Sampler = Callable[[int, int, int], Floats]


class Recording(Wrapping[Action, Trace, float, Asked, Observation]):
    """A learner whose releases are recorded; nothing else changes."""

    released: Floats
    counts: Integers  # actions, releases

    def patience(self, trace: Trace) -> int:
        """Leave the batch length to the channel: the noise does not depend on it."""
        return 0

    def is_done(self) -> bool:
        """Continue after the learner is done: more trials follow, and it only post-processes."""
        return False

    def learn(self, trace: Trace, released: float) -> None:
        """Record the release."""
        self.released[self.counts[1] % self.released.size] = released
        self.counts[1] += 1
        self.learner.learn(trace, released)


class RecordingSums(Recording[Action, Trace, Asked, Observation]):
    """Records the sums of batches whose length the learner chooses, minus that of middle losses.

    As trials, sums of batches of different lengths are comparable; their means are not. Batches
    have at most ``LONGEST_BATCH`` rounds.
    """

    def learn(self, trace: Trace, released: float) -> None:
        """Record the release, as a sum."""
        self.released[self.counts[1] % self.released.size] = (released - 0.5) * max(
            1, self.patience(trace)
        )
        self.counts[1] += 1
        self.learner.learn(trace, released)

    def patience(self, trace: Trace) -> int:
        """Hold an action as long as the learner asks for, up to ``LONGEST_BATCH`` rounds."""
        return min(self.learner.patience(trace), LONGEST_BATCH)


class RecordingActions(Recording[int, Trace, Asked, Observation]):
    """A learner whose actions are recorded too; actions are whole numbers."""

    actions: Integers

    def act(self, observation: Observation, rng: Generator) -> tuple[int, Trace]:
        """Record the action of the learner."""
        action, trace = self.learner.act(observation, rng)
        self.actions[self.counts[0] % self.actions.size] = action
        self.counts[0] += 1
        return action, trace


class Attack(Component):
    """Plays two neighbouring games, 0 and 1, and returns one number for each trial."""

    compiles = False

    @property
    def text(self) -> str:
        """What the attack does, in one sentence."""
        raise NotImplementedError

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistic of independent trials of game 0 or 1, one number each."""
        raise NotImplementedError

    def sampler(self, private: Protected) -> Sampler:
        """Return ``sample`` for one private learner; override it to prepare once for all trials."""
        return functools.partial(self.sample, private)

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return what to attack in order to refute the claim; by default, the private learner."""
        return private

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve if the statistic has our Gaussian noise: one point determines it."""
        return None

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return how many trials the attack needs and can afford; few if each is a whole run."""
        return RUNS

    def at_once(self, private: Protected) -> int:
        """Return how many trials to play in one uninterruptible call: at most a second's worth."""
        return RUNS // 20

    def largest_bound(
        self, private: Protected, claim: Guarantee, *, trials: int, confidence: float
    ) -> float:
        """Return the largest epsilon that this many trials can show, even if nothing is private."""
        gaussian = self.gaussian_curve(private, claim) is not None
        return largest_bound(trials, confidence=confidence, delta=claim.delta, gaussian=gaussian)

    def bound(
        self,
        private: Protected,
        claim: Guarantee,
        *,
        trials: int,
        seed: int,
        confidence: float,
        progress: ShowProgress | None = None,
    ) -> float:
        """Return a lower bound on epsilon at the claim's delta, from the statistic's best event."""

        def sample(neighbour: int, number: int, series: int) -> Floats:
            return drawn(neighbour, number, (seed + (series << 40)) % SEEDS)

        prepared, gaussian = (
            self.prepared(private, claim),
            self.gaussian_curve(private, claim) is not None,
        )
        drawn = self.sampler(prepared)
        sample(0, 1, 0)  # compiles everything here, where Ctrl-C takes effect immediately
        return attacked(
            sample,
            trials,
            delta=claim.delta,
            gaussian=gaussian,
            confidence=confidence,
            at_once=max(1, self.at_once(prepared)),
            progress=progress,
        )


def channel_curve(private: Protected, claim: Guarantee) -> GaussianNoise | None:
    """Return the curve of a channel with Gaussian noise.

    Your own noise may be of any kind, so the claim must then state this curve.
    """
    curve, channel = private.guarantee.curve, private.channel
    known = has_our_noise(channel) or isinstance(claim.curve, GaussianNoise)
    fits = channel.has_gaussian_noise and known
    return curve if fits and isinstance(curve, GaussianNoise) else None


def trials_to_find(
    claim: Guarantee, shape: GaussianNoise | None, *, affordable: int, rarer: float = 1.0
) -> int:
    """Return roughly how many trials find 95 % of epsilon if the guarantee is tight.

    If the best event is rare, the square root of this number grows by the factor ``rarer``;
    Gaussian noise does not need it. 2.6 standard deviations give the 99 % confidence of an audit;
    the bound should be 4 % of epsilon (Gaussian: 3 % of mu) below the truth.
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
        # 1.8: the standard deviation of Φ⁻¹(P) - Φ⁻¹(Q) in one trial, for probabilities near 1/2.
        precise = 2.6 * 1.8 / max(0.03 * shape.mu, 1e-9)
    return int(max(min(max(precise**2 / (1.0 - SPENT), LEAST), MOST, affordable), LEAST // 20))


class ObservedRun(NamedTuple):
    """What an attack observed of one run."""

    actions: Integers
    released: Floats


def total_released(record: ObservedRun) -> float:
    """Return the sum of all releases."""
    return float(record.released.sum())


class FreshRuns(Attack):
    """Every trial is a fresh run on one of two neighbouring games.

    The games are tables of losses that differ in one row (one row per round, one column per arm),
    or games of ``rounds`` rounds. ``statistic`` turns an observed run into a number.
    """

    one: Floats | Game
    other: Floats | Game
    statistic: Callable[[ObservedRun], float] = total_released
    text: str = "two neighbouring tables of losses; a threshold on the statistic"
    rounds: int = 0

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each run."""
        game, rounds = self._game(neighbour)
        draws = -(-rounds // private.channel.hold())
        marks = np.array([rounds])
        found = np.empty(trials)
        shared = Prototype(with_recorder(private, draws, np.empty(draws)))
        for trial in range(trials):
            player = Player(shared, streams(seed, trial=2 * trial + neighbour))
            player.play(game, marks)
            recorder = recorder_of(player)
            actions, releases = (int(number) for number in recorder.counts)
            run = ObservedRun(recorder.actions[:actions], recorder.released[:releases])
            found[trial] = self.statistic(run)
        if np.isnan(found).any():
            raise DiscreetError(
                "the statistic is NaN in some runs, so it cannot tell the two inputs apart."
            )
        return found

    def _game(self, neighbour: int) -> tuple[Game, int]:
        """Return game 0 or 1, and its number of rounds."""
        if isinstance(self.one, Game) or isinstance(self.other, Game):
            game = (self.one, self.other)[neighbour]
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
                f"the tables differ in {count(changed, 'round')}, but neighbours differ in exactly "
                "one."
            )
        if not (np.isfinite(self.one).all() and np.isfinite(self.other).all()):
            raise DiscreetError("a table holds a loss that is not a finite number.")
        return ArmGame(
            np.ascontiguousarray((self.one, self.other)[neighbour], dtype=np.float64)
        ), self.one.shape[0]


def fresh_runs(
    private: Protected, problem: Problem | None = None, bounds: Range | None = None
) -> FreshRuns:
    """Return the attack on an unknown channel: the first loss is the lowest or the highest."""
    rounds = private.channel.hold()
    if problem is not None:
        one, other = problem.neighbours(rounds, bounds or make_range())
        text = "the first outcome is lowest or highest; a threshold on the sum of the releases"
        return FreshRuns(one, other, text=text, rounds=rounds)
    # The number of arms is unknown; extra columns do no harm.
    arms = max([2, *(array.size for _, array in componentjit.arrays(private.learner))])
    losses = np.full((rounds, arms), 0.5), np.full((rounds, arms), 0.5)
    losses[0][0], losses[1][0] = 0.0, 1.0
    text = "the first loss is 0 or 1, all others 0.5; a threshold on the sum of the releases"
    return FreshRuns(*losses, text=text)


def with_recorder(private: Protected, draws: int, released: Floats) -> Protected:
    """Return the private learner with its actions and releases recorded."""
    learner = RecordingActions(
        componentjit.copy(private.learner),
        released,
        np.zeros(2, np.int64),
        np.zeros(draws, np.int64),
    )
    return private._replace(learner=learner)


def recorder_of(player: Player) -> RecordingActions:
    """Return the recording learner of a player."""
    learner = player.private.learner
    assert isinstance(learner, RecordingActions)
    return learner


class GameFacts(NamedTuple):
    """What is known about the game, apart from channel and learner; None if unknown."""

    problem: Problem | None = None
    bounds: Range | None = None  # of the losses


AttackMaker = Callable[[Protected, GameFacts], Attack]
AnyAttackMaker = TypeVar("AnyAttackMaker", bound=AttackMaker)
_makers: dict[type[Channel], AttackMaker] = {}


def attack_on(*channels: type[Channel]) -> Callable[[AnyAttackMaker], AnyAttackMaker]:
    """Register a function that makes the attack on these channels and their subclasses.

    >>> from discreet.channels import Batch
    >>> from discreet.auditing import EveryRelease
    >>> class Careful(Batch):
    ...     pass
    >>> @attack_on(Careful)
    ... def attack_careful(private, facts):
    ...     return EveryRelease(private.channel.bounds, private.channel.hold())
    """

    def register(maker: AnyAttackMaker) -> AnyAttackMaker:
        for channel in channels:
            _makers[channel] = maker
        return maker

    return register


def releases_are_trials(channel: Channel) -> bool:
    """Return whether releases are independent, so that each can be a trial.

    An attack must be registered for exactly this class, all of its parts must belong to this
    package, and its noise must have no memory. A subclass or custom noise does not qualify: it may
    keep something from one release to the next.
    """
    return type(channel) in _makers and all(map(is_ours, channel))


def is_ours(part: object) -> bool:
    """Return whether a component and all its parts belong to this package and have no memory."""
    if not isinstance(part, tuple):
        return type(part).__module__.split(".")[0] in ("builtins", "numpy", "discreet")
    if isinstance(part, Noise) and part.has_memory:
        return False
    return type(part).__module__.startswith("discreet.") and all(map(is_ours, part))


def has_our_noise(part: object) -> bool:
    """Return whether all noise in a component belongs to this package."""
    if isinstance(part, Noise):
        return is_ours(part)
    return not isinstance(part, tuple) or all(map(has_our_noise, part))


def default_attack(private: Protected, facts: GameFacts) -> Attack:
    """Return the best known attack on the channel; for unknown channels, fresh runs."""
    for cls in type(private.channel).__mro__:
        if cls in _makers:
            return _makers[cls](private, facts)
    return fresh_runs(private, facts.problem, facts.bounds)
