"""Private algorithms are compared with the same algorithm: without noise both are equal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discreet import Setting, algorithm, list_algorithms
from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.ordinary import MOST_CLIPPED, htinf_moment
from discreet.learners import Accepting
from discreet.problems import Advice, Arms, Functions, Points
from discreet.simulation import Contender, simulate

MUCH = 1e9  # epsilon: noise of a thousand-millionth of the range
# those whose counterpart is another algorithm, and why; test_other_counterparts says by how much
OTHERS = {
    "batched-ucb": "plays batches, and has a smaller radius than UCB1",
    "dp-klucb": "plays batches, and an index of its own",
    "dp-imed": "plays batches, and an index of its own",
    "adap-klucb": "doubles its batches, and forgets",
    "dp-successive-elimination": "eliminates arms, where UCB1 has indices",
    "guarded-ucb": "is tracking-ucb with probes",
    "tracking-ucb": "has indices and change tests, and is compared with what it competes with",
    "adaptive-tsallis-inf": "has a running baseline and batches that find their length",
    "local-linucb": "has constants chosen for noise, and looks at features one by one",
    "joint-linucb": "has constants chosen for noise",
    "local-glm": "has constants chosen for noise, and looks at features one by one",
    "local-greedy": "is greedy, where LinUCB is optimistic",
    "private-two-point": "is a leader on sums, where two-point takes steps",
    "private-fkm": "is a leader on sums, where fkm takes steps",
    "local-two-point": "takes lazy steps",
    "batched-successive-elimination": "pulls arms in batches",
    "batched-lil-ucb": "pulls arms in batches",
    "batched-lucb": "pulls arms in batches",
    "batched-track-and-stop": "pulls arms in batches",
}
NAMES = [name for name, known in list_algorithms().items() if known.twin and name not in OTHERS]
# their parameters are the best on a grid
COARSE = {"local-exp4": 0.05, "batched-exp4": 0.05, "improved-batched-exp4": 0.05}


def test_exceptions_are_algorithms():
    assert set(OTHERS) <= set(list_algorithms())
    assert len(NAMES) > 25


def unwrapped(learner):
    """Return what dp-lambda-lap puts behind an interval: without noise that is [0, 1]."""
    if not isinstance(learner, Accepting):
        return learner
    assert learner.margin < 1e-6
    return learner.learner


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_non_private_version(name, delta):
    """Rates, radii and bounds agree as epsilon grows; noise parameters have no counterpart."""
    known = algorithm(name)
    setting = known.setting(rounds=2**11, epsilon=MUCH, delta=delta)
    mine, other = known.build(setting), algorithm(known.twin).build(setting)
    close = COARSE.get(name, 1e-3)
    shared = mine.parameters.keys() & other.parameters.keys()
    for key in shared:
        if isinstance(mine.parameters[key], str):
            assert mine.parameters[key] == other.parameters[key], key
        else:
            assert mine.parameters[key] == pytest.approx(
                other.parameters[key], rel=close, abs=1e-4
            ), key
    if name not in COARSE:  # on batches EXP4 has a class of its own
        assert type(unwrapped(mine.private.learner)) is type(other.private.learner)
    if mine.regret_bound is not None and other.regret_bound is not None:
        # dp-exp3-lap and private-ftpl have proofs of their own, which differ by a little
        assert mine.regret_bound == pytest.approx(other.regret_bound, rel=0.02, abs=5.0)


# Randomised responses are rounded losses: on functions, games are noisier with them. And sets of
# one dimension or with few vertices are not played here.
NOISIER = ("local-convex", "private-scrible", "local-stochastic-convex", "private-linear-oracle")
BALL = Functions("ball(3)", lipschitz=0.5)
GAMES = [
    (Arms(4), 0.0, 0.15),
    (Advice(4, 8), 0.0, 0.15),
    (Points("experts", 5), 0.0, 0.02),
    (Points("experts", 5), 1e-6, 0.02),
    (Points("ball", 5), 1e-6, 0.02),
    (BALL, 0.0, 0.02),
    (replace(BALL, form="linear"), 0.0, 0.05),
]


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "delta", "close"), GAMES, ids=str)
def test_regret_is_that_of_the_non_private_version(problem, delta, close):
    """All of a problem play the same games, with the same draws; seeds are fixed."""
    setting = Setting(problem, rounds=2**12, epsilon=MUCH, delta=delta)
    pairs = {name: algorithm(name).twin for name in NAMES if _fits(name, problem)}
    assert pairs
    players = {
        name: Contender.named(name, setting, **_options(name))
        for name in dict.fromkeys((*pairs, *pairs.values()))
    }
    results = simulate(list(players.values()), problem=problem, rounds=2**12, trials=2, seed=1)
    regret = dict(zip(players, results.regret[:, :, -1].mean(axis=1), strict=True))
    for name, twin in pairs.items():
        assert regret[name] == pytest.approx(regret[twin], rel=close, abs=1.0), name


def _fits(name, problem):
    """Whether the algorithm plays this problem here; none of its functions are smooth or curved."""
    known = algorithm(name)
    if not known.plays(problem) or name in NOISIER:
        return False
    if not isinstance(problem, Functions):
        return True
    return known.problem.curvature == known.problem.smoothness == 0.0


def _options(name):
    return {"when_vacuous": "play"} if "when_vacuous" in algorithm(name).options else {}


def test_leaders_have_their_head_start_with_and_without_privacy():
    for geometry in ("experts", "ball", "cube"):
        for delta in (0.0, 1e-6):
            for epsilon in (1.0, MUCH):
                setting = Setting(Points(geometry, 10), rounds=2**16, epsilon=epsilon, delta=delta)
                names = (f"private-ftrl-{geometry}", f"ftrl-{geometry}")
                early = [
                    "first_learning_rate" in algorithm(name).build(setting).parameters
                    for name in names
                ]
                assert early == [delta > 0.0] * 2


def test_the_paper_has_one_rate():
    for geometry in ("experts", "ball", "cube"):
        setting = Setting(Points(geometry, 10), rounds=2**16, epsilon=1.0, delta=1e-6)
        build = algorithm(f"private-ftrl-{geometry}").build
        assert "first_learning_rate" not in build(setting, calibration="paper").parameters
        given = build(setting, calibration="paper", head_start=1.0)
        assert "first_learning_rate" in given.parameters


def test_the_best_moment_of_htinf():
    """HTINF: no other moment has a smaller simple bound; what is stated is added up."""
    for arms in (2, 4, 20):
        moment = htinf_moment(arms, 1.5)

        def bound(factor, arms=arms, moment=moment):
            numbers = {"deviation": 1.5, "threshold": MOST_CLIPPED, "clips": True}
            return bounds.htinf(arms, 2**17, moment=factor * moment, **numbers)

        assert all(bound(factor) > bound(1.0) for factor in (0.9, 0.99, 1.01, 1.1))
    setting = Setting(Arms(4), rounds=2**18)
    assert algorithm("batched-htinf").build(setting).regret_bound == pytest.approx(4577, abs=1.0)
    assert algorithm("tsallis-inf").build(setting).regret_bound == pytest.approx(1306, abs=1.0)
