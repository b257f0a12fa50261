"""Environments on their own sets: values, slopes and best points, by vertices and solvers."""

from __future__ import annotations

import math
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet import DiscreetError, Range, Setting, algorithm, list_algorithms, simulate
from discreet.checks import check_environment, check_private
from discreet.environments import environment, environments
from discreet.problems import Functions
from discreet.problems.function_games import measure
from discreet.randomness import streams
from discreet.sets import Vertices
from discreet.simulation.matching import shared_problem
from discreet.simulation.trial import run_trial
from discreet_papers.datasets.diabetes import load_patients

UNIT = Range(0.0, 1.0)
DOMAINS = {
    "pricing": ("cube(1)", "ball(1)"),
    "routing": ("paths(3,3)", "paths(1,2)"),
    "slates": ("k-sets(10,3)", "k-sets(2,1)"),
    "ranking": ("permutations(5)", "permutations(2)", "assignments(3)"),
    "completion": ("nuclear(3,3)", "nuclear(2,4)", "nuclear(1,1)"),
    "diabetes": ("ball(4)", "ball(1)", "ball(10)", "cube(3)"),
}
PLACES = [(name, domain) for name, domains in DOMAINS.items() for domain in domains]
LINEAR = [(name, domain) for name, domain in PLACES if name in ("routing", "slates", "ranking")]
SMOOTH = [place for place in PLACES if place not in LINEAR]


def world_of(name, domain, evaluations=1, rounds=400, **options):
    known = next(each for each in environments(Functions) if each.name == name)
    return environment(
        name, known.problem_with(domain=domain, evaluations=evaluations), rounds=rounds, **options
    )


def some_points(place, number, rng):
    """Return points of a set: mixtures of what its oracle answers, and one of these answers."""
    corners = [place.best_against(rng.normal(size=place.dimension)) for _ in range(12)]
    return [rng.dirichlet(np.full(12, 0.3)) @ corners for _ in range(number)] + corners[:1]


def test_every_environment_with_a_set_of_its_own_is_tested_here():
    assert set(DOMAINS) == {each.name for each in environments(Functions) if each.usual}


@pytest.mark.parametrize("evaluations", [1, 2])
@pytest.mark.parametrize(("name", "domain"), PLACES)
def test_every_environment_keeps_its_contract(name, domain, evaluations):
    world = world_of(name, domain, evaluations)
    check_environment(world)
    short, long = (
        world.deal(0, rounds, np.random.default_rng(1)).totals([0]) for rounds in (10, 400)
    )
    assert short.shape == long.shape, "what is kept of a game does not grow with it"


@pytest.mark.parametrize(("name", "domain"), PLACES)
def test_values_and_slopes_are_what_games_say_and_what_is_declared(name, domain):
    """At random points values are in [0, 1], slopes as declared, and most of the range is used."""
    world = world_of(name, domain)
    game, place, rng = (
        world.deal(0, 300, np.random.default_rng(1)),
        world.problem.place,
        np.random.default_rng(2),
    )
    points = np.array(some_points(place, 15, rng))
    values = np.array([[game.loss(t, point) for point in points] for t in range(300)])
    extent = np.empty((300, 5))
    # what is checked before a game is played
    measure(game, place.set, place.outer, place.set.centre(), math.inf, -math.inf, extent)
    assert extent[:, 0].min() >= -1e-9
    assert extent[:, 1].max() <= 1.0 + 1e-9
    assert extent[:, 2].max() <= world.problem.lipschitz * (1.0 + 1e-9)
    assert values.min() >= -1e-12
    assert values.max() <= 1.0 + 1e-12
    assert np.ptp(values) > 0.3
    for t in range(0, 300, 10):
        weight, base = game.losses[t, 1], game.losses[t, 0]
        assert base + weight * game.lowest(t, place.set, place.outer) <= values[t].min() + 1e-12
        assert base + weight * game.highest(t, place.set, place.outer) >= values[t].max() - 1e-12
        slope = weight * game.steepness(t, place.set, place.outer)
        rises = np.abs(np.diff(values[t])) / np.maximum(
            np.linalg.norm(np.diff(points, axis=0), axis=1), 1e-9
        )
        assert rises.max() <= slope + 1e-9
        square = ((points[0] - points[1]) ** 2).sum() / 8.0
        gap = (
            0.5 * values[t, 0]
            + 0.5 * values[t, 1]
            - game.loss(t, 0.5 * points[0] + 0.5 * points[1])
        )
        assert (
            weight * game.least_bend(t) * square - 1e-12
            <= gap
            <= weight * game.most_bend(t) * square + 1e-12
        )


@pytest.mark.parametrize(("name", "domain"), LINEAR)
def test_no_vertex_is_better_than_the_best_of_linear_functions(name, domain):
    world = world_of(name, domain)
    game = world.deal(0, 400, np.random.default_rng(3))
    best = world.best(game.totals([0, 150]).sum(axis=0))
    assert isinstance(world.problem.place.set, Vertices)
    vertices = world.problem.place.set.plan().vertices  # all of them: these sets are small
    losses = [sum(game.loss(t, vertex) for t in range(400)) for vertex in vertices]
    assert best == pytest.approx(min(losses), abs=1e-9)
    assert len(losses) == {
        "paths(3,3)": 27,
        "k-sets(10,3)": 120,
        "permutations(5)": 120,
        "assignments(3)": 6,
    }.get(domain, 2)


@pytest.mark.parametrize(("name", "domain"), SMOOTH)
def test_a_solver_finds_no_better_point_of_smooth_functions(name, domain):
    """Against a solver that does not use the totals, with the set as a penalty or a box."""
    world = world_of(name, domain, rounds=120)
    game, place = world.deal(0, 120, np.random.default_rng(3)), world.problem.place
    total = game.totals([0, 50]).sum(axis=0)
    point = game.minimiser(total, place)
    assert place.set.contains(point, 1e-9)
    assert world.best(total) == pytest.approx(
        sum(game.loss(t, point) for t in range(120)), rel=1e-9
    )

    def loss(trial):  # of the nearest point, so that nothing outside counts
        inside = place.nearest(trial)
        return sum(game.loss(t, inside) for t in range(120)) + ((trial - inside) ** 2).sum()

    starts = [place.set.centre(), point + 0.05]
    found = min(
        minimize(loss, start, method="Powell", options={"maxiter": 4}).fun for start in starts
    )
    assert world.best(total) <= found + 1e-6
    assert found <= world.best(total) + 0.02 * 120, "or the comparator would be too good to be true"


def test_the_best_model_of_patients_is_that_of_least_squares():
    """With enough rounds, the best fixed point is close to the regression on all patients."""
    world, data = world_of("diabetes", "ball(4)"), load_patients()
    game = world.deal(0, 60_000, np.random.default_rng(1))
    point = game.minimiser(game.totals([0])[0], world.problem.place)
    wanted = np.linalg.lstsq(game.vectors, data.progression, rcond=None)[0]
    np.testing.assert_allclose(point, wanted, atol=0.03)
    errors = ((game.vectors @ point - data.progression) ** 2).mean()
    assert errors == pytest.approx(0.5, abs=0.02), "half of the variance is explained"
    assert data.features.shape == (442, 10)
    np.testing.assert_allclose(data.features.T @ data.features / 442, np.eye(10), atol=1e-9)


def test_without_scikit_learn_one_sentence_says_how_to_get_it(monkeypatch):
    load_patients.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(
        DiscreetError,
        match=r"^environment 'diabetes' needs scikit-learn: pip install 'discreet\[data\]'.$",
    ):
        environment("diabetes")


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        (
            "pricing",
            {"domain": "ball(2)"},
            "domain is ball(2), but pricing is for sets of one dimension, such as cube(1).",
        ),
        ("pricing", {"drift": 0.5}, "drift is 0.5, but must be between 0 and 0.3."),
        (
            "routing",
            {"domain": "ball(2)"},
            "domain is ball(2), but routing is for paths(layers,width) only.",
        ),
        ("routing", {"gap": 2.0}, "gap is 2.0, but must be between 0 and 1."),
        (
            "slates",
            {"domain": "simplex(3)"},
            "domain is simplex(3), but slates is for k-sets(n,k) only.",
        ),
        ("slates", {"gap": -1}, "gap is -1, but must be between 0 and 1."),
        (
            "ranking",
            {"domain": "cube(2)"},
            "domain is cube(2), but ranking is for permutations(n) and assignments(n) only.",
        ),
        ("ranking", {"skew": "x"}, "skew is 'x', but must be a number between 0 and 100."),
        (
            "completion",
            {"domain": "ball(9)"},
            "domain is ball(9), but completion is for nuclear(rows,columns) only.",
        ),
        (
            "completion",
            {"domain": "nuclear(30,30)"},
            "domain is nuclear(30,30), but completion is for at most 400 entries.",
        ),
        ("completion", {"scatter": -1.0}, "scatter is -1.0, but must be between 0 and 10."),
        (
            "diabetes",
            {"domain": "ball(11)"},
            "domain is ball(11), but the patients have 10 features: use a set with",
        ),
        (
            "diabetes",
            {"domain": "simplex(3)"},
            "hull of 2 dimensions in a space of 3, but diabetes needs a set",
        ),
    ],
)
def test_sets_and_options_that_do_not_fit_are_refused(name, options, complaint):
    with pytest.raises(DiscreetError) as refusal:
        environment(name, **options)
    assert complaint in str(refusal.value)


def test_an_environment_is_played_on_its_usual_set_unless_another_is_given():
    assert environment("slates").problem == Functions("k-sets(10,3)")
    assert environment("completion").problem == Functions("nuclear(3,3)", lipschitz=1.5)
    named = [algorithm("linear-oracle")]
    assert shared_problem(named, {}, "slates") == Functions("k-sets(10,3)", form="linear")
    assert shared_problem(named, {"domain": "k-sets(4,2)"}, "slates").domain == "k-sets(4,2)"
    assert shared_problem(named, {}, "linear") == shared_problem(named, {}) == named[0].problem
    with pytest.raises(
        DiscreetError, match=r"^domain is k-sets\(10,3\), but pricing is for sets of one dimension"
    ):
        simulate("fkm", environment="pricing", domain="k-sets(10,3)", rounds=4, trials=1)
    with pytest.raises(DiscreetError, match=r"domain is ball\(10\), but slates is for k-sets"):
        simulate("fkm", environment="slates", problem=Functions(), rounds=4, trials=1)


@pytest.mark.parametrize(
    "domain", ["paths(3,3)", "k-sets(10,3)", "permutations(5)", "assignments(3)", "nuclear(3,3)"]
)
def test_what_checks_and_audits_play_is_a_game_on_the_set(domain):
    """Probes and neighbours pass the check, and neighbours differ by the range in one round."""
    small, rounds = Functions(domain).for_audit()
    assert small.place.dimension <= 6
    for game in (small.probe(30, np.random.default_rng(1)), *small.neighbours(rounds, UNIT)):
        extent = np.empty((len(game.losses), 5))
        measure(
            game,
            small.place.set,
            small.place.outer,
            small.place.set.centre(),
            math.inf,
            -math.inf,
            extent,
        )
        assert -1e-9 <= extent[:, 0].min() <= extent[:, 1].max() <= 1.0 + 1e-9
        assert extent[:, 2].max() <= small.lipschitz
    one, other = small.neighbours(rounds, UNIT)
    centre = small.place.set.centre()
    moved = [other.loss(t, centre) - one.loss(t, centre) for t in range(rounds)]
    assert moved == [1.0] + [0.0] * (rounds - 1)


@pytest.mark.long
def test_a_private_learner_of_matrices_is_checked_whole():
    instance, world = built("completion", "private-two-point", 120)
    check_private(instance.private, world, quick=True)


# an algorithm without privacy, its private form, epsilon, and after how many rounds both beat the
# centre
PLAYED = {
    "pricing": ("fkm", "local-convex", 2.0, 1 << 17),
    "routing": ("linear-oracle", "private-linear-oracle", 1.0, 1 << 14),
    "slates": ("linear-oracle", "private-linear-oracle", 1.0, 1 << 14),
    "ranking": ("linear-oracle", "private-linear-oracle", 1.0, 1 << 14),
    "completion": ("two-point", "private-two-point", 1.0, 1 << 14),
    "diabetes": ("two-point", "private-two-point", 1.0, 1 << 17),
}


def built(name, algorithm_name, rounds, epsilon=1.0):
    known, usual = (
        algorithm(algorithm_name),
        next(each for each in environments(Functions) if each.name == name).usual,
    )
    setting = Setting(known.problem_with(**usual), rounds=rounds, epsilon=epsilon, delta=1e-6)
    return known.build(setting, when_vacuous="play"), environment(
        name, setting.problem, rounds=rounds
    )


def played(instances, world, rounds, **arguments):
    marks, privates = np.array([rounds // 4, rounds]), [instance.private for instance in instances]
    return run_trial(
        privates, world, marks, seed=3, bounds=UNIT, clip=False, stop=threading.Event(), **arguments
    )


@pytest.mark.parametrize("name", list_algorithms(Functions))
def test_every_algorithm_plays_in_one_dimension_too(name):
    """Prices where functions may be curved, linear ones elsewhere; points are in the set."""
    known = algorithm(name)
    problem = replace(known.problem, domain="cube(1)", curvature=min(known.problem.curvature, 0.3))
    problem = replace(problem, smoothness=1.0 if problem.smoothness else 0.0)
    options = {"when_vacuous": "play"} if "when_vacuous" in known.options else {}
    instance = known.build(Setting(problem, rounds=60, epsilon=2.0, delta=1e-6), **options)
    world = environment("linear" if problem.form == "linear" else "pricing", problem, rounds=60)
    outcome = played([instance], world, 60, trial=0, compiled=False)
    assert np.isfinite(outcome.regret).all()
    private, rng, game = (
        instance.private,
        np.random.default_rng(1),
        world.deal(0, 60, np.random.default_rng(2)),
    )
    for t in range(60):
        action, trace = private.act(0, rng)
        assert np.abs(action).max() <= 1.0 + 1e-9
        private.tell(trace, game.feedback(t, action), rng)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("pricing", "slates") else pytest.mark.full)
        for name in PLAYED
    ],
)
def test_both_speeds_agree(name):
    """Numbers and vertices are played; matrices are checked above, the rest by make full."""
    instance, world = built(name, PLAYED[name][1], 200)
    compiled, plain = (
        played([instance], world, 200, trial=0, compiled=speed) for speed in (True, False)
    )
    np.testing.assert_allclose(compiled.regret, plain.regret, rtol=1e-9, atol=1e-9)
    assert compiled.clipped == 0


@pytest.mark.full
@pytest.mark.parametrize("name", PLAYED)
def test_learning_beats_the_centre_with_privacy_and_without(name):
    """Regret over that of the centre, four games; seeds are fixed.

    Measured, without privacy and with it: pricing 0.10, 0.18; routing 0.46, 0.48; slates 0.38,
    0.56; ranking 0.29, 0.34; completion 0.45, 0.85; diabetes 0.11, 0.52.
    """
    plain, private, epsilon, rounds = PLAYED[name]
    instances = [built(name, each, rounds, epsilon)[0] for each in (plain, private)]
    world = built(name, plain, rounds)[1]
    regret, staying = np.zeros(2), 0.0
    for trial in range(4):
        outcome = played(instances, world, rounds, trial=trial)
        game = world.deal(0, rounds, streams(3, trial=trial).environment)
        centre = world.problem.played_at(world.problem.place.set.centre())
        staying += sum(game.loss(t, centre) for t in range(rounds)) - world.best(
            game.totals([0])[0]
        )
        regret += outcome.regret[:, -1]
    shares = regret / staying
    assert shares[0] < 0.7
    assert shares[1] < 0.9
    assert (outcome.regret[:, -1] < [instance.regret_bound for instance in instances]).all()
