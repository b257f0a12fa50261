"""Sets that stay in Python while the loop around them is compiled."""

from __future__ import annotations

import gc
import math
import threading

import numpy as np
import pytest

import componentjit
from componentjit import calls, compilable, compile_for
from discreet import DiscreetError, Range, algorithm
from discreet.checks.private import check_two_speeds
from discreet.environments import environment
from discreet.learners import ProjectionFree
from discreet.problems import Functions
from discreet.problems.function_games import measure
from discreet.randomness import streams
from discreet.sets import Birkhoff, Custom, Polytope, set_named
from discreet.sets.in_python import failures_of, with_calls
from discreet.simulation.loop import Player

ROUNDS = 300


def built(name="private-projection-free", domain="assignments(3)", **options):
    known = algorithm(name)
    setting = known.setting(domain=domain, rounds=2000, delta=1e-6)
    return known.build(
        setting, when_vacuous="play", sums="blt", batch_size=20, **options
    ).private, setting.problem


def permutations(direction):
    """Return an assignment as a user's own oracle would."""
    point = np.zeros(9)
    Birkhoff(3).minimise_linear(direction, point)
    return point


def with_set(private, around):
    """Return the private learner on another set of the same dimension."""
    old = private.learner
    return private._replace(
        learner=ProjectionFree.start(
            set=around,
            inner=old.set.inner,
            radius=old.radius,
            learning_rate=old.learning_rate,
            tolerance=old.tolerance,
        )
    )


def custom(oracle):
    return Custom.of(9, oracle, centre=np.full(9, 1 / 3), inner=0.5, outer=2.0**0.5, name="teams")


@pytest.mark.parametrize(
    "around",
    [Birkhoff(3), custom(permutations), set_named("nuclear(2,2)"), set_named("spectrahedron(3)")],
    ids=lambda around: type(around).__name__,
)
def test_the_stand_in_answers_what_the_set_does(around):
    one, made = with_calls(around)
    assert compilable(one)
    assert len(made) == 1
    rng = np.random.default_rng(2)
    for _ in range(5):
        direction = rng.normal(size=around.dimension)
        for ask in ("minimise_linear", "tangent"):
            answers = []
            for within in (one, around):
                vector, point = direction.copy(), np.zeros(around.dimension)
                if ask == "tangent":
                    within.tangent(vector)
                else:
                    within.minimise_linear(vector, point)
                answers.append((vector, point))
            np.testing.assert_array_equal(answers[0], answers[1])


def test_barriers_and_projections_pass_too():
    square = Polytope(np.vstack([np.eye(2), -np.eye(2)]), np.ones(4))
    one, made = with_calls(square)
    assert len(made) == 1
    rng = np.random.default_rng(4)
    for _ in range(5):
        sums = rng.normal(size=2)
        leaders = np.zeros((2, 2))
        for row, within in zip(leaders, (one, square), strict=True):
            within.leader(sums, 0.5, row)
        np.testing.assert_array_equal(*leaders)
        steps = np.zeros((2, 2, 2))
        for (step, slope), within in zip(steps, (one, square), strict=True):
            within.dikin(leaders[0], np.array([0.6, 0.8]), step, slope)
        np.testing.assert_array_equal(*steps)
        outside = [3.0 * sums, 3.0 * sums]
        for point, within in zip(outside, (one, square), strict=True):
            within.project(point)
        np.testing.assert_array_equal(*outside)


def test_sets_that_are_compiled_stay_as_they_are():
    around = set_named("k-sets(5,2)")
    same, made = with_calls(around)
    assert same is around
    assert made == []


@pytest.mark.long
def test_both_speeds_agree_and_only_the_set_is_plain():
    private, problem = built()
    world = environment("linear", problem=problem, rounds=ROUNDS)
    assert not compilable(private)
    player = Player(private, streams(1))
    assert player._compiled
    check_two_speeds(private, world, rounds=ROUNDS)
    check_two_speeds(with_set(private, custom(permutations)), world, rounds=ROUNDS)


@pytest.mark.slow
def test_both_speeds_agree_where_vertices_are_played():
    private, problem = built("private-linear-oracle", exploration=0.2)
    check_two_speeds(private, environment("linear", problem=problem, rounds=ROUNDS), rounds=ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failure", "complaint"),
    [
        (ValueError("no solution"), "no solution"),
        (KeyboardInterrupt(), "^$"),
        (None, "the oracle of the set 'teams' is .*, which is farther from"),
    ],
    ids=["error", "interrupt", "outside"],
)
@pytest.mark.long
def test_what_an_oracle_raises_comes_out_of_the_compiled_loop(failure, complaint):
    asked, calls_left = [], [math.inf]

    def oracle(direction):
        asked.append(1)
        if len(asked) < calls_left[0]:
            return permutations(direction)
        if failure is not None:
            raise failure
        return np.full(9, 7.0)

    around = custom(oracle)
    asked.clear()
    calls_left[0] = 60
    private, problem = built()
    player = Player(with_set(private, around), streams(1))
    game = problem.probe(2000, np.random.default_rng(1))
    with pytest.raises(DiscreetError if failure is None else type(failure), match=complaint):
        player.play(game, np.array([2000]))
    assert len(asked) == 60
    fresh = Player(private, streams(1))
    fresh.play(game, np.array([100]))  # nothing stays behind


@pytest.mark.slow
def test_threads_have_calls_of_their_own():
    private, problem = built()
    game = problem.probe(ROUNDS, np.random.default_rng(1))

    def played(seed):
        return Player(private, streams(seed)).play(game, np.array([ROUNDS]))[0]

    alone, together = [played(seed) for seed in range(4)], {}
    threads = [
        threading.Thread(target=lambda s=seed: together.update({s: played(s)})) for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[seed] for seed in range(4)] == alone


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "quadratics"])
def test_functions_are_measured_as_in_plain_python(name):
    """In range by their slopes, or, in a range that they leave, by what the oracle says."""
    problem = Functions("nuclear(2,2)", lipschitz=2.0)
    functions = environment(name, problem=problem, rounds=40).deal(0, 40, np.random.default_rng(1))
    around = set_named("nuclear(2,2)")
    one, made = with_calls(around)
    for low, high in ((0.0, 1.0), (0.4, 0.5)):
        extents = np.zeros((2, 40, 5))
        facts = (around.outer, around.centre(), low, high)
        measure(functions, around, *facts, extents[0])
        compile_for(measure, functions, one)(functions, one, *facts, extents[1])
        np.testing.assert_array_equal(*extents)
        assert (extents[0, :, 0] <= extents[0, :, 1]).all()
    assert problem.check(functions, Range(0.0, 1.0), clip=False)[1] == 0
    assert problem.check(functions, Range(0.4, 0.5), clip=True)[1] > 0
    assert len(made) == 1


@pytest.mark.long
def test_calls_end_with_their_player():
    gc.collect()
    before = len(calls._calls)
    player = Player(built()[0], streams(1))
    assert len(calls._calls) == before + 1
    del player
    gc.collect()
    assert len(calls._calls) == before


def test_a_failure_without_a_reason_is_an_interrupt():
    """It came before the first line of the call."""
    with pytest.raises(KeyboardInterrupt), failures_of([componentjit.Call(lambda what: None)]):
        raise componentjit.PythonFailed("the Python oracle of a set raised an error.")


@pytest.mark.long
def test_an_interrupt_between_two_calls_is_heard(python):
    """It comes before a call's first line; ctypes then returns anything: no answer."""
    heard = python(
        """
import os, signal, sys, threading
import numpy as np
from discreet import algorithm
from discreet.randomness import streams
from discreet.simulation.loop import Player
sys.unraisablehook = lambda what: None  # ctypes tells of the interrupt
known = algorithm("private-projection-free")
setting = known.setting(domain="assignments(3)", rounds=2000, delta=1e-6)
private = known.build(setting, when_vacuous="play", sums="blt", batch_size=20).private
game = setting.problem.probe(200_000, np.random.default_rng(1))
Player(private, streams(1)).play(game, np.array([2]))
for wait in (0.05, 0.08, 0.11):
    threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        Player(private, streams(1)).play(game, np.array([200_000]))
        print("finished")
    except KeyboardInterrupt:
        print("heard")
"""
    )
    assert heard.split() == ["heard"] * 3
