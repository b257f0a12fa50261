"""The arguments of docs/regret.md: every step with a constant, on grids that come close."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from common import ROOT
from scipy import integrate

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.ordinary import MOST_CLIPPED
from discreet.algorithms.points.tuning import largest_normal
from discreet.learners.arms.ftpl import log_lead_probability
from discreet.learners.arms.htinf import paper_threshold
from discreet.learners.arms.tsallis_inf import solve


def test_every_section_that_the_code_names_exists_and_says_where_it_is_checked():
    text = (ROOT / "docs" / "regret.md").read_text()
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        for found in re.findall(r'regret\.md: ([^)."\n]+)', path.read_text()):
            named |= {name.strip() for name in found.split(", ")}
    assert named
    assert named <= set(sections)
    for name, body in sections.items():
        assert "*Numbers:" in body, f"section {name} does not say where it is checked"
        for test in re.findall(r"([\w/]*test_\w+\.py)", body):
            assert (ROOT / test).exists(), test


# Tsallis-INF


def tsallis_potential(losses, rate):
    """Return max over the simplex of -<L, w> + (4 / rate) Σ sqrt(w)."""
    weights = np.empty_like(losses)
    solve(losses, rate, 0.0, weights)
    return -losses @ weights + 4.0 / rate * np.sqrt(weights).sum()


def tsallis_stability(w, t, likely, feedback):
    """Return the exact expected stability term of one round, for the loss of each arm."""
    rate = 4.0 / math.sqrt(t)
    losses = 2.0 / (rate * np.sqrt(w))
    start = tsallis_potential(losses, rate)
    base = np.where(w >= likely * rate**2, 0.5, 0.0)
    found = 0.0
    for arm, chance in enumerate(w):
        estimate = base.copy()
        estimate[arm] += (feedback[arm] - base[arm]) / chance
        found += chance * (tsallis_potential(losses + estimate, rate) - start + w @ estimate)
    return found


def tsallis_round(w, t, likely):
    """Return what docs/regret.md allows for one round."""
    arms, main = w.size, np.sqrt(w).sum() / (2.0 * math.sqrt(t))
    if t <= 4 or (likely == 1.0 and t <= 16):
        return 1.0
    if likely == 1.0:
        return main + arms * (10.0 / 3.0 / t + 128.0 / 3.0 / t**2)
    if t <= 16:
        return main + arms * (1.0 / t + 4.0 / (t * (t - 2.0)))
    sharp = (np.sqrt(w) * (1.0 - w)).sum() / (2.0 * math.sqrt(t))
    return sharp + (arms + 2.0 / 3.0) / t + arms * (16.0 / (t * (t - 4.0)) + 4.0 / t**2)


@pytest.mark.parametrize("likely", [1.0, 0.25])
@pytest.mark.parametrize("t", [1, 4, 5, 9, 16, 17, 40, 1000])
def test_a_round_of_tsallis_inf_costs_no_more_than_stated(likely, t):
    """Random weights, many where the baseline begins; feedback is 0 or 1: cost is convex."""
    rng = np.random.default_rng(t)
    worst = 0.0
    for _ in range(60):
        arms = int(rng.integers(2, 5))
        w = rng.dirichlet(np.full(arms, rng.choice([0.3, 1.0, 30.0])))
        if rng.random() < 0.5:
            w[0] = min(0.9, likely * 16.0 / t * rng.choice([0.5, 0.999, 1.001]))
            w[1:] *= (1.0 - w[0]) / w[1:].sum()
        w = np.maximum(w, 1e-9)
        w /= w.sum()
        for feedback in itertools.product((0.0, 1.0), repeat=arms):
            worst = max(
                worst, tsallis_stability(w, t, likely, feedback) / tsallis_round(w, t, likely)
            )
    assert worst <= 1.0
    if t == 1000 and likely == 0.25:
        assert worst > 0.8, "and not much less would do"


def test_the_rounds_of_tsallis_inf_add_up_to_the_bounds():
    for arms, plays in itertools.product((2, 4, 50), (17, 300, 5000)):
        w = np.full(arms, 1.0 / arms)  # where both sums of roots are largest
        for likely, bound in ((1.0, bounds.tsallis_inf), (0.25, bounds.sharp_tsallis_inf)):
            penalty = math.sqrt(plays) * (math.sqrt(arms) - 1.0)
            total = penalty + sum(tsallis_round(w, t, likely) for t in range(1, plays + 1))
            assert total <= bound(arms, plays) <= total + 5.0 * arms + 6.0


# EXP3 and its kin


def laplace_mean(function, noise, centre):
    """Return the mean of a function of a Laplace variable, by quadrature on either side."""

    def density(z):
        return function(centre + z) * math.exp(-abs(z) / noise) / (2.0 * noise)

    return (
        integrate.quad(density, -60 * noise, 0.0)[0] + integrate.quad(density, 0.0, 60 * noise)[0]
    )


def exponential_moment(tilt, noise, loss):
    return laplace_mean(lambda y: math.exp(-tilt * y), noise, loss)


@pytest.mark.parametrize("noise", [0.1, 0.5, 3.0])
def test_a_round_of_exp3_on_noisy_losses_moves_the_potential_as_stated(noise):
    """ln E Σ q exp(-η ŷ) ≤ -η <q, y> + η² K / (1 - γ) (1/2 + λ² / (1 - s²)), s = η λ K / γ."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        arms = int(rng.integers(2, 6))
        q, losses = rng.dirichlet(np.full(arms, 0.4)), rng.integers(0, 2, arms).astype(float)
        mixing, share = rng.uniform(0.01, 0.5), rng.choice([0.3, 0.67, 0.9])
        rate = share * mixing / (noise * arms)
        p = (1.0 - mixing) * q + mixing / arms
        moments = [
            exponential_moment(rate / c, noise, loss) for c, loss in zip(p, losses, strict=True)
        ]
        found = math.log((q * (1.0 - p + p * np.array(moments))).sum())
        square = 0.5 + noise**2 / (1.0 - share**2)
        assert found <= -rate * (q @ losses) + rate**2 * arms / (1.0 - mixing) * square + 1e-9


def test_bounds_of_exp3_are_infinite_where_nothing_is_proved():
    assert bounds.exp3(4, 1000, rate=0.1, mixing=0.0, noise=0.5) == math.inf
    assert bounds.exp3(4, 1000, rate=0.1, mixing=0.1, noise=0.25) == math.inf
    assert bounds.exp3(4, 1000, rate=0.1, mixing=0.11, noise=0.25) < math.inf
    assert bounds.exp3_p(4, 1000, rate=0.1, mixing=0.4, bonus=0.01) == math.inf
    assert bounds.ftpl(4, 1000, rate=0.1, cap=10, noise=1.0) == math.inf


@pytest.mark.parametrize("reach", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("noise", [0.2, 1.0])
def test_ignoring_far_gains_costs_no_more_than_stated(reach, noise):
    """The ignored part D(g) differs between two gains by at most (1/2 + b + λ) exp(-b/λ)."""
    ignored = [
        g + reach - laplace_mean(lambda y: (y + reach) * (-reach <= y <= 1.0 + reach), noise, g)
        for g in np.linspace(0.0, 1.0, 11)
    ]
    assert max(ignored) - min(ignored) <= (0.5 + reach + noise) * math.exp(-reach / noise) + 1e-6


# HTINF


@pytest.mark.parametrize(
    ("threshold", "clips"), [(MOST_CLIPPED, True), (paper_threshold(2.0), False), (0.5, False)]
)
def test_a_loss_costs_htinf_no_more_than_its_square(threshold, clips):
    """Stability plus bias, F(z) = u² / (1 + u) + z - u, is at most κ z² at every loss."""
    z = np.concatenate([-np.geomspace(1e-4, 100.0, 4000), np.geomspace(1e-4, 100.0, 4000)])
    beyond = np.sign(z) * threshold if clips else 0.0
    u = np.where(np.abs(z) <= threshold, z, beyond)
    ratio = (u**2 / (1.0 + u) + z - u) / z**2
    cut = (1.0 + threshold) / (4.0 * threshold) if clips else 1.0 / threshold
    stated = max(1.0, 1.0 / (1.0 - threshold), cut)
    assert 0.99 * stated <= ratio.max() <= stated * (1.0 + 1e-9)


def test_the_threshold_of_clipping_is_the_best_one():
    costs = {
        k / 1000: max(1 / (1 - k / 1000), (1 + k / 1000) / (4 * k / 1000)) for k in range(1, 999)
    }
    best = min(costs, key=costs.get)
    assert best == pytest.approx(MOST_CLIPPED, abs=1e-3)
    tuned = bounds.htinf(
        4,
        1e6,
        deviation=1.0,
        moment=1 / math.sqrt(1 - MOST_CLIPPED),
        threshold=MOST_CLIPPED,
        clips=True,
    )
    assert tuned < 4.6 * math.sqrt(4e6)
    paper = bounds.htinf(
        4, 1e6, deviation=1.0, moment=1.0, threshold=paper_threshold(2.0), clips=False
    )
    assert paper < 11.7 * math.sqrt(4e6)


@pytest.mark.parametrize("loss", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("limit", [0.1, 1.0, 5.0])
def test_what_is_clipped_of_the_best_arm_is_not_negative(loss, limit):
    assert laplace_mean(lambda y: y - min(max(y, -limit), limit), 0.7, loss) >= -1e-9
    assert laplace_mean(lambda y: y * (abs(y) > limit), 0.7, loss) >= -1e-9


# FTPL


def lead(losses, rate, arm):
    return math.exp(log_lead_probability(losses, rate, arm))


@pytest.mark.parametrize("step", [0.1, 1.0, 4.0, -0.1, -1.0, -4.0])
def test_the_perturbed_leader_changes_its_mind_no_faster_than_stated(step):
    rng = np.random.default_rng(5)
    for _ in range(10):
        losses, rate = rng.normal(0.0, 10.0, 4), rng.choice([0.05, 0.3])
        after = losses.copy()
        after[0] += step
        before_chance, after_chance = lead(losses, rate, 0), lead(after, rate, 0)
        cost = step * (before_chance - after_chance)
        if step > 0.0:
            assert cost <= rate * before_chance * step**2 * (1 + 1e-6)
        else:
            assert cost <= -step * before_chance * math.expm1(-rate * step) * (1 + 1e-6)


@pytest.mark.parametrize("share", [0.05, 0.28, 0.8])
@pytest.mark.parametrize("noise", [0.3, 2.0])
@pytest.mark.parametrize("loss", [0.0, 0.4, 1.0])
def test_noise_costs_the_perturbed_leader_no_more_than_stated(share, noise, loss):
    """E of η y² above 0, of |y| (e^(η |y|) - 1) below, for η λ = s: η (1 + λ² (1 + C))."""
    rate = share / noise
    cost = laplace_mean(
        lambda y: rate * y * y if y >= 0.0 else -y * math.expm1(-rate * y), noise, loss
    )
    assert cost <= rate * (1.0 + noise**2 * (1.0 + bounds.ftpl_excess(share))) * (1 + 1e-6)


@pytest.mark.parametrize("arms", [2, 3, 10, 100])
def test_the_largest_perturbation(arms):
    draws = np.random.default_rng(arms).laplace(size=(40_000, arms)).max(axis=1)
    error = draws.std() / math.sqrt(draws.size)  # five of them: a false alarm in two million
    assert bounds.largest_perturbation(arms) == pytest.approx(draws.mean(), abs=5 * error)


# Perturbed points


@pytest.mark.parametrize("count", [2, 5, 100])
def test_the_largest_of_some_normals(count):
    draws = np.random.default_rng(count).standard_normal((40_000, count)).max(axis=1)
    error = draws.std() / math.sqrt(draws.size)  # five of them: a false alarm in two million
    assert largest_normal(count) == pytest.approx(draws.mean(), abs=5 * error)


def test_the_smoothed_minimum_bends_no_more_than_stated():
    """The mean of Σ |Φ''(i, i)| s is at most m_N, and is m_N where all lead alike."""
    rng = np.random.default_rng(2)
    normals = rng.standard_normal((40_000, 4))
    for scale in (0.0, 0.3, 1.0, 3.0):
        losses = scale * rng.standard_normal(4)
        leaders = (losses + normals).argmin(axis=1)
        bend = -normals[np.arange(leaders.size), leaders].mean()
        assert bend <= largest_normal(4) + 0.02, (
            "four standard errors: a false alarm in ten thousand, and a fixed seed"
        )
        assert scale > 0.0 or bend >= largest_normal(4) - 0.02
