"""Audits: they find what leaks, catch what is too small, and rarely cry wolf."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from common import in_full

from discreet import Private, Range, Setting, algorithm, audit, list_algorithms
from discreet.auditing import EveryRelease, GameFacts, attacked, default_attack
from discreet.auditing.bounds import Event, Tally, best_event, epsilon_bound
from discreet.channels import Batch
from discreet.cli import main
from discreet.cli.commands import cli
from discreet.curves import GaussianNoise, gaussian_epsilon, gaussian_sigma
from discreet.learners import BatchedUcb
from discreet.mechanisms import Coin, Gaussian, Laplace, RandomisedResponse
from discreet.problems import Arms, BestArm, Functions, Points

UNIT = Range(0.0, 1.0)
TIGHT = [
    name
    for name in list_algorithms(Arms)
    if name.startswith(("batched", "noisy", "local", "dp", "adap", "tracking"))
]


def laplace(scale, world, trials, series):
    return world + np.random.default_rng([world, series]).laplace(0.0, scale, trials)


class TestBounds:
    @pytest.mark.parametrize(
        ("hits", "others", "trials"), [(700, 300, 1000), (1000, 0, 1000), (5, 0, 10**6), (0, 0, 50)]
    )
    def test_the_bound_is_clopper_pearson(self, hits, others, trials):
        from scipy.stats import beta

        low = beta.ppf(0.005, hits, trials - hits + 1) if hits else 0.0
        high = beta.ppf(0.995, others + 1, trials - others) if others < trials else 1.0
        expected = max(0.0, math.log((low - 1e-6) / high)) if low > 1e-6 else 0.0
        found = epsilon_bound(
            Tally(hits, others, trials), confidence=0.99, delta=1e-6, gaussian=False
        )
        assert found == pytest.approx(expected, rel=1e-9)

    def test_the_interval_covers_as_often_as_it_says(self):
        """Exact: outcomes whose bound exceeds the truth have a probability of at most 1 %."""
        from scipy.stats import binom

        trials, p, q = 60, 0.5, 0.25
        counts = np.arange(trials + 1)
        weights = np.outer(binom.pmf(counts, trials, p), binom.pmf(counts, trials, q))
        truth = math.log(p / q)
        wrong = sum(
            weights[a, b]
            for a in counts
            for b in counts
            if epsilon_bound(Tally(a, b, trials), confidence=0.99, delta=0.0, gaussian=False)
            > truth
        )
        assert 0.0 < wrong <= 0.01

    def test_the_best_event_of_laplace_noise_lies_beyond_both_values(self):
        first, second = laplace(1.0, 0, 100_000, 0), laplace(1.0, 1, 100_000, 0)
        event = best_event(first, second, confidence=0.99, delta=0.0, gaussian=False)
        assert (not event.upper and event.threshold < 0.1) or (
            event.upper and event.threshold > 0.9
        )
        assert Event(0.5, upper=True, likelier=1).hits(np.array([0.4, 0.5, 0.6])) == 2

    def test_gaussian_noise_is_judged_by_its_whole_curve(self):
        sigma = gaussian_sigma(1.0, 1e-6)

        def normal(world, trials, series):
            return world + np.random.default_rng([world, series]).normal(0.0, sigma, trials)

        found = attacked(normal, 1_000_000, delta=1e-6, gaussian=True)
        assert 0.93 < found <= 1.0
        by_events = attacked(normal, 1_000_000, delta=1e-6, gaussian=False)
        assert by_events < found, "the tail in which ε is reached is too rare to be seen"


class TestPower:
    @pytest.mark.full
    @pytest.mark.parametrize("name", TIGHT)
    @pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
    def test_where_the_guarantee_is_tight_nine_tenths_are_found(self, name, epsilon):
        found = audit(name, setting=Setting(Arms(), rounds=10_000, epsilon=epsilon))
        assert 0.9 * epsilon <= found.lower_bound <= epsilon
        assert not found.violated

    @pytest.mark.full
    def test_searches_are_attacked_beyond_their_end(self):
        """They stop after some hundred rounds, and choose their batch lengths; trials continue."""
        setting = Setting(BestArm(2), epsilon=1.0)
        found = audit("batched-lucb", setting=setting, batch_size=5)
        assert 0.9 <= found.lower_bound <= 1.0
        honest = algorithm("batched-lucb").build(setting, batch_size=5).private
        cheating = honest._replace(channel=honest.channel._replace(noise=Laplace(0.9)))
        assert audit(
            cheating, claimed=honest.guarantee, attack=EveryRelease(UNIT, 5), trials=1_000_000
        ).violated

    @pytest.mark.full
    def test_so_with_randomised_response(self):
        found = audit("local-tsallis-inf", noise="response")
        assert 0.9 <= found.lower_bound <= 1.0

    @pytest.mark.slow
    @pytest.mark.parametrize("epsilon", [in_full(0.2), 1.0, in_full(4.0)])
    @pytest.mark.long
    def test_so_with_one_bit(self, epsilon):
        found = audit(
            "one-bit-tsallis-inf", setting=Setting(Arms(), rounds=10_000, epsilon=epsilon)
        )
        assert 0.9 * epsilon <= found.lower_bound <= epsilon
        honest = (
            algorithm("one-bit-tsallis-inf")
            .build(Setting(Arms(), rounds=10_000, epsilon=epsilon))
            .private
        )
        cheating = honest._replace(channel=honest.channel._replace(noise=Coin(1.1 * epsilon)))
        assert audit(cheating, claimed=honest.guarantee, trials=2_000_000).violated

    @pytest.mark.slow
    @pytest.mark.parametrize("epsilon", [in_full(0.5), 1.0, in_full(10.0)])
    @pytest.mark.long
    def test_so_with_gaussian_noise(self, epsilon):
        found = audit(
            "local-tsallis-inf",
            setting=Setting(Arms(), rounds=10_000, epsilon=epsilon, delta=1e-6),
            noise="gaussian",
        )
        assert 0.9 * epsilon <= found.lower_bound <= epsilon

    @pytest.mark.full
    @pytest.mark.parametrize("name", TIGHT)
    @pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
    def test_noise_that_is_a_tenth_too_small_is_caught(self, name, epsilon):
        usual = {"noise": "laplace"} if name == "local-tsallis-inf" else {}  # not responses
        setting = Setting(Arms(), rounds=10_000, epsilon=epsilon)
        honest = algorithm(name).build(setting, **usual).private
        channel = honest.channel._replace(noise=Laplace(0.9 * honest.channel.noise.scale))
        cheating = honest._replace(channel=channel)
        attack = EveryRelease(UNIT, channel.hold())
        found = audit(cheating, claimed=honest.guarantee, attack=attack, trials=2_000_000)
        assert found.violated
        assert not audit(cheating, attack=attack, trials=200_000).violated, (
            "its own guarantee is the larger one"
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("epsilon", [in_full(0.5), 1.0, in_full(10.0)])
    def test_so_with_gaussian_noise_a_tenth_too_small(self, epsilon):
        honest = (
            algorithm("local-tsallis-inf")
            .build(Setting(Arms(), rounds=10_000, epsilon=epsilon, delta=1e-6), noise="gaussian")
            .private
        )
        mechanism = honest.channel.noise
        channel = honest.channel._replace(noise=Gaussian(0.9 * mechanism.scale, mechanism.delta))
        cheating = honest._replace(channel=channel)
        found = audit(
            cheating, claimed=honest.guarantee, attack=EveryRelease(UNIT, 1), trials=4_000_000
        )
        assert found.violated

    @pytest.mark.slow
    @pytest.mark.long
    def test_the_papers_own_noise_is_audited_against_the_papers_claim(self):
        two = audit(
            "noisy-exp2",
            setting=Setting(Arms(), rounds=10_000, bounds=Range(-1.0, 1.0)),
            calibration="paper",
        )
        assert two.claimed.epsilon == 1.0
        assert two.claimed.status == "claimed by the paper only"
        assert two.stated.epsilon == 2.0
        assert two.violated
        assert 1.9 < two.lower_bound <= 2.0
        classical = audit(
            "local-tsallis-inf",
            setting=Setting(Arms(), rounds=10_000, epsilon=10.0, delta=1e-6),
            calibration="paper",
            trials=2_000_000,
        )
        assert classical.violated
        assert 10.1 < classical.lower_bound <= classical.stated.epsilon

    @pytest.mark.slow
    @pytest.mark.parametrize("delta", [0.0, in_full(1e-6)])
    def test_where_it_is_not_tight_the_audit_shows_what_is_known_to_leak(self, delta):
        found = audit("exp3-tau", setting=Setting(Arms(), rounds=10_000, delta=delta), trials=2_000)
        assert 0.02 < found.lower_bound < 0.3
        assert not found.violated

    @pytest.mark.slow
    def test_what_never_uses_feedback_leaks_nothing(self):
        found = audit("uniform", trials=2_000)
        assert found.lower_bound == 0.0
        assert not found.violated


def fast(mechanism, series):
    """Return a sampler of releases of 0 and 1 through a mechanism, in plain NumPy for speed."""
    if isinstance(mechanism, RandomisedResponse):
        share = math.exp(mechanism.epsilon) / (1.0 + math.exp(mechanism.epsilon))

        def sample(world, trials, part):
            rng = np.random.default_rng([series, world, part])
            return (rng.random(trials) < (share if world else 1.0 - share)).astype(float)
    else:

        def sample(world, trials, part):
            rng = np.random.default_rng([series, world, part])
            draw = rng.laplace if isinstance(mechanism, Laplace) else rng.normal
            return world + draw(0.0, mechanism.scale, trials)

    return sample


@pytest.mark.full
def test_a_thousand_audits_of_correct_mechanisms_have_few_false_alarms():
    """The bound errs in at most 1 %: more than 20 of 1,000 has a chance below 0.2 %."""
    alarms = 0
    for series in range(1000):
        epsilon = (0.1, 0.5, 1.0, 3.0)[series % 4]
        kind = series // 4 % 3
        if kind == 0:
            mechanism, delta = Laplace.calibrate(sensitivity=1.0, epsilon=epsilon), 0.0
        elif kind == 1:
            mechanism = Gaussian.calibrate(sensitivity=1.0, epsilon=epsilon, delta=1e-5)
            delta = 1e-5
        else:
            mechanism, delta = RandomisedResponse.calibrate(bounds=UNIT, epsilon=epsilon), 0.0
        bound = attacked(fast(mechanism, series), 4_000, delta=delta, gaussian=kind == 1)
        alarms += bound > epsilon * (1 + 1e-9)
    assert alarms <= 20


@pytest.mark.full
def test_false_alarms_through_the_whole_code_path():
    """Each of thirty audits errs in at most 1 %: more than 3 has a chance below 0.03 %."""
    found = [
        audit("noisy-exp2", setting=Setting(Arms(), rounds=1000), trials=2_000, seed=seed).violated
        for seed in range(30)
    ]
    assert sum(found) <= 3


class QuietWhenLong(Batch):
    """The noise on a sum is divided by the length of its batch again: right for one round only."""

    def release(self, query, rng):
        length = self.batch_length()
        return True, query * ((self.empty() + self.noise.add_noise(0.0, rng) / length) / length)


class TestLengthsThatALearnerChooses:
    """The replaced loss is the first of every batch, however long it is: one in every batch."""

    @pytest.mark.slow
    @pytest.mark.long
    def test_a_fault_that_only_long_batches_have_is_found(self):
        learner = BatchedUcb.start(arms=3, noise=1.0, first=1)
        broken = Private(QuietWhenLong.laplace(size=1, epsilon=1.0, bounds=UNIT), learner)
        assert audit(broken, trials=20_000).violated
        sound = Private(Batch.laplace(size=1, epsilon=1.0, bounds=UNIT), learner)
        found = audit(sound, trials=40_000)
        assert not found.violated
        assert found.share > 0.9

    def test_one_loss_of_a_batch_is_replaced(self):
        """Without noise every sum is that of the middle, but for one loss of 0 or of 1."""
        silent = Private(
            Batch.over(size=1, bounds=UNIT, noise=Laplace(0.0)),
            BatchedUcb.start(arms=3, noise=1.0, first=4),
        )
        attack = default_attack(silent, GameFacts())
        for world, away in enumerate((-0.5, 0.5)):
            np.testing.assert_allclose(attack.sample(silent, world, 200, 1), away, atol=1e-9)


class TestTheCommand:
    def run(self, *words):
        done = CliRunner().invoke(cli, ["audit", *words], catch_exceptions=False)
        return done.exit_code, done.stdout

    def test_json_has_the_promised_keys(self):
        _, text = self.run("batched-exp3", "--epsilon", "0.5", "--trials", "50000", "--json")
        facts = json.loads(text)
        assert {
            "name",
            "claimed",
            "lower_bound",
            "confidence",
            "trials",
            "violated",
            "attack",
        } <= set(facts)
        assert facts["claimed"]["epsilon"] == 0.5
        assert facts["claimed"]["delta"] == 0.0
        assert facts["trials"] == 50_000
        assert facts["confidence"] == 0.99
        assert facts["violated"] is False

    @pytest.mark.full
    def test_all_shows_a_table_of_every_private_algorithm(self):
        """The short version that runs with every test; the full one is ``discreet audit --all``."""
        _, text = self.run("--all", "--trials", "4000", "--quiet")
        private = [name for name in list_algorithms(Points) if name.startswith("private")]
        private += [
            name for name in list_algorithms(Functions) if name.startswith(("private", "local"))
        ]
        private += [
            name for name in list_algorithms(BestArm) if name.startswith(("batched", "local"))
        ]
        private += ["expert-arms", "local-exp4", "batched-exp4", "improved-batched-exp4"]
        for name in [*TIGHT, *private, "exp3-tau", "uniform"]:
            assert f"\n {name} " in text
        assert "VIOLATED" not in text

    @pytest.mark.slow
    @pytest.mark.long
    def test_a_violation_can_fail_a_pipeline(self):
        words = (
            "noisy-exp2",
            "--set",
            "low=-1",
            "--set",
            "high=1",
            "--set",
            "calibration=paper",
            "--trials",
            "20000",
        )
        code, text = self.run(*words)
        assert code == 0
        assert "VIOLATED" in text
        assert "discreet itself states 2-differential privacy for this noise" in " ".join(
            text.split()
        )
        assert self.run(*words, "--check")[0] == 1

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            ([], "audit needs the name of an algorithm or --all"),
            (["exp3", "--all"], "audit needs the name of an algorithm or --all"),
            (["exp3"], "exp3 makes no privacy claim"),
            (["batched-exp33"], "did you mean 'batched-exp3'"),
            (["batched-exp3", "--trials", "5"], "trials is 5"),
            (["--all", "--set", "batch_size=3"], "is an option of one algorithm"),
            (["batched-exp3", "--epsilon", "-1"], "epsilon is -1"),
        ],
    )
    def test_bad_questions_get_one_sentence(self, words, complaint, capsys):
        with pytest.raises(SystemExit) as stop:
            main(["audit", *words])
        assert stop.value.code == 2
        said = capsys.readouterr().err
        assert complaint in said
        assert said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.long
def test_an_audit_is_reproducible_and_different_for_each_algorithm():
    one, again = (audit("noisy-exp2", trials=4_000).lower_bound for _ in range(2))
    assert one == again
    assert audit("noisy-exp2", trials=4_000, seed=2).lower_bound != one
    assert audit("dp-exp3-lap", trials=4_000).lower_bound != one


def test_a_gaussian_claim_keeps_its_curve():
    found = audit(
        "local-tsallis-inf",
        setting=Setting(Arms(), rounds=1000, delta=1e-6),
        noise="gaussian",
        trials=4_000,
    )
    assert isinstance(found.claimed.curve, GaussianNoise)
    assert gaussian_epsilon(found.claimed.curve.mu, 1e-6) == pytest.approx(1.0)
    assert found.as_dict()["claimed"]["delta"] == 1e-6
