"""The proof of the bounds of the EXP4 family, step by step: moments of noise, and exact games."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from advice_games import BATCHED, law

import componentjit
from discreet import Setting, algorithm
from discreet.algorithms.advice import SKEW
from discreet.channels.estimates import FITTED, GROUPS
from discreet.learners import Exp4
from discreet.learners.advice.expert_weights import Advised
from discreet.problems import Advice


class TestRegretProof:
    def expected(self, mixture, rates, laplace):
        """Return E ln Σ P exp(-η x - η Z), two experts with independent noise, by quadrature."""
        if laplace:
            nodes, weights = np.polynomial.laguerre.laggauss(60)
            nodes, weights = (
                np.concatenate([-nodes, nodes]),
                np.concatenate([weights, weights]) / 2.0,
            )
        else:
            nodes, weights = np.polynomial.hermite_e.hermegauss(60)
            weights = weights / weights.sum()
        first, second = np.meshgrid(nodes, nodes, indexing="ij")
        inside = mixture[0] * np.exp(-rates[0] * first) + mixture[1] * np.exp(-rates[1] * second)
        return float((np.outer(weights, weights) * np.log(inside)).sum())

    @pytest.mark.slow
    @pytest.mark.parametrize("laplace", [False, True])
    def test_noise_costs_what_its_moments_do(self, laplace):
        rng = np.random.default_rng(7)
        for _ in range(300):
            nu = float(rng.choice([0.02, 0.1, 1.0 / 3.0]))
            kappa = (math.exp(nu) - 1.0 - nu) / nu**2
            chances = rng.dirichlet([0.5, 0.5])
            x = rng.exponential(0.7, 2)  # η times the estimates
            c = rng.random(2) * nu
            # η times the scales, so that ln E e^-ηZ = c
            rates = np.sqrt(1.0 - np.exp(-c)) if laplace else np.sqrt(2.0 * c)
            if laplace:
                assert (c <= SKEW * rates**2 + 1e-15).all()
            exact = self.expected(chances * np.exp(-x), rates, laplace)
            bound = (1.0 + kappa * nu) * chances @ c - chances @ x + kappa * chances @ x**2
            assert exact <= bound + 1e-9
            same = np.full(2, c[0])
            flat = np.full(2, rates[0])
            assert (
                self.expected(chances * np.exp(-x), flat, laplace)
                <= same[0] - chances @ x + chances @ x**2 / 2 + 1e-9
            )

    @pytest.mark.slow
    @pytest.mark.parametrize("name", BATCHED)
    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    @pytest.mark.parametrize("batch_size", [None, 6, 40])
    def test_the_channel_adds_no_more_than_the_bound_counts(self, name, delta, batch_size):
        """Whatever the queries: moments that differ are at most ν, and weighted they are at most
        those of both bounds.
        """
        setting = Setting(Advice(3, 5), rounds=4000, epsilon=0.8, delta=delta)
        built = algorithm(name).build(setting, batch_size=batch_size, responses=False)
        assert built.regret_bound is not None
        assert built.regret_bound < setting.rounds
        channel, rate, mixing = (
            built.private.channel,
            built.parameters["learning_rate"],
            built.parameters["mixing"],
        )
        nu = (channel.ceiling * rate) ** 2 / 1.5
        size, rng = channel.size, np.random.default_rng(11)
        for case in range(12):
            weights = rng.dirichlet(np.full(5, 0.2)) + 1e-12
            weights /= weights.sum()
            advice = (
                (rng.random((size, 5)) < 0.5).astype(float) if case % 2 else rng.random((size, 5))
            )
            if case % 3 == 0:
                advice[:] = advice[0]
            queries = advice / ((1.0 - mixing) * advice @ weights + mixing / 3.0)[:, None]
            way, _, responses, kind = law(channel, queries, weights)
            scaled = (rate * responses) ** 2
            assert kind == "normal" or scaled.max(initial=0.0) < 0.2501
            moments = (scaled / 2.0 if kind == "normal" else -np.log1p(-scaled)).sum(axis=1)
            if way in (GROUPS, FITTED):
                assert moments.max() <= nu * (1 + 1e-9)
            most = SKEW * (rate / size) ** 2 / 0.8**2 * (queries**2).sum(axis=0)
            joint = np.linalg.norm(queries, axis=1).max() * channel.gaussian * rate / size
            if delta == 0.0:
                joint = (
                    math.sqrt(2.0)
                    * np.abs(queries).sum(axis=1).max()
                    * channel.laplace
                    * rate
                    / size
                )
            counted = [SKEW * joint**2 / 2.0]
            if most.max() <= nu:
                counted.append(float(weights @ most))
            assert float(weights @ moments) <= min(counted) * (1 + 1e-6)

    def test_the_bound_of_the_learner_is_the_one_that_is_tuned(self):
        setting = Setting(Advice(3, 5), rounds=10_000, epsilon=0.8)
        built = algorithm("local-exp4").build(setting, noise="laplace")
        rate, mixing = built.parameters["learning_rate"], built.parameters["mixing"]
        bounds = [
            Exp4.regret_bound(
                experts=5,
                arms=3,
                rounds=10_000,
                learning_rate=rate,
                mixing=mixing,
                moments=nu,
                variance=SKEW * 2.0 / 0.8**2 * 3.0 / (1.0 - mixing),
            )
            for nu in (0.02, 0.05, 0.1, 0.2, 1.0 / 3.0)
            if SKEW / 0.8**2 * (rate * 3.0 / mixing) ** 2 <= nu
        ]
        assert min(bounds) == pytest.approx(built.regret_bound, rel=1e-12)
        without = {"experts": 5, "arms": 3, "rounds": 10_000}
        rate = Exp4.recommended_rate(**without)
        plain = Exp4.regret_bound(**without, learning_rate=rate)
        assert plain == pytest.approx(math.sqrt(2 * 10_000 * 3 * math.log(5)))

    @pytest.mark.parametrize("noise", [0.0, 1.5])
    def test_the_exact_expected_regret_of_tiny_games_is_below_the_bound(self, noise):
        """All paths of four rounds: every arm, and noise of +s or -s, whose moments are below those
        of Gaussian noise.
        """
        rng = np.random.default_rng(9)
        closest = 0.0
        for _ in range(12):
            rate, mixing = float(rng.uniform(0.2, 1.5)), float(rng.uniform(0.05, 0.5))
            advice = rng.dirichlet([0.3, 0.3], (4, 3)).swapaxes(1, 2)
            losses = (rng.random((4, 2)) < 0.5).astype(float)

            def expected(learner, t, rate=rate, mixing=mixing, advice=advice, losses=losses):
                if t == 4:
                    return 0.0
                shares = learner.weights.values / learner.weights.scale[0]
                chances = (1.0 - mixing) * advice[t] @ shares + mixing / 2.0
                total = 0.0
                for arm, sign in itertools.product(range(2), (-1.0, 1.0) if noise else (0.0,)):
                    after = componentjit.copy(learner)
                    after.learn(
                        Advised(arm, 1.0 / chances[arm], advice[t, arm]),
                        losses[t, arm] + sign * noise,
                    )
                    total += (
                        chances[arm]
                        * (losses[t, arm] + expected(after, t + 1))
                        / (2 if noise else 1)
                    )
                return total

            start = Exp4.start(experts=3, learning_rate=rate, mixing=mixing)
            regret = expected(start, 0) - np.einsum("tae,ta->e", advice, losses).min()
            bound = Exp4.regret_bound(
                experts=3,
                arms=2,
                rounds=4,
                learning_rate=rate,
                mixing=mixing,
                variance=noise**2 * 2.0 / (1.0 - mixing),
                moments=(rate * noise * 2.0 / mixing) ** 2 / 2.0,
            )
            closest = max(closest, regret / bound)
        assert 0.1 * (noise == 0.0) < closest <= 1.0
