"""Problems are values, with parameters, words, checks and scales."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from common import ROOT

from discreet import DiscreetError, Range, algorithm, list_algorithms, simulate
from discreet.environments import environment, environments
from discreet.environments.arms.stochastic import Stochastic
from discreet.problems import (
    Advice,
    ArmGame,
    Arms,
    BestArm,
    Contexts,
    Functions,
    Points,
    SemiBandit,
)
from discreet.simulation.dealing import deal

UNIT = Range(0.0, 1.0)
SMALL = [
    Arms(3),
    BestArm(3),
    Points("experts", 3),
    Points("ball", 3),
    Points("cube", 3),
    Points(domain="k-sets(4,2)"),
    SemiBandit(5, 2),
    Advice(3, 4),
]
SMALL += [Functions("ball(3)"), Functions("cube(2)", evaluations=2, lipschitz=0.1), Contexts(3, 4)]


def text(problem):
    return repr(problem)


@pytest.mark.parametrize("problem", SMALL, ids=text)
def test_a_problem_is_a_value(problem):
    twin = type(problem)(**problem.parameters())
    assert problem == twin
    assert hash(problem) == hash(twin)
    assert problem != Arms(2)
    words = [
        str(problem),
        problem.sizes,
        problem.rival,
        problem.rivals,
        problem.title,
        problem.feedback,
    ]
    assert all(words)
    assert problem.rivals.startswith(problem.rival)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Arms(1), "arms is 1, but must be a whole number of at least 2"),
        (lambda: Arms("4"), "arms is '4', but must be a whole number of at least 2"),
        (lambda: BestArm(1), "arms is 1, but must be a whole number of at least 2"),
        (lambda: BestArm(3, error=1.0), "error is 1.0, but must be above 0 and below 1"),
        (lambda: Points("sphere", 3), "unknown geometry 'sphere'"),
        (lambda: Points("ball", 1.5), "dimension is 1.5, but must be a whole number"),
        (lambda: Advice(3, 1), "experts is 1, but must be a whole number of at least 2"),
        (
            lambda: algorithm("exp3").setting(dimension=3),
            "dimension is not a parameter of the game of exp3, which has arms.",
        ),
        (
            lambda: algorithm("ftrl-ball").setting(geometry="cube"),
            "geometry is 'cube', but ftrl-ball is for ball only",
        ),
        (
            lambda: algorithm("exp3").build(algorithm("exp4").setting()),
            r"exp3 plays arms, but the problem is Advice",
        ),
    ],
)
def test_bad_parameters_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()


@pytest.mark.parametrize(
    "known", environments(), ids=lambda each: f"{each.problem.__name__}-{each.name}"
)
def test_every_named_environment_is_for_its_problem(known):
    rows = {"item_id": [0, 1, 2, 3] * 99, "click": [0, 1] * 198, "propensity_score": [0.25] * 396}
    files = {"losses": np.zeros((20, 4)), "advice": np.full((10, 4), 0.25), "log": rows}
    options = {name: files[name] for name in known.options if name in files}
    found = known.build(known.problem_with(), rounds=20, bounds=UNIT, options=options)
    if known.problem is not Contexts or known.name.startswith(
        "contexts-"
    ):  # else what is played follows from the data
        assert found.problem == known.problem_with()


@pytest.mark.slow
@pytest.mark.parametrize(
    "known",
    [each for each in environments() if each.name not in ("logged", "table")],
    ids=lambda each: each.name,
)
def test_environments_are_scaled_to_the_declared_range(known):
    """The same game in other units: losses of any action grow by the same factor."""
    problem = known.problem_with()
    world = known.build(problem, rounds=50, bounds=UNIT, options={})
    game, _ = deal(world, 0, 50, np.random.default_rng(2), UNIT, clip=False)
    other, clipped = deal(world, 0, 50, np.random.default_rng(2), Range(-3.0, 3.0), clip=False)
    shift, factor = problem.scale(Range(-3.0, 3.0))
    action = problem.samples(game)[0]
    plain = [game.loss(t, action) for t in range(50)]
    scaled = [other.loss(t, action) for t in range(50)]
    np.testing.assert_allclose(scaled, shift + factor * np.array(plain), atol=1e-12)
    assert clipped == 0
    assert not np.allclose(scaled, plain)


def test_regret_is_in_the_units_of_the_declared_range():
    unit, wide = (
        simulate("exp3", rounds=3000, trials=2, low=low, high=high)
        for low, high in ((0.0, 1.0), (-5.0, 15.0))
    )
    np.testing.assert_allclose(wide.regret, 20.0 * unit.regret, rtol=1e-9, atol=1e-6)


def test_rounding_at_the_end_of_a_range_is_no_violation():
    low, high = -0.1, 0.2
    assert low + (high - low) > high, "else this tests nothing"
    assert (
        simulate(
            "exp3", environment="deterministic", rounds=100, trials=1, low=low, high=high
        ).clipped
        == 0
    )


def test_means_of_one_s_own_are_in_the_units_of_the_range():
    """20,000 rounds of losses of 0 or 10: five standard errors are 0.18."""
    world = environment("stochastic", arms=3, bounds=Range(0.0, 10.0), means=(5.0, 5.5, 6.5))
    game, _ = deal(world, 0, 20_000, np.random.default_rng(1), Range(0.0, 10.0), clip=False)
    assert game.losses.mean(axis=0) == pytest.approx([5.0, 5.5, 6.5], abs=0.18)
    results = simulate(
        "uniform", options={"means": (5.0, 5.5, 6.5)}, arms=3, high=10.0, rounds=4000, trials=4
    )
    assert results.summary()[0]["regret_mean"] == pytest.approx(4000 * (17.0 / 3.0 - 5.0), rel=0.15)
    with pytest.raises(DiscreetError, match="means has 2 numbers, but there are 3 arms"):
        Stochastic(3, means=(0.1, 0.2)).deal(0, 10, np.random.default_rng(1))
    with pytest.raises(DiscreetError, match=r"means is 2.0, but must be between 0 and 1"):
        Stochastic(2, means=(0.1, 2.0)).deal(0, 10, np.random.default_rng(1))


def test_outcomes_from_0_to_10_cost_ten_times_what_those_from_0_to_1_do():
    """In the units of the outcomes privacy costs the same share: epsilon 0.1 is not free."""
    play = {
        "algorithms": ["batched-tsallis-inf", "tsallis-inf"],
        "arms": 3,
        "rounds": 20_000,
        "epsilon": 0.1,
        "seed": 1,
    }
    unit = simulate(**play, options={"means": (0.5, 0.55, 0.65), "spread": 0.15})
    ten = simulate(**play, high=10.0, options={"means": (5.0, 5.5, 6.5), "spread": 1.5})
    assert ten.regret == pytest.approx(10.0 * unit.regret, rel=1e-6, abs=1e-6)
    private, twin = ten.summary()
    assert private["regret_low"] > 10.0 * twin["regret_high"]
    assert private["times_twin"] > 10.0
    (noise,) = ten.contenders[0].private.channel.noise_scales
    assert noise.scale * 0.1 * ten.contenders[0].private.channel.size == pytest.approx(10.0)


@pytest.mark.parametrize("bounds", [Range(0.0, 1.0), Range(-5.0, 5.0), Range(0.0, 10.0)])
def test_gap_and_spread_are_in_the_units_of_the_losses(bounds):
    """40,000 losses per arm: five standard errors of a mean or a deviation are 0.0025 widths."""
    width = bounds.width
    world = environment("stochastic", arms=3, bounds=bounds, gap=0.2 * width, spread=0.1 * width)
    game, _ = deal(world, 0, 40_000, np.random.default_rng(1), bounds, clip=False)
    middle = bounds.low + 0.5 * width
    assert game.losses.mean(axis=0) == pytest.approx(
        [middle - 0.2 * width, middle, middle], abs=0.003 * width
    )
    assert game.losses.std(axis=0) == pytest.approx([0.1 * width] * 3, abs=0.003 * width)
    assert len(np.unique(game.losses)) > 1000, "not only the ends"
    constant, _ = deal(
        world._replace(spread=0.0), 0, 5, np.random.default_rng(1), bounds, clip=False
    )
    assert np.ptp(constant.losses, axis=0) == pytest.approx([0.0] * 3, abs=1e-12)


@pytest.mark.parametrize("problem", SMALL, ids=text)
def test_who_learns_nothing_has_no_more_regret_than_is_said(problem):
    """The worst of random games, and of one in which the best rival is as good as can be."""
    rng = np.random.default_rng(1)
    for game in (problem.probe(50, rng), problem.probe(50, rng)):
        middle = [
            np.mean([game.loss(t, action) for action in problem.samples(game)]) for t in range(50)
        ]
        assert (
            sum(middle) - problem.best(game.totals([0])[0])
            <= 50 * problem.blind_regret(UNIT) + 1e-9
        )
    assert 0.0 < problem.blind_regret(Range(0.0, 3.0)) <= problem.widest(Range(0.0, 3.0))
    assert problem.blind_regret(Range(0.0, 3.0)) == pytest.approx(3.0 * problem.blind_regret(UNIT))


@pytest.mark.parametrize("problem", SMALL, ids=text)
def test_neighbours_differ_in_the_first_round_only(problem):
    one, other = problem.neighbours(5, Range(-1.0, 1.0))
    assert np.array_equal(one.losses[1:], other.losses[1:])
    assert not np.array_equal(one.losses[0], other.losses[0])
    assert np.array_equal(one.observe(3), other.observe(3))


@pytest.mark.parametrize("problem", SMALL, ids=text)
def test_what_a_probe_shows_does_not_depend_on_its_losses(problem):
    one, other = (problem.probe(5, np.random.default_rng(seed)) for seed in (1, 2))
    alike = [np.array_equal(one.observe(t), other.observe(t)) for t in range(5)]
    assert not any(alike) if problem.shows_private else all(alike)
    assert not np.array_equal(one.losses, other.losses)


def test_a_loss_outside_its_range_is_named_or_clipped():
    game = ArmGame(np.array([[0.0, 1.0], [0.5, 1.5]]))
    with pytest.raises(
        DiscreetError, match=r"round 12, arm 2: the loss is 1.5, but the declared range is 0 to 1"
    ):
        Arms(2).check(game, UNIT, clip=False, before=10)
    clipped, number = Arms(2).check(game, UNIT, clip=True)
    assert number == 1
    assert clipped.losses.max() == 1.0


def test_algorithms_and_environments_of_one_kind():
    kinds = (Arms, BestArm, Points, Advice, Functions, Contexts, SemiBandit)
    assert {name for kind in kinds for name in list_algorithms(kind)} == set(list_algorithms())
    assert "exp4" in list_algorithms(Advice)
    with pytest.raises(
        DiscreetError, match="unknown option 'gab' of environment 'stochastic': did you mean 'gap'"
    ):
        environment("stochastic", gab=0.1)


def run(*words, plugin="examples/prediction.py"):
    return subprocess.run(
        [sys.executable, "-m", "discreet", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"DISCREET_PLUGINS": plugin},
        check=False,
    )


@pytest.mark.slow
def test_a_problem_from_outside_is_there_for_the_command_line():
    done = run(
        "simulate",
        "private-prediction",
        "--features",
        "6",
        "--rounds",
        "500",
        "--trials",
        "2",
        "--set",
        "flip=0.2",
        "--quiet",
    )
    assert done.returncode == 0, done.stderr
    assert "against the best feature of 6, noisy-labels losses, 2 trials" in done.stdout
    assert "--features" in run("describe", "--help").stdout
    assert "prediction of a label" in run("list", "--json").stdout


@pytest.mark.slow
def test_a_plugin_that_is_not_there_is_named():
    for plugin, complaint in (
        ("nowhere.py", "no such file"),
        ("no_such_module", "there is no module no_such_module"),
    ):
        done = run("list", plugin=plugin)
        assert done.returncode == 2
        assert complaint in done.stderr
        assert "Traceback" not in done.stderr
