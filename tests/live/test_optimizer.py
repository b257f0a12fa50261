"""The face for points of a set: every algorithm that sees losses of points, live; what it takes and
what it refuses.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_waiting import Clock

import componentjit
from discreet import DiscreetError, Ledger, Optimizer, VectorOptimizer, algorithms, audit
from discreet.channels import RoundedSums
from discreet.contracts import unsealed
from discreet.live.optimizers import usual_algorithm
from discreet.mechanisms.exact import NoiseBlock
from discreet.mechanisms.exact_vectors import ExactCube
from discreet.problems import Functions, domain_named

ALL = algorithms(Functions)
SLATES = "k-sets(5,2)"
quietly = pytest.mark.filterwarnings("ignore:.* is not private")


def live(name=None, **options):
    """Return a face with exact noise that learns, however short its run is."""
    usual = {
        "domain": SLATES if name is None or "oracle" in name else "ball(3)",
        "horizon": 400,
        "epsilon": 1.0,
    }
    declared = {"curvature": 0.5} if "strongly" in (name or "") else {}
    declared |= {"smoothness": 0.5} if "smooth" in (name or "") else {}
    declared |= {"domain": "ball(1)"} if "stochastic" in (name or "") else {"when_vacuous": "play"}
    return Optimizer(**usual | declared | {"delta": 1e-6, "algorithm": name} | options)


def simulated(name=None, **options):
    return live(name, **{"simulation": True, "seed": 1} | options)


def outcome(face, loss):
    """Return a loss as the face's algorithm hears it."""
    return loss if ALL[face.algorithm].problem.evaluations == 1 else [loss, 0.5]


@quietly
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", ALL)
def test_every_algorithm_is_live_with_the_guarantee_of_its_simulation(name, delta):
    face, place = live(name, delta=delta), None
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
        ideal = simulated(
            name,
            delta=delta,
            **({"noise": "laplace"} if delta == 0.0 and "local" not in name else {}),
        )
        assert ideal.guarantee.model == face.guarantee.model
    else:
        assert not face.guarantee.is_private


def test_losses_that_are_declared_linear_are_rounded_by_coins_live_too():
    face = live("private-projection-free", form="linear", delta=1e-6)
    for _ in range(50):
        face.tell(face.ask(), loss=0.75)
    assert isinstance(face.plan.private.channel, RoundedSums)
    assert face.state().released == 2
    with pytest.raises(DiscreetError, match="form is 'flat', but must be one of convex, linear"):
        live("private-projection-free", form="flat")


@pytest.mark.parametrize(
    "name", ["private-projection-free", "private-linear-oracle", "private-two-point"]
)
def test_spherical_noise_is_for_simulation_only_and_never_chosen_live(name):
    assert "spherical" in simulated(name, delta=0.0).plan.private.channel.noise_scales[0].kind
    assert "spherical" not in live(name, delta=0.0).plan.private.channel.noise_scales[0].kind
    with pytest.raises(
        DiscreetError,
        match=r"spherical noise cannot be drawn exactly.*live use needs noise laplace",
    ):
        live(name, delta=0.0, noise="spherical")


def test_noise_on_coordinates_is_for_simulation_only():
    with pytest.raises(DiscreetError, match="PerPoint is for simulation only: calibration=tight"):
        live("private-scrible", calibration="paper")


def test_slates_have_labels():
    face = simulated()
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
    assert words in simulated(domain=domain).ask().label


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
    face = simulated(horizon=4000, epsilon=1e3, exploration=0.2, spread=5.0, batch_size=4)
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
    face = simulated(name, domain="ball(3)", horizon=4000, epsilon=1e3, **options)
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
        faces = [simulated(name, low=-1.0, high=1.5) for _ in range(2)]
        faces[0].tell(faces[0].ask(), loss=loss)
        faces[1].tell(faces[1].ask(), reward=reward)
        assert faces[0]._run._store.rows.learner == faces[1]._run._store.rows.learner


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({}, "tell needs one outcome: either reward or loss"),
        ({"loss": 0.1, "reward": 0.1}, "tell needs one outcome: either reward or loss"),
        ({"loss": math.nan}, "the loss is not a finite number"),
        ({"loss": [0.123, 0.2]}, "the loss is not a finite number"),
        ({"loss": "0.123"}, "the loss is not a finite number"),
        ({"loss": 1.123}, "the loss is outside the declared range 0 to 1; clip=True would clip it"),
        (
            {"reward": -0.123},
            "the reward is outside the declared range 0 to 1; clip=True would clip it",
        ),
    ],
)
@pytest.mark.parametrize("name", ["private-linear-oracle", "batched-scrible"])
def test_bad_losses_are_refused_without_showing_them_and_can_be_told_again(name, told, complaint):
    face = simulated(name)
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
    face = simulated("private-two-point")
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
        faces = [simulated(name, clip=True), simulated(name)]
        for face, loss in zip(faces, (outside, end), strict=True):
            face.tell(face.ask(), loss=loss)
        assert faces[0]._run._store.rows.learner == faces[1]._run._store.rows.learner


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"domain": "k-set(5,2)"}, "unknown set 'k-set'"),
        ({"domain": "k-sets(5)"}, "must be k-sets"),
        ({"domain": None}, "domain is None, but must be the name of a set, such as 'ball\\(10\\)'"),
        ({"domain": "ball(3)", "algorithm": "private-linear-oracle"}, "must have vertices"),
        ({"geometry": "ball"}, "geometry is given, but is for VectorOptimizer"),
        ({"lipschitz": 0.0}, "lipschitz is 0.0"),
        (
            {"curvature": 2.0, "smoothness": 1.0, "algorithm": "local-smooth"},
            "curvature must not be more",
        ),
        (
            {"algorithm": "local-strongly-convex", "curvature": 0.0},
            "curvature is 0, but local-strongly-convex is for",
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
        ({"wait": 5.0, "default_loss": 7.0}, "the loss is outside the declared range 0 to 1"),
        (
            {"wait": 5.0, "default_loss": 0.5, "algorithm": "private-two-point"},
            "the two losses have the shape",
        ),
    ],
)
def test_bad_arguments_are_refused(changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        simulated(**changes)


def test_the_other_faces_name_this_one():
    with pytest.raises(DiscreetError, match=r"which plays functions on ball.*: use Optimizer"):
        VectorOptimizer("ball", 3, 100, 1.0, algorithm="fkm")


def test_open_decisions_keep_their_labels_in_a_file_and_are_told_by_id(tmp_path):
    face = live(path=tmp_path / "run.db", key=tmp_path / "key")
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
    face = live(
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
    face = live(ledger=ledger)
    face.tell(face.ask(user="Ada"), loss=0.5)
    assert ledger.spent.epsilon == pytest.approx(1.0)
    assert ledger.entries()[0].label.startswith("optimizer private-linear-oracle ")


@pytest.mark.parametrize(
    "name", ["private-linear-oracle", "private-two-point", "private-projection-free"]
)
def test_before_a_release_nothing_depends_on_what_was_told(name):
    """Decisions and the learner's state are the same bit for bit; only what the channel holds
    differs.
    """
    faces = [simulated(name, batch_size=8) for _ in range(2)]
    for t in range(8):
        decisions = [face.ask() for face in faces]
        assert np.array_equal(*(decision.point for decision in decisions))
        if t < 7:
            for face, decision, loss in zip(faces, decisions, (0.0, 1.0), strict=True):
                face.tell(decision, loss=loss if decision.point.ndim == 1 else [loss, 0.5])
    one, other = (face._run._store.rows for face in faces)
    assert one.learner == other.learner
    assert one.stream != other.stream or name == "private-linear-oracle"
    for face, decision, loss in zip(faces, decisions, (0.0, 1.0), strict=True):
        face.tell(decision, loss=loss if decision.point.ndim == 1 else [loss, 0.5])
    assert one.counters[3] == other.counters[3] == 1


@pytest.mark.parametrize("noise", ["laplace", "cube"])
@pytest.mark.parametrize("size", [1, 3, 20_000])
def test_a_replaced_loss_moves_exact_sums_by_at_most_what_their_noise_is_for(
    noise, size, monkeypatch
):
    """Searched through the run with noise of 0: losses of both ends in the direction that tells
    most; at least 99 %.
    """
    monkeypatch.setattr(NoiseBlock, "take", lambda self: 0)
    monkeypatch.setattr(ExactCube, "radius", lambda self, size: 0)
    channel = live(
        domain="k-sets(4,2)", horizon=4 * size, noise=noise, sums="tree", batch_size=size
    ).plan.private.channel
    scale, steps = channel.running.noise.step, channel.running.noise.steps
    allowed = channel.guarantee.epsilon * steps  # in steps, over all rows of the tree
    direction = np.full(4, 0.5) if noise == "laplace" else np.eye(4)[1]
    totals = []
    for loss in (0.0, 1.0):
        inner = unsealed(componentjit.copy(channel))
        inner.seen[0] = size - 1
        _, released = inner.offer(loss, direction, None)
        totals.append(np.array(released) / scale)
    moved = np.linalg.norm(totals[1] - totals[0], channel.running.noise.norm)
    rows = channel.running.factorisation.sensitivity(
        channel.running.noise, channel.running.prefixes
    )
    assert 0.99 * allowed <= rows * moved <= allowed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "domain"), [("private-linear-oracle", "k-sets(2,1)"), ("private-two-point", "ball(1)")]
)
def test_an_audit_of_a_live_sum_finds_most_of_its_epsilon(name, domain):
    """Through exact noise; a correct claim is called violated in at most 1 % of all audits, and the
    seed is fixed.
    """
    face = live(name, domain=domain, horizon=2, delta=0.0, noise="laplace", batch_size=1)
    found = audit(face, trials=16_000)
    assert not found.violated
    assert found.share > 0.75
    assert face.state().round == 0
