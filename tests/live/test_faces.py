"""The faces for loss vectors and for advice: what they ask, what they take, what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import (
    Advisor,
    Bandit,
    DiscreetError,
    Experts,
    Ledger,
    VectorOptimizer,
    list_algorithms,
)
from discreet.checks.parts import same_state
from discreet.problems import Advice, Points

FOR_EXPERTS = [
    name
    for name, known in list_algorithms(Points).items()
    if known.plays(Points("experts", 3)) or not known.fixed
]
FOR_ADVICE = list(list_algorithms(Advice))
ADVICE = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def experts(name="private-ftrl-experts", **options):
    simulated = {"simulation": True, "seed": 1, "delta": 1e-6, "algorithm": name}
    return Experts(
        **{"experts": ["a", "b", "c"], "horizon": 300, "epsilon": 1.0} | simulated | options
    )


def optimizer(**options):
    simulated = {"simulation": True, "seed": 1, "delta": 1e-6}
    return VectorOptimizer(
        **{"geometry": "ball", "dimension": 3, "horizon": 300, "epsilon": 1.0} | simulated | options
    )


def advisor(name="expert-arms", **options):
    simulated = {"simulation": True, "seed": 1, "delta": 1e-6, "algorithm": name}
    return Advisor(
        **{"arms": ["x", "y"], "experts": 3, "horizon": 300, "epsilon": 1.0} | simulated | options
    )


quietly = pytest.mark.filterwarnings("ignore:.* is not private")


class TestExperts:
    @quietly
    @pytest.mark.parametrize("name", FOR_EXPERTS)
    def test_it_learns_whom_to_trust(self, name):
        face = experts(name, epsilon=1e4, horizon=300)
        drawn = []
        for _ in range(300):
            decision = face.ask()
            assert sum(decision.weights.values()) == pytest.approx(1.0)
            drawn.append(decision.expert)
            face.tell(decision, losses=[0.9, 0.1, 0.9])
        assert face.state()[:2] == (300, 300)
        assert drawn[-100:].count("b") > 80
        assert decision.weights["b"] > 0.8

    def test_experts_are_drawn_as_often_as_their_weights_say(self):
        """Fixed seed; another would fail once in 3,000 runs (3.5 standard deviations)."""
        face = experts(horizon=4000)
        wanted, got = 0.0, 0
        for _ in range(2000):
            decision = face.ask()
            wanted += decision.weights["b"]
            got += decision.expert == "b"
            face.tell(decision, losses=[0.52, 0.5, 0.51])
        assert abs(got - wanted) < 3.5 * math.sqrt(2000 / 4)

    def test_losses_rewards_and_labels_say_the_same(self):
        faces = [experts(low=-1.0) for _ in range(4)]
        told = [
            {"losses": [0.5, -1.0, 0.25]},
            {"losses": {"c": 0.25, "a": 0.5, "b": -1.0}},
            {"rewards": np.array([-0.5, 1.0, -0.25])},
            {"rewards": {"a": -0.5, "b": 1.0, "c": -0.25}},
        ]
        for face, outcome in zip(faces, told, strict=True):
            face.tell(face.ask(), **outcome)
            assert (
                same_state(face._run._engine.private.learner, faces[0]._run._engine.private.learner)
                is None
            )

    @pytest.mark.parametrize(
        ("outcome", "complaint"),
        [
            ({}, "tell needs one outcome: either rewards or losses"),
            ({"losses": [0.1] * 3, "rewards": [0.1] * 3}, "tell needs one outcome"),
            (
                {"losses": [0.123, 0.5]},
                r"the losses have the shape \(2,\), but must be a vector of length 3",
            ),
            (
                {"losses": {"a": 0.123, "b": 0.5}},
                "the losses have other labels: give one value for each of 'a', 'b', 'c'.",
            ),
            ({"losses": [0.123, 0.5, math.nan]}, "the losses must be 3 finite numbers"),
            ({"rewards": ["0.123", 0.5, 0.5]}, "the rewards must be 3 finite numbers"),
            ({"losses": [[0.123], 0.5, 0.5]}, "the losses must be 3 finite numbers"),
            (
                {"losses": [0.123, 0.5, 1.5]},
                "the losses leave the declared range 0 to 1; clip=True would clip them",
            ),
        ],
    )
    def test_bad_outcomes_are_refused_without_showing_them_and_can_be_told_again(
        self, outcome, complaint
    ):
        face = experts()
        decision = face.ask()
        with pytest.raises(DiscreetError, match=complaint) as refusal:
            face.tell(decision, **outcome)
        assert "123" not in str(refusal.value)
        assert refusal.value.__context__ is None
        face.tell(decision, losses=[0.0, 0.5, 1.0])

    def test_clipping(self):
        one, other = experts(clip=True), experts()
        one.tell(one.ask(), losses=[-5.0, 0.5, 9.0])
        other.tell(other.ask(), losses=[0.0, 0.5, 1.0])
        assert (
            same_state(one._run._engine.private.learner, other._run._engine.private.learner) is None
        )

    def test_live_use_is_exact_and_charged(self):
        ledger = Ledger(2.0, 2e-6, max_rounds_per_user=1)
        face = Experts(experts=3, horizon=100, epsilon=1.0, delta=1e-6, ledger=ledger)
        face.tell(face.ask(user="Ada"), losses=[0.0, 0.5, 1.0])
        assert "live: exact noise" in repr(face)
        assert "exact noise" in face.guarantee.source
        assert ledger.spent.epsilon == pytest.approx(1.0)
        assert ledger.entries()[0].label.startswith("experts private-ftrl-experts ")


class TestVectorOptimizer:
    @pytest.mark.parametrize("geometry", ["ball", "cube"])
    @pytest.mark.parametrize("name", ["private-ftrl", "private-ftpl"])
    def test_it_goes_against_the_losses(self, geometry, name):
        chosen = f"{name}-{geometry}" if name == "private-ftrl" else name
        face = optimizer(geometry=geometry, algorithm=chosen, epsilon=1e4)
        for _ in range(300):
            decision = face.ask()
            face.tell(decision, loss=[0.6, 0.0, -0.3])
        assert decision.point[0] < -0.5
        assert decision.point[2] > 0.1
        assert f"{geometry} of dimension 3" in repr(face)

    def test_the_point_is_one_s_own(self):
        face = optimizer()
        decision = face.ask()
        decision.point[:] = 7.0
        assert np.abs(face._run._store.rows.action_of(0)).max() <= 1.0
        assert np.abs(face.ask().point).max() <= 1.0

    @pytest.mark.parametrize(
        ("geometry", "inside"), [("ball", [0.6, 0.8, 0.0]), ("cube", [0.5, -0.25, 0.25])]
    )
    def test_vectors_outside_are_refused_or_moved(self, geometry, inside):
        face, clipping = optimizer(geometry=geometry), optimizer(geometry=geometry, clip=True)
        outside = [2.0 * x for x in inside]
        decision = face.ask()
        with pytest.raises(
            DiscreetError, match="the loss is outside the declared set of loss vectors; clip=True"
        ) as refusal:
            face.tell(decision, loss=outside)
        assert not any(character.isdigit() for character in str(refusal.value))
        face.tell(decision, loss=inside)
        clipping.tell(clipping.ask(), loss=outside)
        larger = optimizer(geometry=geometry, high=2.0)
        larger.tell(larger.ask(), loss=outside)
        for bad in ([1.0, 2.0], "xyz", [math.inf, 0.0, 0.0], None):
            with pytest.raises(DiscreetError, match="the losses"):
                face.tell(face.ask(), loss=bad)

    @pytest.mark.parametrize(
        ("changes", "complaint"),
        [
            ({"geometry": "experts"}, "geometry is 'experts', but must be 'ball' or 'cube'"),
            ({"dimension": 1}, "dimension is 1"),
            ({"high": 0.0}, "high is 0.0"),
            (
                {"algorithm": "private-ftrl-cube"},
                "which plays points of the cube, but this class plays points of the ball",
            ),
            ({"algorithm": "exp3"}, "algorithm is exp3, which plays arms: use Bandit"),
            (
                {"algorithm": "private-ftpl", "points": "cube"},
                "unknown option 'points' of private-ftpl",
            ),
        ],
    )
    def test_bad_arguments_are_refused(self, changes, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            optimizer(**changes)

    def test_noise_that_cannot_be_exact_is_refused_live(self):
        with pytest.raises(DiscreetError, match="spherical"):
            VectorOptimizer(geometry="ball", dimension=3, horizon=100, epsilon=1.0)
        VectorOptimizer(
            geometry="ball", dimension=3, horizon=100, epsilon=1.0, noise="laplace"
        ).ask()


class TestAdvisor:
    @quietly
    @pytest.mark.parametrize("name", FOR_ADVICE)
    def test_it_learns_whom_to_listen_to(self, name):
        """The second expert is always right, and the arm that is right changes; fixed seed."""
        face = advisor(name, horizon=4000, epsilon=1e3)
        rng = np.random.default_rng(2)
        losses = []
        for _ in range(4000):
            right = int(rng.integers(2))
            advice = np.full((3, 2), 0.5)
            advice[1] = np.eye(2)[right]
            decision = face.ask(advice)
            losses.append(float(decision.arm != "xy"[right]))
            face.tell(decision, loss=losses[-1])
        assert np.mean(losses[:100]) > 0.02
        assert np.mean(losses[-1000:]) < 0.2

    def test_who_follows_an_expert_plays_what_that_expert_advises_now(self):
        face = advisor()
        group = face._run
        arms = []
        for t in range(200):
            named = t % 2
            advice = np.zeros((3, 2))
            advice[:, named] = 1.0
            decision = face.ask(advice)
            arms.append(decision.arm)
            assert decision.arm == "xy"[named]
            face.tell(decision, reward=1.0)
        assert group.state().released > 50
        assert set(arms) == {"x", "y"}

    @pytest.mark.parametrize(
        ("advice", "complaint"),
        [
            (
                ADVICE.T,
                r"advice is of shape \(2, 3\), but must have one row per expert: 3 by 2 numbers",
            ),
            (
                ADVICE * 0.5,
                "the advice of expert 0 adds up to 0.5, but must be a distribution over arms",
            ),
            (
                ADVICE - [[0.0, 0.0], [0.3, -0.3], [0.0, 0.0]],
                "the advice of expert 1 has -0.1 in it",
            ),
            ([[math.nan, 1.0]] * 3, "the advice of expert 0 has nan in it"),
            ("advice", "advice is not an array of numbers"),
            (None, "advice is not an array of numbers"),
        ],
    )
    def test_what_is_no_advice_is_refused(self, advice, complaint):
        face = advisor()
        with pytest.raises(DiscreetError, match=complaint):
            face.ask(advice)
        assert face.state().round == 0

    def test_experts_may_have_names(self):
        face = advisor(experts=["Ada", "Bob", "Eve"])
        with pytest.raises(DiscreetError, match="the advice of expert 'Ada' adds up to 2"):
            face.ask(np.ones((3, 2)))
        assert "2 arms, 3 experts" in repr(face)

    @pytest.mark.parametrize(
        ("face", "name", "complaint"),
        [
            (Advisor, "batched-exp3", "which plays arms: use Bandit"),
            (
                Advisor,
                "hedge",
                "which plays distributions over experts: use Experts or VectorOptimizer",
            ),
            (Bandit, "exp4", "which plays arms with expert advice: use Advisor"),
            (
                Bandit,
                "hedge",
                "which plays distributions over experts: use Experts or VectorOptimizer",
            ),
            (Experts, "exp4", "which plays arms with expert advice: use Advisor"),
            (
                Experts,
                "ftrl-ball",
                "which plays points of the ball, but this class plays distributions over experts",
            ),
        ],
    )
    def test_algorithms_of_another_problem_are_refused(self, face, name, complaint):
        sizes = (
            {"arms": 2}
            if face is Bandit
            else {"experts": 2}
            if face is Experts
            else {"arms": 2, "experts": 2}
        )
        with pytest.raises(DiscreetError, match=complaint):
            face(**sizes, horizon=100, epsilon=1.0, delta=1e-6, algorithm=name)

    @pytest.mark.parametrize("name", ["batched-exp4", "improved-batched-exp4"])
    def test_estimates_of_many_experts_are_for_simulation_only(self, name):
        """By default both learn from randomised bits, which can be used live."""
        numbers = {"arms": 2, "experts": 3, "horizon": 100, "epsilon": 1.0, "delta": 1e-6}
        with pytest.raises(DiscreetError, match="estimates of many experts cannot be used live"):
            Advisor(**numbers, algorithm=name, responses=False)
        usual = Advisor(**numbers, algorithm=name)
        usual.tell(usual.ask(ADVICE), loss=0.25)
        assert usual.state().released == 1
        assert usual.guarantee.model == "local"


@pytest.mark.parametrize("make", [experts, optimizer, advisor])
@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"horizon": 1}, "horizon is 1"),
        ({"epsilon": 0.0}, "epsilon is 0.0"),
        ({"clip": "no"}, "clip is 'no'"),
        ({"simulation": 1}, "simulation is 1"),
        ({"simulation": False}, "seed is 1, but live noise cannot be seeded"),
        ({"seed": -3}, "seed is -3"),
        ({"ledger": 3.0}, r"must be a discreet\.Ledger"),
        ({"learningrate": 3}, "unknown option"),
    ],
)
def test_bad_arguments_are_refused_by_all(make, changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make(**changes)


@pytest.mark.parametrize("make", [experts, optimizer, advisor])
def test_decisions_of_another_face_are_refused(make):
    face = make()
    other = advisor().ask(ADVICE) if make is not advisor else experts().ask()
    told = (
        {"losses": [0.5] * 3}
        if make is experts
        else {"loss": [0.5] * 3}
        if make is optimizer
        else {"loss": 0.5}
    )
    with pytest.raises(
        DiscreetError, match=r"decision is of type .*, but must be the .* that ask\(\) returned"
    ):
        face.tell(other, **told)
