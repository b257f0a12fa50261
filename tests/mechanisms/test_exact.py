"""Exact release in live use: the bit test on every path, noise used once, and refusals."""

from __future__ import annotations

import copy
import logging
import math
import os
import pickle
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from discreet import (
    Bandit,
    DiscreetError,
    Ledger,
    Private,
    Range,
    Setting,
    algorithm,
    list_algorithms,
)
from discreet.auditing import EveryRelease, audit
from discreet.channels import Batch, PerRound
from discreet.contracts import unsealed
from discreet.curves import gaussian_delta
from discreet.learners import Exp3
from discreet.mechanisms import ExactGaussian, ExactLaplace, Gaussian, Laplace, RandomisedResponse
from discreet.mechanisms.exact import AT_ONCE, SLACK, NoiseBlock, movement, sampler
from discreet.problems import Arms

UNIT = Range(0.0, 1.0)
SETTING = Setting(Arms(3), rounds=1000, epsilon=1.0, delta=1e-6)
PRIVATE = [
    name
    for name, known in list_algorithms(Arms).items()
    if known.build(SETTING).private.channel.guarantee.is_private and name != "uniform"
]


def channels():
    """Yield every live release path: of named algorithms, and of mechanisms behind channels."""
    for name in PRIVATE:
        for delta in (0.0, 1e-6):
            setting = Setting(Arms(3), rounds=1000, epsilon=1.0, delta=delta)
            yield pytest.param(
                algorithm(name).build(setting).private.channel, id=f"{name}, delta {delta:g}"
            )
    for mechanism in (Laplace(1.0), Gaussian(2.0, 1e-6), RandomisedResponse(UNIT, 1.0)):
        yield pytest.param(PerRound(UNIT, mechanism), id=f"PerRound, {type(mechanism).__name__}")
    for mechanism in (Laplace(1.0), Gaussian(2.0, 1e-6)):
        yield pytest.param(
            Batch.over(size=1, bounds=UNIT, noise=mechanism),
            id=f"Batch, {type(mechanism).__name__}",
        )


def off_the_grid(channel, loss, releases=6_000):
    """Return how many releases near 0 are no multiple of 2^-53, when all losses are the same."""
    rng = np.random.default_rng(1)
    channel, found = channel.fork(), 0
    count = 0
    while count < releases:
        ready, released = channel.offer(loss, 1.0, rng)
        if ready:
            count += 1
            # A mean times its size is a sum on the grid again.
            scaled = released * channel.hold() * 2.0**53
            found += abs(released) < 0.25 and scaled != math.floor(scaled)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("channel", list(channels()))
def test_no_bit_of_a_live_release_tells_0_from_1(channel):
    """The last test catches floating-point noise; a batch of 3 puts both inputs off the grid."""
    live = unsealed(channel.live())
    zero, one = off_the_grid(live, 0.0), off_the_grid(live, 1.0)
    assert (zero == 0) == (one == 0)


@pytest.mark.parametrize(
    "mechanism", [Laplace(1.0), Gaussian(2.0, 1e-6)], ids=lambda m: type(m).__name__
)
def test_the_bit_test_catches_floating_point_noise(mechanism):
    for channel in (PerRound(UNIT, mechanism), Batch.over(size=1, bounds=UNIT, noise=mechanism)):
        zero, one = off_the_grid(channel, 0.0), off_the_grid(channel, 1.0)
        assert zero > 100
        assert one == 0


@pytest.mark.parametrize("name", PRIVATE)
def test_a_live_bandit_releases_through_exact_noise(name):
    bandit = Bandit(arms=3, horizon=1000, epsilon=1.0, delta=1e-6, algorithm=name)
    assert type(bandit._run._engine.private.channel.noise).__name__.startswith("Exact")
    assert repr(bandit).endswith("live: exact noise)")
    assert bandit.guarantee.caveat == ""
    assert bandit.guarantee.epsilon <= 1.0
    assert "exact noise (docs/proofs.md: " in bandit.guarantee.source
    assert all(noise.exact for noise in bandit._run._engine.private.channel.noise_scales)
    for _ in range(30):
        bandit.tell(bandit.ask(), reward=0.5)


@pytest.mark.slow
def test_live_noise_has_the_scale_of_the_simulated_one():
    """60,000 draws: the deviation within 2 %, five standard errors: 1 false alarm in a million."""
    for mechanism, spread in ((Laplace(2.0), 2.0 * math.sqrt(2.0)), (Gaussian(3.0, 1e-5), 3.0)):
        exact = mechanism.exact(mechanism.guarantee(1.0, model="central", source=""), 1.0)
        values = np.array([exact.add_noise(0.25, None) for _ in range(60_000)])
        assert values.std() == pytest.approx(spread, rel=0.025)
        assert abs(values.mean() - 0.25) < 5.0 * spread / math.sqrt(len(values))
        assert exact.scale == pytest.approx(mechanism.scale, rel=1e-9)


@settings(max_examples=60)
@given(some.floats(1e-6, 1e6), some.floats(1e-9, 1e4))
def test_rounding_to_the_grid_is_paid_for(sensitivity, epsilon):
    exact = ExactLaplace.calibrate(sensitivity=sensitivity, epsilon=epsilon)
    moved = movement(sensitivity, exact.step)
    assert moved > sensitivity / exact.step
    assert moved / exact.steps <= epsilon
    assert exact.guarantee(sensitivity, model="central", source="T").epsilon <= epsilon * (
        1 + 2e-11
    )
    assert math.frexp(exact.step)[0] == 0.5, "a power of two"
    assert exact.steps <= 2.0**50


@settings(max_examples=30)
@given(some.floats(1e-3, 1e3), some.floats(1e-2, 20.0), some.floats(1e-12, 1e-2))
def test_the_grid_is_paid_for_in_delta_too(sensitivity, epsilon, delta):
    exact = ExactGaussian.calibrate(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    mu = movement(sensitivity, exact.step) / exact.steps
    assert gaussian_delta(mu, epsilon) + SLACK <= delta * (1 + 1e-9)
    promise = exact.guarantee(sensitivity, model="central", source="T")
    assert promise.epsilon <= epsilon * (1 + 1e-9)
    assert promise.delta == delta
    assert promise.for_user(rounds=2).epsilon > promise.epsilon
    assert promise.rho == pytest.approx(mu**2 / 2)


def test_opendp_s_own_accounting_agrees():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    exact = ExactLaplace.calibrate(sensitivity=1.0, epsilon=0.7)
    space = dp.vector_domain(dp.atom_domain(T="i64"))
    theirs = dp.m.make_laplace(space, dp.l1_distance(T="i64"), scale=exact.steps)
    moved = movement(1.0, exact.step)
    assert 0.7 * (1 - 1e-9) < moved / exact.steps <= 0.7
    assert theirs.map(moved) == pytest.approx(moved / exact.steps, rel=1e-12)


@pytest.mark.slow
def test_a_live_channel_stands_an_audit():
    """The audit of simulations, on what is deployed.

    The noise has no seed. A false alarm has a chance below 1e-6; and the bound is about 0.957 with
    a standard deviation of 0.006, so it is below 0.9 with a chance below 1e-9.
    """
    private = Private(PerRound(UNIT, Laplace(1.0)).live(), Exp3.start(arms=2, learning_rate=0.01))
    found = audit(private, attack=EveryRelease(UNIT, 1), trials=180_000, confidence=1 - 1e-6)
    assert found.claimed.epsilon == 1.0
    assert not found.violated
    assert found.lower_bound > 0.9


class TestEachNumberIsUsedOnce:
    def test_blocks_are_refilled_and_never_repeat(self):
        block = NoiseBlock("laplace", 2.0**45)
        numbers = [block.take() for _ in range(3 * AT_ONCE)]
        assert len(set(numbers)) == len(numbers), "a repetition has a chance below 1e-7"

    def test_copies_pickles_and_forks_share_nothing(self):
        block = NoiseBlock("laplace", 2.0**45)
        first = block.take()
        rest = {first, *block._numbers}
        assert len(rest) == AT_ONCE
        for twin in (copy.copy(block), copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
            assert not twin._numbers
            assert twin.take() not in rest
        reader, writer = os.pipe()
        with warnings.catch_warnings(action="ignore"):
            child = os.fork()
        if child == 0:
            os.write(writer, str(block.take()).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert int(os.read(reader, 100)) not in rest

    def test_threads_get_different_numbers(self):
        block, seen = NoiseBlock("laplace", 2.0**45), []
        threads = [
            threading.Thread(target=lambda: seen.extend([block.take() for _ in range(300)]))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == len(set(seen)) == 2400

    def test_files_do_not_hold_what_was_drawn_ahead(self, tmp_path):
        path = tmp_path / "run.db"
        bandit = Bandit(arms=2, horizon=100, epsilon=1.0, algorithm="noisy-exp2", path=path)
        bandit.tell(bandit.ask(), loss=0.5)
        block = bandit._run._engine.private.channel.noise.block
        late = bandit.ask()
        bandit.close()
        raw = b"".join(each.read_bytes() for each in tmp_path.iterdir())
        assert len(block._numbers) == AT_ONCE - 1
        for number in block._numbers:
            assert str(abs(number)).encode() not in raw
            assert np.float64(number).tobytes() not in raw
        twin = Bandit.open(path)
        assert twin._run._engine.private.channel.noise.block is not block
        twin.tell(late, loss=0.5)


class TestLiveUse:
    def test_it_is_the_default_and_refuses_a_seed(self):
        assert "live: exact noise" in repr(Bandit(arms=2, horizon=10, epsilon=1.0))
        with pytest.raises(
            DiscreetError, match="seed is 1, but live noise cannot be seeded: only simulation=True"
        ):
            Bandit(arms=2, horizon=10, epsilon=1.0, seed=1)
        with pytest.raises(DiscreetError, match="simulation is 1, but must be True or False"):
            Bandit(arms=2, horizon=10, epsilon=1.0, simulation=1)

    def test_without_the_extra_it_refuses_in_one_sentence(self, python):
        program = (
            "import sys; sys.modules['opendp'] = None; sys.modules['opendp.prelude'] = None\n"
            "import discreet\ntry: discreet.Bandit(arms=2, horizon=10, epsilon=1.0, "
            "algorithm='batched-htinf')\nexcept discreet.DiscreetError as reason: "
            "print(reason)\nprint(discreet.Bandit(arms=2, horizon=10, epsilon=1.0, "
            "algorithm='batched-htinf', simulation=True))\nprint(discreet.Bandit(arms=2, "
            "horizon=10, epsilon=1.0))"
        )
        refusal, simulated, one_bit = python(program).splitlines()
        assert "one-bit-tsallis-inf" in one_bit, (
            "its exact coin needs nothing but the operating system"
        )
        assert "pip install 'discreet[exact]'" in refusal
        assert refusal.count(". ") == 0
        assert simulated.endswith("simulation only: floating-point noise)")

    def test_what_is_private_through_its_own_sampling_cannot_be_live(self):
        with pytest.raises(DiscreetError, match="private through its own sampling"):
            Bandit(arms=2, horizon=100, epsilon=1.0, delta=1e-6, algorithm="exp3-tau")

    def test_a_simulation_says_so_everywhere(self, tmp_path):
        bandit = Bandit(arms=2, horizon=10, epsilon=1.0, simulation=True, path=tmp_path / "run.db")
        for _ in range(2):
            assert "simulation only" in repr(bandit)
            assert "for simulation only" in str(bandit.guarantee)
            bandit.close()
            bandit = Bandit.open(tmp_path / "run.db", unprotected=True)

    @pytest.mark.parametrize(
        "outcome",
        [math.nan, math.inf, -math.inf, 1.0000001, -0.25, [0.5], np.zeros(2), "0.5", None, 1 + 2j],
    )
    def test_bad_outcomes_never_reach_the_mechanism_nor_any_message(self, outcome, caplog):
        bandit = Bandit(arms=2, horizon=10, epsilon=1.0, algorithm="noisy-exp2")
        decision = bandit.ask()
        before = len(bandit._run._engine.private.channel.noise.block._numbers)
        with caplog.at_level(logging.DEBUG), pytest.raises(DiscreetError) as refusal:
            bandit.tell(decision, loss=outcome)
        assert len(bandit._run._engine.private.channel.noise.block._numbers) == before
        assert str(outcome) not in str(refusal.value) or str(outcome) in ("None",)
        assert caplog.text == ""
        bandit.tell(decision, loss=0.5)
        assert "0.5" not in repr(bandit._run._engine.private.channel).replace("scale=0.5", "")

    def test_tiny_numbers_are_refused(self):
        with pytest.raises(DiscreetError, match="exact Gaussian noise needs delta from"):
            ExactGaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-16)
        for epsilon in (1e-17, 1e5):
            with pytest.raises(
                DiscreetError, match="exact noise needs epsilon between 1e-14 and 10000"
            ):
                ExactLaplace.calibrate(sensitivity=1.0, epsilon=epsilon)
        with pytest.raises(DiscreetError, match="exact noise needs epsilon of at most 10000"):
            ExactGaussian.calibrate(sensitivity=1.0, epsilon=1e5, delta=1e-6)


class TestWithALedger:
    def test_the_whole_run_is_charged_before_the_first_decision(self):
        ledger = Ledger(1.5)
        first = Bandit(arms=2, horizon=10, epsilon=1.0, ledger=ledger)
        assert ledger.spent.epsilon == 0.0
        first.ask()
        assert ledger.spent.epsilon == 1.0
        first.ask()
        assert ledger.spent.epsilon == 1.0, "one charge covers all rounds: each is in one release"
        with pytest.raises(DiscreetError, match=r"but the budget is epsilon 1\.5"):
            Bandit(arms=2, horizon=10, epsilon=1.0, ledger=ledger)
        (entry,) = ledger.entries()
        assert entry.label.startswith(f"bandit {first.algorithm} ")

    def test_users_are_admitted_up_to_their_limit_and_charged_as_groups(self):
        ledger = Ledger(3.0, max_rounds_per_user=3)
        bandit = Bandit(arms=2, horizon=20, epsilon=1.0, ledger=ledger)
        for _ in range(3):
            bandit.ask(user="ada")
        assert ledger.spent.epsilon == 3.0
        with pytest.raises(DiscreetError, match="this user has had 3 rounds"):
            bandit.ask(user="ada")
        assert len(bandit.open_decisions) == 3
        bandit.ask(user="grace")
        with pytest.raises(
            DiscreetError, match="ask needs the user: the ledger allows each user at most 3 rounds"
        ):
            bandit.ask()
        with pytest.raises(DiscreetError, match="this run does not limit the rounds of a user"):
            Bandit(arms=2, horizon=20, epsilon=1.0).ask(user="ada")
        with pytest.raises(DiscreetError, match=r"must be a discreet\.Ledger"):
            Bandit(arms=2, horizon=20, epsilon=1.0, ledger=3.0)

    def test_a_run_in_a_file_needs_its_ledger_again_and_is_not_charged_twice(self, tmp_path):
        ledger = Ledger(1.0, path=tmp_path / "ledger")
        bandit = Bandit(arms=2, horizon=10, epsilon=1.0, ledger=ledger, path=tmp_path / "run.db")
        bandit.tell(bandit.ask(), loss=0.5)
        bandit.close()
        with pytest.raises(DiscreetError, match="has a ledger: give it again"):
            Bandit.open(tmp_path / "run.db")
        with (
            Ledger(1.0, path=tmp_path / "ledger") as again,
            Bandit.open(tmp_path / "run.db", ledger=again) as twin,
        ):
            twin.tell(twin.ask(), loss=0.5)
            assert again.spent.epsilon == 1.0
        Bandit(arms=2, horizon=10, epsilon=1.0, path=tmp_path / "free").close()
        with pytest.raises(DiscreetError, match="has no ledger: leave it out"):
            Bandit.open(tmp_path / "free", ledger=ledger)

    def test_another_ledger_is_charged_for_the_whole_run(self, tmp_path):
        bandit = Bandit(
            arms=2, horizon=10, epsilon=1.0, ledger=Ledger(1.0), path=tmp_path / "run.db"
        )
        bandit.ask()
        bandit.close()
        with pytest.raises(DiscreetError, match="but the budget is epsilon"):
            Bandit.open(tmp_path / "run.db", ledger=Ledger(0.001))

    def test_a_snapshot_is_charged_like_any_other_run(self, tmp_path):
        ledger = Ledger(2.0)
        bandit = Bandit(arms=2, horizon=10, epsilon=1.0, ledger=ledger)
        bandit.ask()
        bandit.snapshot(tmp_path / "copy.db")
        Bandit.open(tmp_path / "copy.db", ledger=ledger).ask()
        assert ledger.spent.epsilon == 2.0

    def test_a_simulation_has_no_ledger(self):
        with pytest.raises(DiscreetError, match="simulation=True draws noise that protects nobody"):
            Bandit(arms=2, horizon=10, epsilon=1.0, simulation=True, ledger=Ledger(1.0))

    def test_what_is_not_private_cannot_be_charged(self):
        with (
            warnings.catch_warnings(action="ignore"),
            pytest.raises(DiscreetError, match="only differentially private releases can be"),
        ):
            Bandit(arms=2, horizon=10, epsilon=1.0, algorithm="exp3", ledger=Ledger(9.0))


def test_an_unknown_opendp_is_refused(monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.exact.NEEDED", (99, 0))
    with pytest.raises(DiscreetError, match=r"opendp is .*, but must be at least 99\.0"):
        sampler("laplace", 1.0)
