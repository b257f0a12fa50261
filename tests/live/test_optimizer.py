"""The face for points of a set: every algorithm that sees losses of points, live; what it takes and
what it refuses.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from makers import live_optimizer, simulated_optimizer
from test_waiting import Clock

from discreet import DiscreetError, Ledger, Optimizer, VectorOptimizer, list_algorithms
from discreet.channels import RoundedSums
from discreet.live.optimizers import usual_algorithm
from discreet.problems import Functions, domain_named

ALL = list_algorithms(Functions)

quietly = pytest.mark.filterwarnings("ignore:.* is not private")


def outcome(face, loss):
    """Return a loss as the face's algorithm hears it."""
    return loss if ALL[face.algorithm].problem.evaluations == 1 else [loss, 0.5]


@quietly
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", ALL)
def test_every_algorithm_is_live_with_the_guarantee_of_its_simulation(name, delta):
    face, place = live_optimizer(name, delta=delta), None
    for _ in range(30):
        decision = face.ask()
        place = place or face._problem.place.set
        assert all(place.contains(point, 1e-9) for point in np.atleast_2d(decision.point))
        face.tell(decision, loss=outcome(face, 0.3))
    assert face.state()[:3] == (30, 400, {})
    assert (decision.label is not None) == ("oracle" in name)
    if ALL[name].twin:
        assert 0.0 < face.guarantee.epsilon <= 1.0
        assert face.guarantee.delta <= delta
        assert "live: exact noise" in repr(face)
        assert all(noise.exact for noise in face.plan.private.channel.noise_scales)
        ideal = simulated_optimizer(
            name,
            delta=delta,
            **({"noise": "laplace"} if delta == 0.0 and "local" not in name else {}),
        )
        if name in ("private-two-point", "private-projection-free"):  # the smaller bound decides
            return
        assert ideal.guarantee.model == face.guarantee.model
    else:
        assert not face.guarantee.is_private


def test_losses_that_are_declared_linear_are_rounded_by_coins_live_too():
    face = live_optimizer("private-projection-free", form="linear", delta=1e-6)
    for _ in range(50):
        face.tell(face.ask(), loss=0.75)
    assert isinstance(face.plan.private.channel, RoundedSums)
    assert face.state().released == 2
    with pytest.raises(DiscreetError, match="form is 'flat', but must be one of convex, linear"):
        live_optimizer("private-projection-free", form="flat")


@pytest.mark.parametrize(
    "name", ["private-projection-free", "private-linear-oracle", "private-two-point"]
)
def test_spherical_noise_is_for_simulation_only_and_never_chosen_live(name):
    assert (
        "spherical"
        in simulated_optimizer(name, delta=0.0, batch_size=4)
        .plan.private.channel.noise_scales[0]
        .kind
    )
    assert (
        "spherical" not in live_optimizer(name, delta=0.0).plan.private.channel.noise_scales[0].kind
    )
    with pytest.raises(
        DiscreetError,
        match=r"spherical noise cannot be drawn exactly.*live use needs noise laplace",
    ):
        live_optimizer(name, delta=0.0, noise="spherical")


def test_noise_on_coordinates_is_for_simulation_only():
    with pytest.raises(DiscreetError, match="PerPoint is for simulation only: calibration=tight"):
        live_optimizer("private-scrible", calibration="paper")


def test_slates_have_labels():
    face = simulated_optimizer()
    for _ in range(20):
        decision = face.ask()
        assert decision.label == f"items {', '.join(map(str, np.flatnonzero(decision.point)))}"
        assert sorted(decision.point) == [0.0, 0.0, 0.0, 1.0, 1.0]
        decision.point[:] = 7.0
    assert [one.choice for one in face.open_decisions][-1] == decision.label
    assert repr(face).startswith(
        "Optimizer(k-sets(5,2), round 20 of 400, private-linear-oracle, (1, 1e-06)-"
    )


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        ("permutations(3)", "order "),
        ("paths(2,2)", "path s-"),
        ("assignments(3)", "worker 0 does job "),
        ("spanning-trees(4)", "edge"),
    ],
)
def test_other_vertices_have_labels(domain, words):
    assert words in simulated_optimizer(domain=domain).ask().label


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        ("k-sets(4,2)", "private-linear-oracle"),
        ("paths(2,2)", "private-linear-oracle"),
        ("ball(3)", "private-projection-free"),
        ("cube(3)", "private-projection-free"),
        ("simplex(3)", "private-projection-free"),
        ("nuclear(2,2)", "private-projection-free"),
    ],
)
def test_the_usual_algorithm_plays_vertices_where_they_are_meant(domain, name):
    assert usual_algorithm(domain_named(domain).set) == name


def test_it_learns_which_slate_is_best():
    """Items 1 and 3 cost nothing. Fixed seed; a uniform slate is the best in 1 round of 10."""
    face = simulated_optimizer(horizon=4000, epsilon=1e3, exploration=0.2, spread=5.0, batch_size=4)
    costs, played = np.array([0.5, 0.0, 0.5, 0.0, 0.5]), []
    for _ in range(3000):
        decision = face.ask()
        played.append(decision.label)
        face.tell(decision, loss=float(costs @ decision.point))
    assert played[-500:].count("items 1, 3") > 350


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("private-two-point", {"learning_rate": 0.02, "batch_size": 1}),
        ("private-projection-free", {"learning_rate": 0.01, "radius": 0.3, "batch_size": 20}),
        ("batched-scrible", {"learning_rate": 0.03, "batch_size": 2}),
        ("local-convex", {"noise": "laplace", "radius": 0.3, "damping": 200.0}),
    ],
)
def test_points_go_where_losses_are_low(name, options):
    """The loss is least at (-1, 0, 0); fixed seed."""
    face = simulated_optimizer(name, domain="ball(3)", horizon=4000, epsilon=1e3, **options)
    lost = []
    for _ in range(4000):
        decision = face.ask()
        losses = 0.5 + 0.4 * np.atleast_2d(decision.point)[:, 0]
        lost.append(losses.mean())
        face.tell(decision, loss=losses if losses.size == 2 else losses[0])
    assert np.mean(lost[:100]) > 0.4
    assert np.mean(lost[-1000:]) < 0.35


def test_losses_and_rewards_say_the_same():
    for name, loss, reward in (
        ("local-convex", 0.5, 0.0),
        ("local-two-point", [0.5, -1.0], np.array([0.0, 1.5])),
    ):
        faces = [simulated_optimizer(name, low=-1.0, high=1.5) for _ in range(2)]
        faces[0].tell(faces[0].ask(), loss=loss)
        faces[1].tell(faces[1].ask(), reward=reward)
        assert faces[0]._run._store.rows.learner == faces[1]._run._store.rows.learner


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({}, "tell needs one outcome: either reward or loss"),
        ({"loss": 0.1, "reward": 0.1}, "tell needs one outcome: either reward or loss"),
        ({"loss": math.nan}, "the loss is not a finite number"),
        ({"loss": [0.123, 0.2]}, "the loss is of type list, but must be a finite number"),
        ({"loss": "0.123"}, "the loss is of type str, but must be a finite number"),
        ({"loss": 1.123}, "the loss is outside the declared range 0 to 1; clip=True would clip it"),
        (
            {"reward": -0.123},
            "the reward is outside the declared range 0 to 1; clip=True would clip it",
        ),
    ],
)
@pytest.mark.parametrize("name", ["private-linear-oracle", "batched-scrible"])
def test_bad_losses_are_refused_without_showing_them_and_can_be_told_again(name, told, complaint):
    face = simulated_optimizer(name)
    decision = face.ask()
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        face.tell(decision, **told)
    assert "123" not in str(refusal.value)
    assert refusal.value.__context__ is None
    face.tell(decision, loss=0.5)


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({}, "tell needs one outcome: either reward or loss, with two numbers"),
        ({"loss": 0.123}, r"the two losses have the shape \(\), but must be a vector of length 2"),
        (
            {"loss": [0.123] * 3},
            r"the two losses have the shape \(3,\), but must be a vector of length 2",
        ),
        ({"reward": [0.123, math.inf]}, "the two rewards must be 2 finite numbers"),
        ({"reward": {0: 0.123, 1: 0.123}}, "the two rewards must be 2 finite numbers"),
        (
            {"loss": [0.5, 1.123]},
            "the two losses leave the declared range 0 to 1; clip=True would clip them",
        ),
    ],
)
def test_bad_pairs_are_refused_without_showing_them_and_can_be_told_again(told, complaint):
    face = simulated_optimizer("private-two-point")
    decision = face.ask()
    assert decision.point.shape == (2, 3)
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        face.tell(decision, **told)
    assert "123" not in str(refusal.value)
    assert refusal.value.__context__ is None
    face.tell(decision, loss=[0.5, 0.25])


def test_clipping():
    for name, outside, end in (
        ("local-convex", 9.0, 1.0),
        ("local-two-point", [9.0, -9.0], [1.0, 0.0]),
    ):
        faces = [simulated_optimizer(name, clip=True), simulated_optimizer(name)]
        for face, loss in zip(faces, (outside, end), strict=True):
            face.tell(face.ask(), loss=loss)
        assert faces[0]._run._store.rows.learner == faces[1]._run._store.rows.learner


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"domain": "k-set(5,2)"}, "unknown set 'k-set'"),
        ({"domain": "k-sets(5)"}, r"write k-sets\(n,k\), such as"),
        ({"domain": None}, "domain is None, but must be the name of a set, such as 'ball\\(10\\)'"),
        ({"domain": "ball(3)", "algorithm": "private-linear-oracle"}, "this needs vertices"),
        ({"geometry": "ball"}, "geometry is given, but belongs to VectorOptimizer"),
        ({"lipschitz": 0.0}, "lipschitz is 0.0"),
        (
            {"curvature": 2.0, "smoothness": 1.0, "algorithm": "local-smooth"},
            "curvature must not exceed",
        ),
        (
            {"algorithm": "local-strongly-convex", "curvature": 0.0},
            "curvature is 0, but local-strongly-convex needs",
        ),
        ({"algorithm": "exp3"}, "algorithm is exp3, which plays arms: use Bandit"),
        (
            {"algorithm": "ftrl-ball"},
            "which plays points of the ball: use Experts or VectorOptimizer",
        ),
        ({"algorithm": "private-linear"}, "unknown algorithm 'private-linear'"),
        (
            {"horizon": None},
            "horizon is None, but private-linear-oracle learns from one running sum",
        ),
        ({"horizon": 1}, "horizon is 1"),
        (
            {"horizon": 10, "batch_size": 6},
            "rounds is 10, but two batches of 6 rounds need at least 12",
        ),
        ({"epsilon": 0.0}, "epsilon is 0.0"),
        ({"low": 1.0, "high": 0.0}, "low is 1.0 and high is 0.0"),
        ({"clip": "no"}, "clip is 'no'"),
        ({"seed": -3}, "seed is -3"),
        ({"learningrate": 3}, "unknown option"),
        ({"wait": 5.0}, "wait and a default belong together"),
        ({"wait": 5.0, "default_loss": 7.0}, "default_loss is outside the declared range 0 to 1"),
        (
            {"wait": 5.0, "default_loss": 0.5, "algorithm": "private-two-point"},
            "default_loss has the shape",
        ),
    ],
)
def test_bad_arguments_are_refused(changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        simulated_optimizer(**changes)


def test_the_other_faces_name_this_one():
    with pytest.raises(DiscreetError, match=r"which plays functions on ball.*: use Optimizer"):
        VectorOptimizer("ball", 3, 100, 1.0, algorithm="fkm")


def test_open_decisions_keep_their_labels_in_a_file_and_are_told_by_id(tmp_path):
    face = live_optimizer(path=tmp_path / "run.db", key=tmp_path / "key")
    asked = [face.ask() for _ in range(3)]
    face.close()
    face = Optimizer.open(tmp_path / "run.db", key=tmp_path / "key")
    assert [one.choice for one in face.open_decisions] == [decision.label for decision in asked]
    face.tell(asked[2].id, loss=0.5)
    face.tell(asked[0], loss=0.5)
    assert [one.id for one in face.open_decisions] == [1]
    with pytest.raises(DiscreetError, match="decision 0 has been told already"):
        face.tell(asked[0], loss=0.5)


@pytest.mark.parametrize(
    ("name", "default"), [("local-convex", 0.5), ("private-two-point", [0.5, 0.25])]
)
def test_silence_counts_as_the_default(name, default):
    face = live_optimizer(
        name, wait=10.0, default_loss=default, **({"batch_size": 1} if "private" in name else {})
    )
    clock = face._run._clock = Clock()
    first, second = face.ask(), face.ask()
    face.tell(second, loss=outcome(face, 0.75))
    assert face.state().released == 0
    clock.now += 10.0
    assert face.release_due() == 2
    face.tell(first, loss=outcome(face, 0.75))  # too late: dropped
    assert face.state().released == 2


def test_a_run_is_charged():
    ledger = Ledger(2.0, 2e-6, max_rounds_per_user=1)
    face = live_optimizer(ledger=ledger)
    face.tell(face.ask(user="Ada"), loss=0.5)
    assert ledger.spent.epsilon == pytest.approx(1.0)
    assert ledger.entries()[0].label.startswith("optimizer private-linear-oracle ")
