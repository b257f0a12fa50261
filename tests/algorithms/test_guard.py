"""The guard of tracking-ucb: each step of the proof of its bound, and games made to hurt it."""

from __future__ import annotations

import itertools
import math
import threading
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from common import in_full
from guard_games import K, anxious, built, changing_fast, game, longest_block
from scipy import integrate, optimize

import componentjit
from componentjit.lanes import NotVectorizable
from discreet import Bandit, Setting, algorithm
from discreet.algorithms.arms.bounds import sharp_tsallis_inf
from discreet.algorithms.arms.tracking_bounds import GuardBound
from discreet.checks import CheckFailed, check_learner, check_non_interference, check_private
from discreet.cli.commands import cli
from discreet.environments import Stochastic, Table, environment
from discreet.learners import GuardedUcb, TrackingUcb
from discreet.learners.arms.guarded_ucb import (
    AT_FIRST,
    HEADROOM,
    NOW,
    PROBES,
    REST,
    SHARE,
    TRACKS,
    confine,
    settle,
)
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation.loop import Player, play
from discreet.simulation.side_by_side import lanes_of
from discreet.simulation.trial import run_trial


@pytest.mark.parametrize("epsilon", [3.0, 1.0, 0.1])
@pytest.mark.parametrize("period", [20, 5000])
def test_turns_are_as_the_proof_says(epsilon, period):
    """Lengths, chances and estimates of whole games, computed a second time from the list of their
    holds.
    """
    rounds = 20_000
    guard = GuardBound(K, rounds, 1 / epsilon)
    learner = componentjit.copy(built(rounds, epsilon).private.learner)
    holds, found, _, over = game(learner, changing_fast(rounds, K, period), guard.noise, 5)
    expected, last, probes, room, length = np.zeros(K), 0, 0, np.zeros(K), 0
    for t, trace, begins, before, guesses, chances, heard in holds:
        assert t == last, "no round is left out"
        last = t + trace.rounds
        if begins:
            room, length = guard.threshold - before, 0
            assert (room >= 0.0).all()
            if not before.any():
                expected = np.zeros(K)
        length += trace.rounds
        assert length <= max(longest_block(room, guard.noise), HEADROOM * room.min())
        assert chances.sum() == pytest.approx(1.0)
        assert trace.chance == chances[trace.arm]
        assert trace.guess == guesses[trace.arm]
        own = int(np.argmax(chances))
        assert chances[own] >= 1 - SHARE
        assert (trace.arm == own) == (trace.purpose == TRACKS)
        if trace.purpose == PROBES:
            probes += 1
            assert trace.rounds <= longest_block(room, guard.noise)
        gain = min(max(heard, 0.0), trace.rounds)
        if gain != heard:
            gain += guard.noise if heard > gain else -guard.noise
        expected += trace.rounds * guesses - gain
        expected[trace.arm] += (gain - trace.rounds * guesses[trace.arm]) / chances[trace.arm]
        at_most = guard.threshold + guard.passing
        assert (expected <= at_most).all(), "the proof says by how much a threshold is passed"
    assert last == (rounds if over is None else over)
    assert probes > 5
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


class Watched(GuardedUcb):
    """Checks in every turn that probes are as likely as the proof needs, for the blocks of that
    turn.
    """

    compiles = False
    turns: ClassVar[list[int]] = []

    def begin_turn(self, arm, rng):
        room, left = self.threshold - self.regrets, self.rounds - self.clock[NOW]
        noise, rest = self.tracking.noise, self.turn[REST]
        before = GuardedUcb.begin_turn(self, arm, rng)
        longest = self.block_length(arm, self.fix_estimates(), room.min())
        assert longest <= longest_block(room, noise)
        n = int(min(rest, max(longest, math.floor(HEADROOM * room.min())), left))
        k = -(-n // longest)
        d = -(-n // k)
        self.fix_chances(arm, d, self.fix_estimates())
        assert 1 <= n - d * (k - 1) <= d, "the last block has rounds, and no more than the others"
        assert before in {n, *range(0, n, d)}
        needed = (d * (1 - self.guesses) + noise) / (1 - HEADROOM)
        others = np.arange(room.size) != arm
        probed = others & (left > room)
        least = np.minimum(SHARE / room.size, needed / np.maximum(room, 1e-300))
        assert (self.chances[probed] >= least[probed] * (1 - 1e-12)).all()
        assert (self.chances[others] <= SHARE / room.size).all()
        assert (self.chances[others & ~probed] == 0.0).all()
        assert self.chances.sum() == pytest.approx(1.0)
        self.turns.append(n)
        return before


def slow_guess(mean, best, room, length, guard, squared, played):
    """Return a guess and P(i) X(i) from the definitions, by bisection."""
    gap = max(best - mean, guard.threshold**2 / (4 * room * math.sqrt(played * guard.rounds)))

    def apart(v):
        spread = mean * (1 - mean) + length * (v - mean) ** 2 + 2 * guard.noise**2 / length
        return (length * (1 - v) + guard.noise) / 0.9 - squared * spread / (2 * gap)

    if apart(mean) <= 0:
        v = mean
    else:
        v = 1.0 if apart(1.0) > 0 else optimize.brentq(apart, mean, 1.0, xtol=1e-14)
    usual = squared * (mean * (1 - mean) + 2 * guard.noise**2 / length) / (2 * gap)
    return v, max((length * (1 - v) + guard.noise) / 0.9, usual)


@pytest.mark.parametrize("epsilon", [3.0, 1.0, 0.1])
@pytest.mark.parametrize("passed", [0, 1])
def test_guesses_and_probes_are_those_of_the_equations(epsilon, passed):
    rounds, rng = 1 << 16, np.random.default_rng(4)
    guard, raised = GuardBound(K, rounds, 1 / epsilon), 0
    learner = componentjit.copy(built(rounds, epsilon).private.learner)
    for _ in range(200):
        learner.estimates[:] = rng.choice([0.0, 0.4, 0.5, 1.0, *rng.random(2)], K)
        learner.regrets[:] = guard.threshold - rng.uniform(0.01, 9.0, K) * guard.threshold
        learner.clock[:] = float(rng.integers(0, rounds // 2)), passed
        best, wanted = learner.estimates.max(), int(rng.integers(K))
        length = int(rng.integers(1, 30) * math.ceil(guard.noise))
        probing = learner.fix_chances(wanted, length, best)
        rooms = guard.threshold - learner.regrets
        for arm in set(range(K)) - {wanted}:
            v, needed = slow_guess(
                learner.estimates[arm],
                best,
                rooms[arm],
                length,
                guard,
                (1.8, 2.5)[passed] ** 2,
                max(learner.clock[NOW], 1.0),
            )
            raised += v > learner.estimates[arm]
            left = rounds - learner.clock[NOW] > rooms[arm]
            assert learner.guesses[arm] == pytest.approx(v, abs=1e-9)
            assert learner.chances[arm] == pytest.approx(
                min(1 / (4 * K), needed / rooms[arm]) if left else 0.0, rel=1e-6
            )
        assert learner.guesses[wanted] == learner.estimates[wanted]
        assert learner.chances[wanted] == pytest.approx(1 - probing)
    assert 30 < raised < 600


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1e6, 3.0, 1.0, 0.1, 0.001])
@pytest.mark.parametrize("arms", [2, 4, 60])
@pytest.mark.parametrize("rounds", [3, 1201])
def test_probes_are_as_likely_as_the_proof_needs(epsilon, arms, rounds):
    watched = Watched(*componentjit.copy(built(rounds, epsilon, arms).private.learner))
    Watched.turns.clear()
    game(watched, changing_fast(rounds, arms, 20), 1 / epsilon, 5)
    assert Watched.turns


@pytest.mark.long
@pytest.mark.parametrize("period", [in_full(5), 60, in_full(400)])
def test_estimates_of_regret_are_not_biased_and_pass_the_threshold_by_little(period):
    """Means of 300 games, stopped at the takeover, within 4.5 deviations: a false alarm below 1e-4
    over all cases.
    """
    rounds, noise = 1200, 1.0
    gains, apart, passed = changing_fast(rounds, 3, period, seed=2), [], []
    # a longer game than is played: no arm is left out because few rounds are left
    start = anxious(rounds * 50, 1 / noise, threshold=60.0).learner
    for seed in range(300):
        _, found, regrets, over = game(componentjit.copy(start), gains, noise, seed, phases=1)
        apart.append(found - regrets)
        passed.append(np.maximum(found - start.threshold, 0.0))
        assert (over is None) or found.max() > start.threshold
    apart, passed = np.array(apart), np.array(passed)
    assert (np.abs(apart.mean(axis=0)) <= 4.5 * apart.std(axis=0) / math.sqrt(300)).all()
    assert passed.max() <= GuardBound(3, rounds, noise).passing
    assert (passed > 0).any(), "some passed it"


@pytest.mark.parametrize("noise", [0.05, 1.0, 8.0])
def test_confined_releases_have_the_mean_that_is_said(noise):
    def part(mean, low, high):
        return integrate.quad(
            lambda y: confine(y, noise) * math.exp(-abs(y - mean) / noise) / (2 * noise), low, high
        )[0]

    for mean in (0.0, 0.2, 0.5, 0.9, 1.0):
        ends = [-60 * noise, 0.0, mean, 1.0, 1.0 + 60 * noise]
        found = sum(part(mean, low, high) for low, high in itertools.pairwise(ends))
        assert found == pytest.approx(0.5 + (mean - 0.5) / (1 + 2 * noise), abs=1e-7)
    assert 0.0 <= min(confine(y, noise) for y in (-9.0, 0.0, 1.0)) <= confine(9.0, noise) == 1.0
    for y in (-9.0, 0.0, 0.3, 1.0, 9.0):
        straight = 0.5 + (confine(y, noise) - 0.5) * (1 + 2 * noise)
        assert settle(y, noise) == pytest.approx(straight)
        assert -noise <= settle(y, noise) <= 1 + noise


def test_the_bound_after_a_takeover_is_largest_if_it_is_at_once():
    for arms in (2, 4, 50):
        found = [sharp_tsallis_inf(arms, plays) for plays in range(1, 3000)]
        assert found == sorted(found)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.7, 1.0, 3.0, 100.0])
def test_the_batch_after_a_takeover_is_the_best_one(epsilon):
    guard = GuardBound(K, 1 << 22, 1 / epsilon)
    others = [
        guard.later(max(1, round(guard.batch * factor)))
        for factor in (0.3, 0.6, 0.8, 1.3, 2.0, 4.0)
    ]
    assert guard.later(guard.batch) <= 1.005 * min(others)


def mean_regret(private, world, rounds, trials, seed=5):
    how = {"bounds": make_range(), "clip": False, "stop": threading.Event(), "seed": seed}
    found = [
        run_trial([private], world, np.array([rounds]), trial=t, **how).regret[0, -1]
        for t in range(trials)
    ]
    return float(np.mean(found))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("stochastic", {}),
        ("stochastic", {"gap": 0.2}),
        ("deterministic", {}),
        ("repeating", {"repeats": 60}),
        ("repeating", {"repeats": 20}),
        ("flipping", {"period": 1000}),
        ("switching", {}),
        ("late-change", {}),
    ],
)
def test_regret_is_below_the_bound(name, options, epsilon):
    rounds = 1 << 17
    instance = built(rounds, epsilon)
    world = environment(name, Arms(K), rounds=rounds, **options)
    assert mean_regret(instance.private, world, rounds, 6) < instance.regret_bound


@pytest.mark.slow
def test_losses_with_which_tracking_is_linear_are_left_to_tsallis_inf():
    rounds = 1 << 20
    world = environment("repeating", Arms(K), rounds=rounds, repeats=60)
    plain = algorithm("tracking-ucb").build(Setting(Arms(K), rounds=rounds, epsilon=0.1)).private
    alone, guarded = (
        mean_regret(each, world, rounds, 6) for each in (plain, built(rounds, 0.1).private)
    )
    assert alone > 0.02 * rounds
    assert guarded < 0.7 * alone, "half of it in 24 runs; single runs deviate by a third"


@pytest.mark.long
def test_where_nothing_changes_hardly_anybody_takes_over():
    """Equal arms, whose estimates have deviations of θ / 1.8 at most, and less in the second phase:
    both thresholds are passed in at most 2 % of games.

    Of 60 games 7 or more have a probability below 1e-3.
    """
    rounds = 1 << 12
    guard = GuardBound(K, rounds, 1.0)
    start, passed, spread = built(rounds, 1.0).private.learner, 0, []
    for seed in range(60):
        gains = np.random.default_rng([seed, 1]).integers(0, 2, (rounds, K)).astype(float)
        _, found, regrets, over = game(componentjit.copy(start), gains, 1.0, seed)
        passed += over is not None
        spread.append(found - regrets)
    assert passed < 7
    assert np.std(spread) < 1.2 * guard.threshold / AT_FIRST


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [2.0, 0.05])
def test_no_raw_feedback_reaches_the_learner_and_all_speeds_agree(epsilon):
    for private in (built(5000, epsilon, 3).private, anxious(epsilon=epsilon)):
        check_private(private, environment("stochastic", arms=3), quick=True)
        check_learner(private.learner)


@pytest.mark.slow
def test_the_non_interference_test_finds_a_small_leak():
    class Careless(type(built(100, 1.0).private)):
        def tell(self, trace, feedback, rng):
            ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
            if ready:
                self.learner.learn(trace, released + 1e-6 * feedback)
            return ready

    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(Careless(*built(5000, 1.0, 3).private), Arms(3), compiled=False)


def test_both_speeds_agree_before_and_after_a_takeover():
    private, world = anxious(), Table(1.0 - changing_fast(5000, 3, 40))
    how = {"seed": 1, "trial": 0, "bounds": make_range(), "clip": False, "stop": threading.Event()}
    marks = np.array([100, 1000, 5000])
    fast, slow = (
        run_trial([private], world, marks, compiled=compiled, **how).loss
        for compiled in (True, False)
    )
    np.testing.assert_array_equal(fast, slow)
    with pytest.raises(NotVectorizable):
        lanes_of(private, Stochastic(3), make_range())


def test_it_does_not_allocate_in_its_loop():
    dealt = environment("stochastic", arms=K).deal(0, 10, np.random.default_rng(0))
    player = Player(built(100, 1.0).private, streams(0))
    player.play(dealt, np.array([10]))
    assert not componentjit.compile_for(play, player.private, dealt, player._held).must_allocate


def test_it_goes_on_after_the_rounds_that_it_was_made_for():
    learner = componentjit.copy(built(50, 1.0).private.learner)
    game(learner, changing_fast(500, K, 50), 1.0, 1)
    arm, trace = learner.act(0, np.random.default_rng(0))
    assert 0 <= arm < K
    assert trace.rounds >= 1


def test_what_it_wraps_is_tracking_itself():
    """Far from the threshold hardly anything is probed; arms and lengths are those of tracking."""
    tracking = {"arms": K, "noise": 1.0, "first": 1, "rounds": 4000, "interval": 0.2}
    alone = TrackingUcb.start(**tracking)
    learner = componentjit.copy(built(4000, 1.0).private.learner)
    learner.regrets[:] = -1e15
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(60):
        wanted, wish = alone.act(0, other)
        heard = float(np.random.default_rng(wish.rounds).random())
        alone.learn(wish, heard)
        arm, trace = learner.act(0, rng)
        assert (arm, trace.rounds, trace.purpose) == (wanted, wish.rounds, TRACKS)
        learner.learn(trace, heard)
    assert learner.clock[0] == alone.clock[0] > 100


def test_live_use():
    with Bandit(
        arms=["A", "B"], horizon=300, epsilon=1.0, algorithm="tracking-ucb", guard=True
    ) as bandit:
        for _ in range(300):
            decision = bandit.ask()
            bandit.tell(decision, reward=float(decision.arm == "A"))
        assert bandit.guarantee.epsilon == pytest.approx(1.0)


def test_what_is_stated():
    one, tenth = built(1 << 18, 1.0), built(1 << 18, 0.1)
    assert one.regret_bound == pytest.approx(13_770, rel=0.001)
    assert tenth.regret_bound == pytest.approx(35_581, abs=1.0)
    assert one.stationary_bound is None
    assert built(1 << 18, 1.0, confidence="proved").stationary_bound is None
    assert built(50, 0.01).regret_bound == 50.0
    larger = built(1 << 26, 1.0).regret_bound
    assert larger < 16.1 * one.regret_bound, "16 is the root of 2^8"
    told = CliRunner().invoke(cli, ["describe", "tracking-ucb", "--set", "guard=true"]).output
    assert "docs/regret.md: Guard" in told
    for epsilon in (1e-12, 1e-3, 1e6, 1e12):
        for rounds in (2, 1000, 1 << 40):
            assert 0.0 < built(rounds, epsilon, arms=2).regret_bound <= rounds
