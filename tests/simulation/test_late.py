"""Late outcomes: what waits is learned when it is due, copied, in order, and as measured before."""

from __future__ import annotations

import heapq
import json

import numpy as np
import pytest

import discreet
from componentjit import arrays, copy
from discreet.algorithms import Setting, algorithm, list_algorithms
from discreet.errors import DiscreetError
from discreet.planning.games import Planned
from discreet.planning.question import Question
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.arrivals import Arrivals, make_arrivals
from discreet.simulation.dealing import deal
from discreet.simulation.late import make_late, sift_up, take_first
from discreet.simulation.loop import Player
from discreet.simulation.matching import matching_environment

UNIT = make_range()
# One for every kind of trace and release: numbers, arrays, running sums, queries, devices.
KINDS = (
    "batched-ucb",
    "tracking-ucb",
    "tsallis-inf",
    "private-ftrl-experts",
    "batched-exp4",
    "private-two-point",
    "joint-linucb",
)


def game_of(name, rounds):
    """Return an environment, a game of it, and an algorithm that plays it."""
    known = algorithm(name)
    world = matching_environment(
        None, known.problem, parameters={}, options={}, rounds=rounds, bounds=UNIT
    )
    setting = Setting(world.problem, rounds=rounds, epsilon=1.0, delta=1e-6, bounds=UNIT)
    game, _ = deal(world, 0, rounds, streams(3).environment, UNIT, clip=True)
    return world, game, known.build(setting).private


def state_of(learner):
    return [array.tolist() for _, array in arrays(learner)]


def by_hand(private, game, waits, group, rounds):
    """Return the learner's state after a game, with a list of what waits, as Python objects."""
    private, own = copy(private), streams(3)
    shift = int(own.privacy.random() * waits.size) if waits.size > 1 else 0
    waiting, due, number, left = [], 0, 0, 0
    for t in range(rounds):
        if left == 0:
            action, trace = private.act(game.observe(t), own.learner)
            left = private.hold_for(trace)
        left -= 1
        known = t + 1 + int(waits[(t + shift) % waits.size])
        due = max(due, -(-known // group) * group)
        ready, released = private.submit(trace, game.feedback(t, action), own.privacy)
        if ready:
            heapq.heappush(waiting, (due, number, copy((trace, released))))
            number += 1
            due = due if private.channel.one_stream else 0
        if left == 0:
            while waiting and waiting[0][0] <= t + 1:
                private.deliver(*heapq.heappop(waiting)[2])
    return state_of(private.learner)


@pytest.mark.parametrize("name", KINDS)
def test_releases_are_learned_when_they_are_due(name):
    """The same state as with a list of Python objects, with random delays and groups of two."""
    world, game, private = game_of(name, 60)
    arrivals = make_arrivals(delay="exponential(9)", group=2, bounds=UNIT)
    late = make_late(name, private, arrivals, world, 60, UNIT)
    player = Player(late, streams(3), compiled=False)
    player.play(game, np.array([60]))
    assert state_of(player.private.learner) == by_hand(private, game, arrivals.waits, 2, 60)


@pytest.mark.parametrize("name", KINDS)
def test_no_delay_is_the_ordinary_game_bit_for_bit(name):
    world, game, private = game_of(name, 60)
    at_once = Arrivals(delay="at once", waits=np.zeros(1, np.int64))
    late = make_late(name, private, at_once, world, 60, UNIT)
    marks = np.array([10, 60])
    played = [Player(each, streams(3), compiled=False) for each in (private, late)]
    losses = [player.play(game, marks).tolist() for player in played]
    assert losses[0] == losses[1]
    assert state_of(played[0].private.learner) == state_of(played[1].private.learner)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "batched-ucb",
        pytest.param("tsallis-inf", marks=pytest.mark.full),
        pytest.param("private-ftrl-experts", marks=pytest.mark.full),
        pytest.param("joint-linucb", marks=pytest.mark.full),
    ],
)
def test_compiled_and_plain_agree(name):
    world, game, private = game_of(name, 60)
    arrivals = make_arrivals(delay="uniform(0,20)", group=3, bounds=UNIT)
    late = make_late(name, private, arrivals, world, 120, UNIT)
    states = []
    for compiled in (False, True):
        player = Player(late, streams(3), compiled=compiled)
        losses = [player.play(game, np.array([7, 60])).tolist() for _ in range(2)]
        states.append((losses, state_of(player.private)))
    assert states[0] == states[1]


@pytest.mark.full
def test_every_algorithm_plays_with_late_outcomes_or_says_why_not():
    refused = []
    for name, known in list_algorithms().items():
        if known.problem.stops:
            continue
        try:
            discreet.simulate(name, rounds=30, trials=1, delta=1e-6, delay=7, group=3, workers=1)
        except DiscreetError as error:
            refused.append((name, str(error)))
    assert [name for name, _ in refused] == ["exp3-tau"]
    assert "must learn from every outcome before its next decision" in refused[0][1]


def pseudo_regret(names, *, rounds, trials, **late):
    """Return mean regret, gains .6/.5/.5 with roles permuted, epsilon 1."""
    question = Question(arms=3, rounds=rounds, difference=0.1)
    world = Planned(question.problem, question.distributions, rounds, False)
    found = discreet.simulate(
        names, environment=world, rounds=rounds, trials=trials, workers=1, seed=5, **late
    )
    return (found.memory[:, :, 0] @ question.shortfall).mean(axis=1).tolist()


@pytest.mark.long
def test_a_tenth_of_all_rounds_may_be_open():
    """Regret 101 and 167, of 274 and 249 without counting open rounds.

    Standard errors are 3.5 with 64 trials, and the bands have five of them: false alarms below
    1e-5.
    """
    indices, tracking = pseudo_regret(
        ["batched-ucb", "tracking-ucb"], rounds=10_000, trials=64, delay=1000
    )
    assert indices == pytest.approx(101, abs=18)
    assert tracking == pytest.approx(167, abs=18)


@pytest.mark.slow
def test_a_trial_of_600_patients_with_late_outcomes():
    """Regret 27.6 with a delay of 100 rounds, 25.2 without; five standard errors (0.65) each."""
    (late,) = pseudo_regret(["batched-ucb"], rounds=600, trials=200, delay=100)
    (at_once,) = pseudo_regret(["batched-ucb"], rounds=600, trials=200)
    assert late == pytest.approx(27.6, abs=3.3)
    assert at_once == pytest.approx(25.2, abs=3.3)


def test_groups_hear_nothing_of_their_own():
    """With one group of all rounds nothing is ever learned: UCB plays its arms equally often."""
    found = discreet.simulate(
        "ucb", environment=np.tile([0.0, 0.5, 1.0], (30, 1)), group=30, trials=2, workers=1
    )
    assert found.loss[0, :, -1].tolist() == [15.0, 15.0]


def test_missing_outcomes_count_as_the_default():
    """If all are missing, losses change nothing: regret follows from the table alone."""
    tables = [np.tile(row, (200, 1)) for row in ([0.0, 1.0], [1.0, 0.0])]
    for given in ({"default_loss": 1.0}, {"default_reward": 0.0}):
        lost = [
            discreet.simulate("ucb", environment=table, missing=1.0, seed=2, trials=1, **given)
            for table in tables
        ]
        assert lost[0].loss[0, 0, -1] + lost[1].loss[0, 0, -1] == 200.0
    some = discreet.simulate(
        "ucb", environment=tables[0], missing=0.5, default_loss=1.0, seed=2, trials=1
    )
    assert some.loss[0, 0, -1] < lost[0].loss[0, 0, -1]


def test_a_deadline_is_a_fixed_delay_and_what_is_later_is_missing():
    arrivals = make_arrivals(delay="uniform(0,99)", wait=49, default_loss=1.0, bounds=UNIT)
    assert set(arrivals.waits.tolist()) == {49}
    assert arrivals.absent.mean() == pytest.approx(0.5, abs=1e-3)
    assert str(arrivals) == (
        "every outcome is used after 49 rounds, and 50 % of them are missing and count as a loss "
        "of 1"
    )


@pytest.mark.parametrize(
    ("delay", "mean", "words"),
    [
        (100, 100, "outcomes arrive 100 rounds late"),
        ("1", 1, "outcomes arrive 1 round late"),
        ("exponential(50)", 50, "outcomes arrive 50 rounds late on average (exponential)"),
        ("geometric(20)", 20, "outcomes arrive 20 rounds late on average (geometric)"),
        ("uniform(10,30)", 20, "outcomes arrive 10 to 30 rounds late (uniform)"),
        ([1, 2, 9], 4, "outcomes arrive 4 rounds late on average (from a list)"),
    ],
)
def test_delays(delay, mean, words):
    arrivals = make_arrivals(delay=delay, bounds=UNIT)
    assert arrivals.waits.mean() == pytest.approx(mean, rel=2e-3)
    assert str(arrivals) == words


def test_all_at_once_needs_no_table():
    assert make_arrivals(bounds=UNIT) is None
    assert make_arrivals(delay="0", bounds=UNIT) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"delay": -1}, "delay is -1, but must be a whole number of at least 0"),
        ({"delay": "soon"}, "delay is 'soon', but must be a number of rounds"),
        ({"delay": "uniform(9,3)"}, "but must be a number of rounds"),
        ({"delay": []}, "delay is empty"),
        ({"delay": None}, "delay is None, but must be a number of rounds"),
        ({"delay": 2.5}, "delay is 2.5, but must be a whole number"),
        ({"delay": "exponential(1e12)"}, "too long"),
        ({"group": 0}, "group is 0, but must be a whole number of at least 1"),
        ({"missing": 1.5, "default_loss": 0.0}, "missing is 1.5"),
        ({"missing": 0.1}, "give default_reward or default_loss"),
        ({"wait": 10}, "give default_reward or default_loss"),
        ({"default_loss": 0.0}, "no outcome is missing"),
        ({"missing": 0.1, "default_loss": 2.0}, "default_loss is 2.0"),
        ({"missing": 0.1, "default_loss": 1.0, "default_reward": 1.0}, "one is enough"),
        ({"missing": 0.1, "default_loss": 1.0, "delay": "exponential(9)"}, "need wait"),
    ],
)
def test_what_is_unclear_is_refused(given, said):
    with pytest.raises(DiscreetError, match=said.replace("(", r"\(")) as raised:
        make_arrivals(**given, bounds=Range(0.0, 1.0))
    assert str(raised.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("exp3-tau", {"delay": 1}, "must learn from every outcome before its next decision"),
        ("hedge", {"missing": 0.1, "default_loss": 0.0}, "missing outcomes must be single numbers"),
    ],
)
def test_what_cannot_be_late_is_refused(name, given, said):
    with pytest.raises(DiscreetError, match=said):
        discreet.simulate(name, rounds=100, trials=1, **given)


def test_results_say_how_late_outcomes_were_and_show_no_bound():
    games = {"rounds": 300, "trials": 2, "epsilon": 1.0, "seed": 1, "workers": 1}
    at_once = discreet.simulate("one-bit-tsallis-inf", **games)
    late = discreet.simulate("one-bit-tsallis-inf", delay=20, **games)
    assert at_once.summary()[0]["regret_bound"] is not None
    assert late.summary()[0]["regret_bound"] is None
    facts = json.loads(json.dumps(late.manifest()))
    assert facts["arrivals"]["words"] == "outcomes arrive 20 rounds late"
    assert facts["algorithms"][0]["regret_bound"] is None
    assert "these are late" in facts["algorithms"][0]["bound_source"]
    assert at_once.manifest()["arrivals"] is None
    assert "outcomes arrive 20 rounds late" in repr(late)


def test_a_run_is_resumed_only_with_the_same_delays(tmp_path):
    games = {"rounds": 50, "trials": 2, "workers": 1, "output": tmp_path / "run"}
    discreet.simulate("ucb", delay=5, **games)
    with pytest.raises(DiscreetError, match="arrivals was 'outcomes arrive 5 rounds late' when"):
        discreet.simulate("ucb", delay=6, resume=True, **games)
    again = discreet.simulate("ucb", delay=5, resume=True, **games)
    assert again.trials.size == 2


def test_the_heap_hands_out_what_is_due_first():
    rng = np.random.default_rng(1)
    keys, rows, size, model = np.zeros(64, np.int64), np.arange(64), 0, []
    for step in range(2000):
        if size == 0 or (size < 64 and rng.random() < 0.5):
            keys[size] = int(rng.integers(50)) * 10_000 + step
            heapq.heappush(model, (int(keys[size]), int(rows[size])))
            sift_up(keys, rows, size)
            size += 1
        else:
            assert take_first(keys, rows, size) == heapq.heappop(model)[1]
            size -= 1
        assert sorted(rows.tolist()) == list(range(64))
