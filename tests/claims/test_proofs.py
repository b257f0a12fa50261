"""The arguments of docs/proofs.md, checked by exact enumeration or by search."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from common import ROOT, unbroken

from discreet.channels.selection import selection_curve
from discreet.curves import gaussian_delta
from discreet.learners import Exp3, Exp3Gain
from discreet.learners.arms.draws import Draw
from discreet.mechanisms.exact import movement


def test_every_section_that_the_code_names_exists_and_says_where_it_is_checked():
    text = (ROOT / "docs" / "proofs.md").read_text()
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        for found in re.findall(r"proofs\.md: ([^).:;]+)", unbroken(path.read_text())):
            named |= (
                set()
                if "{" in found
                else {name.strip() for name in " ".join(found.split()).split(",")}
            )
    assert named
    assert named <= set(sections)
    for name, body in sections.items():
        assert "*Numbers:" in body, f"section {name} does not say where it is checked"
        for test in re.findall(r"([\w/]*test_\w+\.py)", body):
            assert (ROOT / "tests" / test.removeprefix("tests/")).exists(), test


# Whole-number Laplace noise on a grid, so coarse that transcripts can be enumerated.
SCALE = 2.0
REACH = 40
NOISE = np.exp(-np.abs(np.arange(-REACH, REACH + 1)) / SCALE)


def weight(value, centre):
    return math.exp(-abs(value - centre) / SCALE)


@pytest.mark.parametrize("seed", range(5))
def test_one_release_a_round_needs_no_composition(seed):
    """Batches: three noisy rounds; losses and the pair are adaptive, in random tables.

    The joint log-ratio of every transcript is at most width / scale, and reaches it.
    """
    rng = np.random.default_rng(seed)
    values = range(-3, 4)
    react = rng.integers(0, 3, (7, 7))  # the third loss as a function of the first two releases
    pair = rng.permutation(3)[:2]
    where = seed % 3
    worst = 0.0
    for transcript in itertools.product(values, repeat=3):
        logs = []
        for world in (0, 1):
            losses = [1, 2, int(react[transcript[0], transcript[1]])]
            losses[where] = int(pair[world])
            logs.append(
                sum(math.log(weight(y, x)) for y, x in zip(transcript, losses, strict=True))
            )
        worst = max(worst, abs(logs[0] - logs[1]))
    assert worst == pytest.approx(abs(int(pair[0] - pair[1])) / SCALE)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_stays_private_for_adaptive_inputs(seed):
    """Adaptive trees: prefixes 1, 2, 3 from nodes (1), (1, 2), (3); later losses react."""
    rng = np.random.default_rng(seed)
    values = range(-3, 4)
    second, third = rng.integers(0, 3, 7), rng.integers(0, 3, (7, 7))
    worst = 0.0
    for a, b, c in itertools.product(values, repeat=3):
        logs = []
        for first in (0, 2):
            x2, x3 = int(second[a]), int(third[a, b])
            logs.append(math.log(weight(a, first) * weight(b, first + x2) * weight(c, x3)))
        worst = max(worst, abs(logs[0] - logs[1]))
    levels, moved = 2, 2
    assert worst <= levels * moved / SCALE + 1e-12
    assert worst > 0.99 * levels * moved / SCALE


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0.3, 1.0, 1.5, 2.0, 3.0, 4.0, 4.7])
def test_rounding_moves_a_value_by_no_more_than_stated(steps):
    """Laplace on a grid: all pairs on a fine grid at most ``steps`` steps of size 1 apart."""
    fine = np.arange(-512, 513) / 64.0
    ones, others = np.meshgrid(fine, fine)
    near = np.abs(ones - others) <= steps
    moved = np.abs(
        [round(float(x)) - round(float(y)) for x, y in zip(ones[near], others[near], strict=True)]
    )
    assert moved.max() <= movement(steps, 1.0)
    if steps % 2.0 != 0.0:
        assert moved.max() == movement(steps, 1.0), "not one step less would do"


@pytest.mark.parametrize("scale", [10, 30, 100])
@pytest.mark.parametrize("mu", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0, 6.0])
def test_gaussian_noise_on_a_grid_costs_hardly_any_delta(scale, mu, epsilon):
    """Gaussian on a grid, by summing the discrete distribution; smaller shifts are no worse."""
    shift = max(1, round(mu * scale))
    grid = np.arange(-40 * scale, 40 * scale + 1)
    p = np.exp(-((grid / scale) ** 2) / 2)
    p /= p.sum()

    def delta(by):
        return float(
            np.maximum(
                p - math.exp(epsilon) * np.exp(-(((grid + by) / scale) ** 2) / 2) / p_total, 0.0
            ).sum()
        )

    p_total = float(np.exp(-((grid / scale) ** 2) / 2).sum())
    continuous = gaussian_delta(shift / scale, epsilon)
    assert delta(shift) <= continuous + (0.05 * shift / scale + 0.061) / scale**2
    assert delta(shift) == pytest.approx(continuous, rel=0.06, abs=1e-12)
    assert delta(max(1, shift // 2)) <= delta(shift)


def play(learner, arm, value):
    values = learner.weights.values
    chance = (1.0 - learner.mixing) * values[arm] / values.sum() + learner.mixing / values.size
    learner.learn(Draw(arm, 1.0 / float(chance)), value)


def spread(one, other):
    return float(np.ptp(one.weights.logs - other.weights.logs))


@pytest.mark.parametrize("ratio", [1.0, 4.0])
@pytest.mark.parametrize("arms", [2, 3, 6])
def test_a_difference_never_grows_on_gains(ratio, arms):
    """Selection: random and adversarial histories of the real learner, up to rounding."""
    rng = np.random.default_rng(arms)
    for mixing in (0.05, 0.3, 0.9):
        rate = ratio * mixing / arms
        one, other = (
            Exp3Gain.start(arms=arms, mixing=mixing, learning_rate=rate) for _ in range(2)
        )
        for _ in range(int(rng.integers(0, 30))):
            arm, loss = int(rng.integers(arms)), float(rng.random())
            play(one, arm, loss)
            play(other, arm, loss)
        arm = int(rng.integers(arms))
        play(one, arm, 0.0)
        play(other, arm, 1.0)
        reach = spread(one, other)
        assert reach <= one.window(1.0) * (1 + 1e-9)
        for step in range(400):
            arm = int(rng.integers(arms)) if step % 3 else int(np.argmax(one.weights.logs))
            loss = float(rng.choice([0.0, 1.0, rng.random()]))
            play(one, arm, loss)
            play(other, arm, loss)
            now = spread(one, other)
            assert now <= reach * (1 + 1e-9) + 1e-12
            reach = min(reach, now) if now > 0.0 else reach


def largest_growth(ratio, mixing):
    """Search how much one play of the first of three arms can stretch the range of D."""
    worst = 0.0
    for pattern, gap, third in itertools.product(
        itertools.product((0.0, 1.0), repeat=3), (0.01, 0.5), (1e-12, 0.1, 0.5)
    ):
        difference = gap * np.array(pattern)
        if np.ptp(difference) == 0.0:
            continue
        for share in np.geomspace(1e-4, 0.99 - third, 300):
            q = np.array([share, 1.0 - share - third, third])
            tilted = q * np.exp(difference)
            chance, other = (
                (1.0 - mixing) * each[0] / each.sum() + mixing / 3.0 for each in (q, tilted)
            )
            moved = difference.copy()
            moved[0] += ratio * mixing / 3.0 * (1.0 / other - 1.0 / chance)
            worst = max(worst, np.ptp(moved) / np.ptp(difference))
    return worst


def test_four_is_where_growth_begins():
    assert largest_growth(1.0, 0.05) <= 1.0 + 1e-9
    assert largest_growth(4.0, 0.05) <= 1.0 + 1e-9
    assert largest_growth(4.5, 0.05) > 1.05


def test_on_losses_a_difference_explodes():
    one, other = (Exp3.start(arms=2, learning_rate=0.01, mixing=0.02) for _ in range(2))
    play(one, 1, 1.0)
    play(other, 1, 0.0)
    before = spread(one, other)
    for step in range(600):
        play(one, step % 2, 1.0)
        play(other, step % 2, 1.0)
    assert spread(one, other) > 20 * before


@pytest.mark.parametrize("window", [0.05, 0.5, 2.0])
def test_a_draw_within_a_window_is_concentrated(window):
    """Selection: Rényi divergences of random pairs with log-ratios within a window."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        arms = int(rng.integers(2, 6))
        p = rng.dirichlet(np.full(arms, 0.7))
        tilt = np.exp(window * rng.integers(0, 2, arms))
        q = p * tilt / (p * tilt).sum()
        for order in (1.01, 1.5, 2.0, 5.0, 30.0):
            divergence = math.log(np.sum(q**order * p ** (1 - order))) / (order - 1)
            assert divergence <= order * window**2 / 8 * (1 + 1e-9) + 1e-12


def test_the_last_incomplete_batch_counts_as_a_draw():
    assert selection_curve(1 / 42, -(-10_000 // 42), 1e-6).rho == pytest.approx(238 / (8 * 42**2))
