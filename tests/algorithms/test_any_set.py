"""Agarwal & Singh on any convex set: golden numbers, both kinds of FTRL, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError, algorithm, simulate
from discreet.algorithms import Setting
from discreet.environments import environment
from discreet.learners import LinearFtpl, OracleFtrl, QuadraticFtrl
from discreet.problems import Points
from discreet.ranges import Range, make_range
from discreet.sets import Box, Paths, SetText, set_named

ROUNDS = 2**16
ROADS = Paths.of(
    [("home", "bridge"), ("home", "ferry"), ("bridge", "work"), ("ferry", "work")], "home", "work"
)
# set; r, G, deviation of the noise; FTRL private and not; FTPL private and not
GOLDEN = [
    ("k-sets(10,3)", 1.449, 1.581, 61.46, 644.6, 586.6, 1131.8, 1100.4),
    ("spanning-trees(5)", 1.549, 1.581, 61.46, 689.1, 627.1, 1208.9, 1175.4),
    ("permutations(5)", 3.162, 1.095, 43.46, 928.4, 886.8, 1534.1, 1496.3),
]


def setting_on(domain, rounds=ROUNDS, **more):
    return Setting(Points(domain=domain), rounds=rounds, epsilon=1.0, delta=1e-6, **more)


@pytest.mark.parametrize(
    ("domain", "radius", "norm", "noise", "ftrl", "open_ftrl", "ftpl", "open_ftpl"), GOLDEN
)
def test_golden_bounds_and_noise(domain, radius, norm, noise, ftrl, open_ftrl, ftpl, open_ftpl):
    """The oracle adds at most 2 α r G sqrt(T) + 3e-6 T r G where there is no projection."""
    setting = setting_on(domain)
    sets = setting.problem.sets(setting.bounds)
    assert (round(sets.radius, 3), round(sets.norm, 3)) == (radius, norm)
    private = algorithm("private-ftrl-set").build(setting, sums="blt", head_start=0.0)
    channel = private.private.channel
    deviation = channel.noise.deviation(sets.dimension) * channel.noise_spread().most
    assert round(deviation, 2) == noise
    extra = 0.0
    if domain.startswith("spanning"):
        extra = OracleFtrl.extra_bound(radius=sets.radius, rounds=ROUNDS, norm=sets.norm)
        assert extra < 0.015 * open_ftrl
    assert round(private.regret_bound - extra, 1) == ftrl
    plain = algorithm("ftrl-set").build(setting, head_start=0.0)
    assert round(plain.regret_bound - extra, 1) == open_ftrl
    by_sums = algorithm("private-ftpl").build(setting, sums="blt")
    assert round(by_sums.regret_bound, 1) == ftpl
    assert round(algorithm("ftpl-olo").build(setting).regret_bound, 1) == open_ftpl


@pytest.mark.full
@pytest.mark.parametrize(("domain", "ftrl", "ftpl"), [
    ("k-sets(10,3)", 366, 570), ("spanning-trees(5)", 388, 571), ("permutations(5)", 653, 672)
])  # fmt: skip
def test_golden_regrets(domain, ftrl, ftpl):
    """The seed is fixed. Means of 6 trials differ by less than four of their standard errors."""
    found = simulate(
        ["private-ftrl-set", "private-ftpl"], domain=domain, rounds=ROUNDS, trials=6, delta=1e-6,
        options={"sums": "blt", "head_start": 0.0}, seed=1,
    )  # fmt: skip
    for row, golden in zip(found.regret[:, :, -1], (ftrl, ftpl), strict=True):
        assert abs(row.mean() - golden) < 4.0 * math.sqrt(2.0) * row.std(ddof=1) / math.sqrt(6)


@pytest.mark.parametrize("domain", ["k-sets(6,2)", "permutations(4)", "cube(3)", "simplex(4)"])
def test_the_oracle_finds_the_leader_of_the_projection(domain):
    around = set_named(domain)
    exact = QuadraticFtrl.start(set=around, learning_rate=0.3, centre=around.centre())
    found = OracleFtrl.start(set=around, learning_rate=0.3)
    rng = np.random.default_rng(3)
    total = np.zeros(around.dimension)
    for t in range(1, 60):
        points = [each.act(None, rng)[0] for each in (exact, found)]
        near = float(around.outer) * 0.005 / math.sqrt(t)
        assert np.linalg.norm(points[0] - points[1]) <= near * (1.0 + 1e-6)
        total += rng.random(around.dimension)
        for each in (exact, found):
            each.learn(0.0, total)
    assert found.oracle_calls < 6 * 60


@pytest.mark.parametrize("released", [math.nan, math.inf, 1e300, -1e300])
def test_the_oracle_leader_stays_in_the_set_whatever_is_released(released):
    around = set_named("spanning-trees(4)")
    learner = OracleFtrl.start(set=around, learning_rate=0.3)
    learner.learn(0.0, np.full(6, released) * np.array([1.0, -1.0, 1.0, 0.5, 1.0, -0.5]))
    point, _ = learner.act(None, np.random.default_rng(0))
    assert around.contains(point, 1e-6)


def test_where_the_loss_vectors_lie():
    """Half the diameter within the hull, and what the middle of the losses adds."""
    ten, five = Points(domain="k-sets(10,3)"), Points(domain="k-sets(5,2)")
    assert ten.sets(Range(3.0, 5.0)).norm == pytest.approx(math.sqrt(10.0))
    assert five.sets(make_range()).norm == pytest.approx(math.sqrt(24.0 / 20.0))
    ball = Points(domain="ball(4)")
    assert ball.sets(Range(0.0, 1.0)).norm == pytest.approx(2.0)  # not 1: all may lose 1
    assert ball.sets(Range(-1.0, 1.0)).norm == pytest.approx(2.0)
    for kind in ("ball", "cross"):
        assert Points(domain="k-sets(10,3)", loss_set=kind).sets(make_range()).norm <= 1.0
    rng = np.random.default_rng(5)
    for name in ("paths(2,3)", "partition(4,1,3,2)", "assignments(3)", "cube(3)"):
        problem = Points(domain=name)
        sets = problem.sets(make_range())
        for _ in range(200):
            loss = (rng.random(sets.dimension) < 0.5).astype(float)
            sets.points.tangent(loss)
            assert np.linalg.norm(loss) <= sets.norm + 1e-9


@pytest.mark.parametrize("domain", ["k-sets(4,2)", "paths(2,2)", "nuclear(2,2)", ROADS])
@pytest.mark.parametrize("name", ["private-ftrl-set", "private-ftpl"])
def test_every_set_is_played(domain, name):
    """At a large epsilon regret is below the bound of staying at the centre."""
    found = simulate(name, domain=domain, rounds=120, trials=2, epsilon=100.0, delta=1e-6, seed=2)
    assert np.isfinite(found.regret).all()
    assert found.regret[0, :, -1].mean() < found.blind_regret


def test_a_set_as_a_value():
    one, other = SetText.of(ROADS), SetText.of(Box([1.0, 1.0], [20.0, 30.0]))
    assert one == ROADS
    assert one != other
    assert one != SetText.of(Box.cube(4, 0.0, 1.0))
    assert Points(domain=ROADS) == Points("set", domain=one)
    assert Points(domain=ROADS).dimension == 4
    assert str(one).startswith("Paths-4d-")
    assert hash(one) == hash(str(one))


def test_arms_deal_the_losses_of_items():
    world = environment("drifting", Points(domain="k-sets(6,2)"), rounds=50)
    assert world.problem == Points(domain="k-sets(6,2)")
    assert world.deal(0, 50, np.random.default_rng(0)).losses.shape == (50, 6)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Points("set"), "geometry is set, so give a domain too"),
        (lambda: Points("ball", 3, loss_set="cross"), "loss_set is cross, but is only for a"),
        (lambda: Points(domain="k-sets(10,3)", loss_set="l2"), "unknown loss_set 'l2'"),
        (lambda: Points(domain=3), "domain is 3, but must be the name of a set"),
        (
            lambda: simulate("ftrl-set", domain="k-sets(4,2)", losses=np.zeros((9, 3))),
            "has 3 losses per round, but points of k-sets\\(4,2\\) have 4 coordinates",
        ),
        (
            lambda: simulate("private-scrible", domain=ROADS, rounds=100),
            "but this needs a barrier. private-projection-free plays every set",
        ),
        (lambda: QuadraticFtrl.start(set=ROADS, learning_rate=0.1), "this needs a projection"),
        (lambda: LinearFtpl.start(set=7), "set is 7, but must be a convex set"),
    ],
)  # fmt: skip
def test_what_is_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()
