"""One loop for all: scalars and vectors, advice, points as actions, queries, games in pieces."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import componentjit
from discreet import Private, Range
from discreet.channels import Batch
from discreet.checks.parts import same_state
from discreet.contracts import Channel, Learner
from discreet.learners import TsallisInf
from discreet.learners.arms.draws import Draw, draw
from discreet.mechanisms import Laplace
from discreet.problems import ArmGame, Game
from discreet.randomness import streams
from discreet.simulation.loop import Player, play


class LinearGame(Game):
    """Full information: a point is played, and the whole row of losses comes back."""

    losses: np.ndarray

    def observe(self, t):
        return 0

    def feedback(self, t, action):
        return self.losses[t]

    def loss(self, t, action):
        total = 0.0
        for i in range(action.size):
            total += self.losses[t, i] * action[i]
        return total


class NoisySum(Channel):
    """Releases the running sum of vectors with noise, in a buffer of its own."""

    noise: Laplace
    total: np.ndarray
    released: np.ndarray

    def hold(self):
        return 1

    def offer(self, feedback, query, rng):
        for i in range(self.total.size):
            self.total[i] += feedback[i]
            self.released[i] = self.noise.add_noise(self.total[i], rng)
        return True, self.released


class Leader(Learner):
    """Exponential weights on released sums; the action is a buffer of the learner."""

    learning_rate: float
    sums: np.ndarray
    point: np.ndarray

    def act(self, observation, rng):
        total = 0.0
        for i in range(self.sums.size):
            self.point[i] = math.exp(-self.learning_rate * self.sums[i])
            total += self.point[i]
        for i in range(self.sums.size):
            self.point[i] /= total
        return self.point, 0.0

    def query(self, trace):
        return 1.0

    def learn(self, trace, released):
        for i in range(self.sums.size):
            self.sums[i] = released[i]


class AdviceTrace(NamedTuple):
    arm: int
    column: (
        Any  # advice for the arm, divided by the probability of the arm: one number for each expert
    )


class AdviceGame(Game):
    """Arms, with a matrix of expert advice as the observation of each round."""

    losses: np.ndarray
    advice: np.ndarray

    def observe(self, t):
        return self.advice[t]

    def feedback(self, t, action):
        return self.losses[t, action]

    def loss(self, t, action):
        return self.losses[t, action]


class Experts(Learner):
    """EXP4: a vector of weights over experts, and a vector query."""

    learning_rate: float
    sums: np.ndarray
    weights: np.ndarray
    arms: np.ndarray
    column: np.ndarray

    def act(self, observation, rng):
        total = 0.0
        for j in range(self.sums.size):
            self.weights[j] = math.exp(-self.learning_rate * self.sums[j])
            total += self.weights[j]
        for i in range(self.arms.size):
            self.arms[i] = 0.0
            for j in range(self.sums.size):
                self.arms[i] += self.weights[j] / total * observation[j, i]
        arm = draw(self.arms, rng.random())
        for j in range(self.sums.size):
            self.column[j] = observation[j, arm] / self.arms[arm]
        return arm, AdviceTrace(arm, self.column)

    def query(self, trace):
        return trace.column

    def learn(self, trace, released):
        for j in range(self.sums.size):
            self.sums[j] += released[j]


class NoisyQuery(Channel):
    """Adds query times loss over a batch, then noise; the action is not held meanwhile."""

    size: int
    noise: Laplace
    count: np.ndarray
    total: np.ndarray
    released: np.ndarray

    def hold(self):
        return 1

    def offer(self, feedback, query, rng):
        self.count[0] += 1
        for j in range(query.size):
            self.total[j] += query[j] * feedback
        if self.count[0] < self.size:
            return False, self.released
        self.count[0] = 0
        for j in range(query.size):
            self.released[j] = self.noise.add_noise(self.total[j], rng)
            self.total[j] = 0.0
        return True, self.released


def linear():
    losses = np.random.default_rng(0).random((300, 6))
    losses[:, 2] *= 0.5
    channel = NoisySum(Laplace(3.0), np.zeros(6), np.zeros(6))
    return Private(channel, Leader(0.1, np.zeros(6), np.zeros(6))), LinearGame(losses), LinearGame


def advice():
    rng = np.random.default_rng(0)
    losses = rng.random((300, 3))
    matrix = rng.random((300, 5, 3))
    matrix /= matrix.sum(axis=2, keepdims=True)
    channel = NoisyQuery(4, Laplace(0.1), np.zeros(1, np.int64), np.zeros(5), np.zeros(5))
    learner = Experts(0.01, np.zeros(5), np.zeros(5), np.zeros(3), np.zeros(5))
    return Private(channel, learner), AdviceGame(losses, matrix), AdviceGame


def arms():
    losses = np.random.default_rng(0).random((300, 3))
    channel = Batch.laplace(size=7, epsilon=1.0, bounds=Range(0.0, 1.0))
    return (
        Private(channel, TsallisInf.start(arms=3, learning_rate=2.0, baseline=0.5)),
        ArmGame(losses),
        ArmGame,
    )


@pytest.mark.slow
@pytest.mark.parametrize("make", [arms, linear, advice])
def test_the_loop_serves_every_kind_of_problem_at_both_speeds(make):
    marks = np.array([10, 300])
    runs = []
    for compiled in (True, False):
        private, game, _ = make()
        player = Player(private, streams(1), compiled=compiled)
        runs.append((player.play(game, marks).tolist(), player.private))
    assert runs[0][0] == runs[1][0]
    assert same_state(runs[0][1], runs[1][1]) is None


@pytest.mark.parametrize("make", [arms, linear, advice])
def test_a_game_in_pieces_is_the_same_game(make):
    private, game, kind = make()
    whole, pieces = Player(private, streams(1)), Player(private, streams(1))
    expected = whole.play(game, np.array([300]))[0]
    for start, stop in ((0, 1), (1, 50), (50, 53), (53, 300)):
        part = kind(*(field[start:stop] for field in game))
        score = pieces.play(part, np.array([stop - start]))[-1]
    assert score == expected
    assert same_state(whole.private, pieces.private) is None


@pytest.mark.parametrize("make", [arms, linear, advice])
def test_none_of_them_allocates(make):
    private, game, _ = make()
    player = Player(private, streams(1))
    player.play(game, np.array([20]))
    assert not componentjit.compile_for(play, player.private, game, player._held).must_allocate


def test_full_information_learns():
    private, game, _ = linear()
    loss = Player(private, streams(1)).play(game, np.array([300]))[0]
    assert loss < 0.75 * game.losses.mean() * 300


@pytest.mark.parametrize("make", [arms, linear, advice])
def test_compiled_loops_leave_reference_counts_alone(make):
    private, game, _ = make()
    player = Player(private, streams(1))
    for _ in range(3):
        player.play(game, np.array([100]))
    state = [array for _, array in componentjit.arrays((player.private, game))]
    before = [sys.getrefcount(array) for array in state]
    for _ in range(20):
        player.play(game, np.array([100]))
    assert [sys.getrefcount(array) for array in state] == before


class Choosy(Learner):
    """Explores arms in turn, for longer and longer; between releases it may sort in Python."""

    releases_wanted: int
    pausing: bool
    sums: np.ndarray
    lengths: np.ndarray  # of all batches so far
    counts: np.ndarray  # decisions, releases, pauses

    @classmethod
    def start(cls, releases, *, pausing):
        return cls(releases, pausing, np.zeros(3), np.zeros(releases + 1), np.zeros(3, np.int64))

    def act(self, observation, rng):
        arm = int(self.counts[0] % 3)
        self.counts[0] += 1
        return arm, Draw(arm, 1.0)

    def patience(self, trace):
        return 2 + int(self.counts[1])

    def learn(self, trace, released):
        self.sums[trace.arm] += released
        self.lengths[self.counts[1]] = 2 + self.counts[1]
        self.counts[1] += 1

    def is_done(self):
        return self.counts[1] >= self.releases_wanted

    def must_pause(self):
        return self.pausing and self.counts[2] < self.counts[1]

    def resume(self):
        self.counts[2] = self.counts[1]
        self.lengths.sort(kind="stable")  # no compiled code could do this
        self.lengths[:] = self.lengths[::-1].copy()
        self.lengths.sort()


def choosy(releases, *, pausing=False):
    channel = Batch.over(size=5, bounds=Range(0.0, 1.0), noise=Laplace(0.0))
    return Private(channel, Choosy.start(releases, pausing=pausing))


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("pausing", [True, False])
def test_a_learner_chooses_how_long_it_holds_and_when_it_is_done(compiled, pausing):
    """Batches of 2, 3, 4 and 5 rounds: 14 in all; releases are means of exactly those rounds."""
    losses = np.random.default_rng(0).random((40, 3))
    player = Player(choosy(4, pausing=pausing), streams(1), compiled=compiled)
    scores = player.play(ArmGame(losses), np.array([7, 14, 40]))
    assert player.rounds == 14
    assert player.private.learner.counts.tolist() == [4, 4, 3 if pausing else 0]
    expected = [
        losses[0:2, 0].mean(),
        losses[2:5, 1].mean(),
        losses[5:9, 2].mean(),
        losses[9:14, 0].mean(),
    ]
    assert player.private.learner.sums == pytest.approx(
        [expected[0] + expected[3], expected[1], expected[2]], rel=1e-9
    )
    assert (
        scores[1]
        == scores[2]
        == pytest.approx(
            losses[0:2, 0].sum()
            + losses[2:5, 1].sum()
            + losses[5:9, 2].sum()
            + losses[9:14, 0].sum()
        )
    )
    again = player.play(ArmGame(losses), np.array([40]))
    assert again.tolist() == [scores[-1]]
    assert player.rounds == 14, "a learner that is done plays no more"


def test_pauses_change_nothing_and_marks_are_noted_once():
    losses = np.random.default_rng(3).random((500, 3))
    marks = np.array([1, 2, 3, 5, 100, 500])
    one, other = (Player(choosy(1000, pausing=pausing), streams(1)) for pausing in (True, False))
    assert one.play(ArmGame(losses), marks).tolist() == other.play(ArmGame(losses), marks).tolist()
    assert one.private.learner.counts[2] == one.private.learner.counts[1] > 20


INTERRUPTED = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from discreet import algorithm
from discreet.problems import ArmGame
from discreet.randomness import streams
from discreet.simulation.loop import Player
player = Player(algorithm("exp3").build().private, streams(1))
player.play(ArmGame(np.zeros((100, 4))), np.array([100]))
game = ArmGame(np.zeros((30_000_000, 4), dtype=np.float64))
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    player.play(game, np.array([30_000_000]))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.long
def test_an_interrupt_during_a_compiled_loop_is_an_exception(python):
    """A tuple with names would be made by Python code in compiled code: the process would end."""
    assert python(INTERRUPTED) == "interrupted"
