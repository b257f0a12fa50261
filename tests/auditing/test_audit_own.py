"""Audits of user-defined learners, channels and attacks, and the registry that finds them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError, Guarantee, Private, Range, audit
from discreet.auditing import Attack, EveryRelease, FreshRuns, GameFacts, attack_on, default_attack
from discreet.auditing.whole_runs import FirstRelease
from discreet.channels import Batch, PerRound
from discreet.contracts import Channel
from discreet.learners import Exp3
from discreet.mechanisms import Gaussian, Laplace

pytestmark = pytest.mark.long

UNIT = Range(0.0, 1.0)


class TestOneSOwn:
    def test_a_learner_and_a_channel_of_ones_own(self):
        private = Private(
            Batch.laplace(size=3, epsilon=1.0, bounds=UNIT), Exp3.start(arms=4, learning_rate=0.1)
        )
        found = audit(private)
        assert found.name == "Exp3 behind Batch"
        assert 0.9 < found.lower_bound <= 1.0
        assert not found.violated

    def test_a_channel_that_leaks_is_caught(self):
        class Forgetful(Channel):
            bounds: Range
            noise: Laplace

            def hold(self):
                return 1

            def offer(self, feedback, query, rng):
                return True, query * self.noise.add_noise(feedback, rng)

            def fork(self):
                return self

            @property
            def guarantee(self):
                return Guarantee(
                    epsilon=1.0,
                    delta=0.0,
                    model="local",
                    status="proved",
                    source="wishful thinking",
                )

        private = Private(Forgetful(UNIT, Laplace(0.5)), Exp3.start(arms=2, learning_rate=0.1))
        found = audit(private, trials=1_000)
        assert found.violated
        assert "VIOLATED" in str(found)
        assert "wishful thinking" in str(found)

    def test_an_attack_of_ones_own(self):
        """Watch actions: with large steps, the second arm reveals the first noisy loss."""
        private = Private(PerRound(UNIT, Laplace(1.0)), Exp3.start(arms=2, learning_rate=20.0))
        one = np.full((2, 2), 0.5)
        other = one.copy()
        one[0], other[0] = 0.0, 1.0
        attack = FreshRuns(
            one,
            other,
            lambda record: float(record.actions[0] == record.actions[1]),
            "whether an arm is kept",
        )
        found = audit(private, attack=attack, trials=3_000)
        assert 0.1 < found.lower_bound < 1.0
        assert found.attack == "whether an arm is kept"

    def test_tables_that_are_no_neighbours_are_refused(self):
        private = Private(PerRound(UNIT, Laplace(1.0)), Exp3.start(arms=2, learning_rate=0.1))
        with pytest.raises(
            DiscreetError,
            match="the tables differ in 2 rounds, but neighbours differ in exactly one",
        ):
            audit(private, attack=FreshRuns(np.zeros((3, 2)), np.eye(3)[:, :2]), trials=200)
        with pytest.raises(DiscreetError, match="the tables differ in 0 rounds"):
            audit(private, attack=FreshRuns(np.zeros((3, 2)), np.zeros((3, 2))), trials=200)
        one, other = np.zeros((1, 2)), np.ones((1, 2))
        with pytest.raises(DiscreetError, match="a loss that is not a finite number"):
            audit(private, attack=FreshRuns(one, other * math.nan), trials=200)
        with pytest.raises(DiscreetError, match="the statistic is NaN"):
            audit(private, attack=FreshRuns(one, other, lambda _: math.nan), trials=200)
        with pytest.raises(DiscreetError, match="the tables have shapes"):
            audit(private, attack=FreshRuns(np.zeros((3, 2)), np.zeros((2, 2))), trials=200)

    def test_bad_questions_are_refused(self):
        private = Private(PerRound(UNIT, Laplace(1.0)), Exp3.start(arms=2, learning_rate=0.1))
        for changes, complaint in (
            ({"trials": 10}, "trials is 10"),
            ({"confidence": 1.5}, "confidence is 1.5"),
            ({"seed": -1}, "seed is -1"),
            ({"batch_size": 3}, "are for named algorithms"),
            ({"claimed": 1.0}, r"claimed is 1\.0, but must be a Guarantee"),
            ({"setting": 3}, "setting is 3, but must be a Setting"),
        ):
            with pytest.raises(DiscreetError, match=complaint):
                audit(private, **changes)
        with pytest.raises(
            DiscreetError, match="must be the name of an algorithm, a Private, or a live run"
        ):
            audit(3)
        with pytest.raises(
            DiscreetError, match="exp3 makes no privacy claim: there is nothing to audit"
        ):
            audit("exp3")


class Wider(Batch):
    """A channel of one's own that inherits."""


class WiderStill(Wider):
    """And one that inherits from that."""


class Own(Laplace):
    """Noise of one's own: whether it remembers is for its author to say."""

    has_memory = True


class Quiet(Laplace):
    """Noise that inherits a promise to remember nothing, which nobody checked."""


class TestTheRegistry:
    def private(self, channel):
        return Private(channel, Exp3.start(arms=2, learning_rate=0.1))

    def test_an_attack_is_found_along_the_bases_of_a_channel(self):
        for kind in (Batch, Wider, WiderStill):
            private = self.private(kind.laplace(size=2, epsilon=1.0, bounds=UNIT))
            found = default_attack(private, GameFacts())
            if kind is Batch:
                assert found == EveryRelease(UNIT, 2)
            else:  # which may remember what it released
                assert isinstance(found, FirstRelease)

    def test_whoever_has_a_channel_of_their_own_can_declare_an_attack_on_it(self, monkeypatch):
        monkeypatch.setattr("discreet.auditing.attacks._makers", {})

        class Weak(Attack):
            size: int

            @property
            def text(self):
                return "nothing is tried"

            def trials_for(self, private, claim):
                return 500

            def sample(self, private, world, trials, seed):
                return np.random.default_rng([seed % 1000, world]).normal(size=trials)

        @attack_on(Wider)
        def weakly(private, facts):
            return Weak(private.channel.hold())

        private = self.private(WiderStill.laplace(size=3, epsilon=1.0, bounds=UNIT))
        assert default_attack(private, GameFacts()) == Weak(3)
        found = audit(private)
        assert (found.attack, found.trials, found.violated) == ("nothing is tried", 500, False)
        unknown = self.private(Batch.laplace(size=3, epsilon=1.0, bounds=UNIT))
        assert isinstance(default_attack(unknown, GameFacts()), FreshRuns)

    def test_releases_are_no_trials_if_the_noise_may_remember(self):
        for noise, kind in (
            (Laplace(1.0), EveryRelease),
            (Own(1.0), FirstRelease),
            (Quiet(1.0), FirstRelease),
        ):
            assert type(default_attack(self.private(PerRound(UNIT, noise)), GameFacts())) is kind

    def test_only_gaussian_noise_is_judged_by_its_curve(self):
        for noise, is_known in ((Gaussian(1.0, 1e-6), True), (Laplace(1.0), False)):
            private = self.private(PerRound(UNIT, noise))
            assert (
                EveryRelease(UNIT, 1).gaussian_curve(private, private.guarantee) is not None
            ) == is_known
