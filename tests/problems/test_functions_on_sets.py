"""Functions on convex sets: declarations are checked, and the best fixed point is the best."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import DiscreetError, Range
from discreet.checks import check_environment
from discreet.environments import environment, environments
from discreet.problems import Functions, LinearFunctions, Pairs, domain_named
from discreet.simulation.dealing import deal

UNIT = Range(0.0, 1.0)
# which are played on any full set
NAMES = [each.name for each in environments(Functions) if not each.usual]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Functions("ball"), "the set 'ball' needs whole numbers: write ball"),
        (lambda: Functions("bal(3)"), "unknown set 'bal': did you mean 'ball"),
        (lambda: Functions("ball(0)"), r"a number of the set 'ball\(0\)' is 0, but must be"),
        (lambda: Functions(7), "domain is 7, but must be the name of a set"),
        (lambda: Functions(evaluations=3), "evaluations is 3, but must be 1 or 2"),
        (lambda: Functions(lipschitz=0.0), "lipschitz is 0.0, but must be a finite number above 0"),
        (lambda: Functions(curvature=-1.0), "curvature is -1.0, but must be between"),
        (
            lambda: Functions(curvature=2.0, smoothness=1.0),
            "curvature is 2 and smoothness is 1, but curvature must not",
        ),
    ],
)
def test_bad_parameters_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()


@pytest.mark.parametrize("evaluations", [1, 2])
@pytest.mark.parametrize("domain", ["ball(3)", "cube(2)", "ball(1)"])
@pytest.mark.parametrize("name", NAMES)
def test_every_environment_keeps_its_contract(name, domain, evaluations):
    check_environment(environment(name, Functions(domain, evaluations)))


@pytest.mark.parametrize("name", NAMES)
def test_no_random_point_beats_the_best_one(name):
    world = environment(name, Functions("ball(4)"))
    game = world.deal(0, 400, np.random.default_rng(3))
    best, rng = world.best(game.totals([0, 100]).sum(axis=0)), np.random.default_rng(4)
    found = np.inf
    for _ in range(300):
        point = world.problem.place.nearest(rng.normal(0.0, 0.7, 4))
        found = min(found, sum(game.loss(t, point) for t in range(400)))
    assert best <= found + 1e-6
    assert found - best < 0.25 * 400, "or the comparator would be too good to be true"


@pytest.mark.parametrize("domain", ["ball(3)", "cube(3)"])
@pytest.mark.parametrize("name", NAMES)
def test_values_slopes_and_bends_are_what_environments_say(name, domain):
    """Values at random points never exceed what a game says of itself, and come close to it."""
    world = environment(name, Functions(domain))
    game, place, rng = (
        world.deal(0, 60, np.random.default_rng(1)),
        world.problem.place,
        np.random.default_rng(2),
    )
    points = [place.nearest(rng.normal(0.0, 2.0, 3)) for _ in range(60)]
    steepest = 0.0
    for t in range(60):
        values = np.array([game.loss(t, point) for point in points])
        weight = game.losses[t, 1]
        base = game.losses[t, 0]
        assert base + weight * game.lowest(t, place.set, place.outer) <= values.min() + 1e-9
        assert base + weight * game.highest(t, place.set, place.outer) >= values.max() - 1e-9
        slope = weight * game.steepness(t, place.set, place.outer)
        rises = np.abs(np.diff(values)) / np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert rises.max() <= slope + 1e-9
        steepest = max(steepest, rises.max() / slope)
        middle = game.loss(t, 0.5 * points[0] + 0.5 * points[1])
        gap = 0.5 * values[0] + 0.5 * values[1] - middle
        square = ((points[0] - points[1]) ** 2).sum() / 8.0
        assert (
            weight * game.least_bend(t) * square - 1e-9
            <= gap
            <= weight * game.most_bend(t) * square + 1e-9
        )
    assert steepest > 0.4


def linear(*rows):
    return LinearFunctions(np.array(rows, dtype=np.float64))


@pytest.mark.parametrize(
    ("problem", "row", "complaint"),
    [
        (
            Functions("ball(2)"),
            [0.5, 1.0, 0.6, 0.0],
            r"round 12: the function has values from -0.1 to 1.1, but the declar",
        ),
        (
            Functions("ball(2)"),
            [np.nan, 1.0, 0.1, 0.0],
            "round 12: the function has values from nan",
        ),
        (
            Functions("ball(2)", lipschitz=0.2),
            [0.5, 1.0, 0.3, 0.0],
            "has a slope of up to 0.3, but at most 0.2 is decl",
        ),
    ],
)
def test_a_function_outside_of_what_is_declared_is_refused(problem, row, complaint):
    game = linear([0.5, 1.0, 0.1, 0.1], row)
    with pytest.raises(DiscreetError, match=complaint):
        problem.check(game, UNIT, clip=False, before=10)


def test_curvature_is_checked():
    with pytest.raises(
        DiscreetError,
        match=r"round 1: the function has a curvature of 0, but at least 0.1 is declared",
    ):
        Functions("ball(2)", curvature=0.1).check(linear([0.5, 1.0, 0.3, 0.0]), UNIT, clip=True)


def test_smoothness_is_checked():
    problem = Functions("ball(3)", smoothness=0.4)
    with pytest.raises(
        DiscreetError, match=r"has second derivatives up to 0.5, but 0.4 is declared"
    ):
        deal(environment("quadratics", problem), 0, 5, np.random.default_rng(1), UNIT, clip=False)
    with pytest.raises(
        DiscreetError, match=r"has second derivatives up to inf, but 0.4 is declared"
    ):
        deal(environment("absolute", problem), 0, 5, np.random.default_rng(1), UNIT, clip=False)


@pytest.mark.parametrize("paired", [False, True])
def test_a_function_that_is_clipped_is_flattened_until_it_fits(paired):
    problem = Functions("ball(2)", evaluations=1 + paired, lipschitz=1.0)
    functions = linear([0.5, 1.0, 0.1, 0.0], [0.9, 1.0, 0.4, 0.0], [0.5, 1.0, 0.0, 2.0])
    game = Pairs(functions, np.zeros(2)) if paired else functions
    clipped, number = problem.check(game, UNIT, clip=True)
    assert number == 2
    assert problem.check(clipped, UNIT, clip=False)[1] == 0
    assert clipped.losses[0].tolist() == functions.losses[0].tolist()
    assert clipped.losses[1, 0] + clipped.losses[1, 1] * 0.4 == pytest.approx(1.0)


def test_two_values_are_seen_and_their_mean_is_lost():
    game = Functions("ball(2)", evaluations=2).shown(linear([0.5, 1.0, 0.3, 0.0]))
    action = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert game.feedback(0, action).tolist() == [0.8, 0.5]
    assert game.loss(0, action) == pytest.approx(0.65)
    assert game.action_shape == (2, 2)


def test_sets_know_their_radii():
    assert domain_named("cube(9)").outer == 3.0
    assert domain_named(" ball( 4 ) ").set.dimension == 4
    assert Functions("ball( 4)") == Functions("ball(4)")


@pytest.mark.parametrize(
    "domain",
    ["simplex(4)", "cross(3)", "k-sets(5,2)", "paths(2,2)", "permutations(4)", "assignments(2)"],
)
def test_linear_functions_are_dealt_on_every_set(domain):
    world = environment("linear", Functions(domain))
    check_environment(world)
    game, place = world.deal(0, 50, np.random.default_rng(1)), world.problem.place
    assert world.problem.check(game, UNIT, clip=False)[1] == 0
    best, centre = (
        world.best(game.totals([0])[0]),
        sum(game.loss(t, place.set.centre()) for t in range(50)),
    )
    assert best < centre - 0.05 * 50, "the set can tell points apart"


@pytest.mark.parametrize(
    ("name", "domain", "complaint"),
    [
        (
            "quadratics",
            "simplex(4)",
            "hull of 3 dimensions in a space of 4, but quadratics needs a set",
        ),
        (
            "absolute",
            "k-sets(5,2)",
            "hull of 4 dimensions in a space of 5, but absolute needs a set",
        ),
        (
            "logistic",
            "paths(2,2)",
            "type Paths, which has a linear oracle, a gauge and vertices, but this needs a proj",
        ),
    ],
)
def test_environments_say_which_sets_they_need(name, domain, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        environment(name, Functions(domain))


def test_sets_have_arrays_to_work_in_of_their_own():
    one, other = Functions("paths(2,2)").place.set, Functions("paths(2,2)").place.set
    assert one.costs is not other.costs
