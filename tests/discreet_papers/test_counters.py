"""Running sums: releases follow the matrices, errors the formulas, and audits find the epsilon."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from common import in_full

from componentjit import arrays, compile_for
from discreet.auditing import attacked
from discreet.channels import RunningSum
from discreet.cli.commands import cli
from discreet.curves import GaussianNoise, Pure
from discreet.factorisations import (
    FACTORISATIONS,
    Buffered,
    Honaker,
    SquareRoot,
    Tree,
    buffered,
    lower_bound,
    reduction,
    square_root,
)
from discreet.mechanisms import CubeLaplace, Gaussian, Laplace, SphericalLaplace
from discreet.sets import Box, L2Ball
from discreet_papers.counters import COUNTERS, compare

SIZE = 3
CUBE = Box.cube(SIZE, -1.0, 1.0)


def short(kind, mechanism, prefixes, losses=CUBE, **options):
    return RunningSum.over(losses, mechanism, kind, prefixes=prefixes, **options)


def tree_noise(losses, *, prefixes, epsilon, delta, noise):
    return RunningSum.calibrated(
        losses, Tree, prefixes=prefixes, noise=noise, epsilon=epsilon, delta=delta
    ).noise


MAKERS = {name: partial(short, kind) for name, kind in FACTORISATIONS.items()} | {
    "padded": partial(short, Tree, padding=True)
}


def feed(channel, vectors, found, rng):
    for t in range(vectors.shape[0]):
        released = channel.offer(vectors[t], 1.0, rng)[1]
        for i in range(found.shape[1]):
            found[t, i] = released[i]


def released(channel, vectors, *, compiled=False, seed=1):
    found = np.empty(vectors.shape)
    (compile_for(feed, channel) if compiled else feed)(
        channel, vectors, found, np.random.default_rng(seed)
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 8, 64, 100, 129, 300])
def test_without_noise_every_prefix_sum_is_right(name, rounds):
    vectors = np.random.default_rng(rounds).uniform(-1.0, 1.0, (rounds, SIZE))
    found = released(MAKERS[name](Gaussian(0.0, 1e-6), rounds), vectors)
    assert found == pytest.approx(np.cumsum(vectors, axis=0), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_both_speeds_agree_and_nothing_allocates(name):
    vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (90, SIZE))
    plain, fast = MAKERS[name](Gaussian(1.0, 1e-6), 90), MAKERS[name](Gaussian(1.0, 1e-6), 90)
    assert np.array_equal(released(plain, vectors), released(fast, vectors, compiled=True))
    assert not compile_for(feed, fast).must_allocate


@pytest.mark.parametrize("name", MAKERS)
def test_after_the_last_prefix_nothing_is_released(name):
    channel = MAKERS[name](Gaussian(1.0, 1e-6), 5)
    rng = np.random.default_rng(1)
    ready = [channel.offer(np.ones(SIZE), 1.0, rng)[0] for _ in range(8)]
    assert ready == [True] * 5 + [False] * 3


@pytest.mark.parametrize("name", MAKERS)
def test_vectors_outside_the_set_are_brought_into_it(name):
    channel = MAKERS[name](Gaussian(0.0, 1e-6), 4)
    found = released(channel, np.array([[9.0, -9.0, 0.5], [math.inf, -math.inf, math.nan]]))
    assert found[1] == pytest.approx([2.0, -2.0, -0.5])


def noise_matrix(maker, rounds):
    """Return the variance of the noise in every prefix, by coordinate, measured on many copies."""
    copies = 20_000
    channel = maker(Gaussian(1.0, 1e-6), rounds, losses=Box.cube(copies, -1.0, 1.0))
    return (released(channel, np.zeros((rounds, copies)), compiled=True) ** 2).mean(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [16, 23])
def test_the_noise_of_factorisations_is_that_of_their_matrices(rounds):
    """Variances of 20,000 copies have a standard error of 1 %: 5 % is off once in a million."""
    square = square_root(rounds)
    assert noise_matrix(partial(short, SquareRoot), rounds) == pytest.approx(
        np.cumsum(square**2), rel=0.05
    )
    columns = np.tril(
        np.array(
            [
                [
                    buffered(rounds).coefficients(rounds)[i - j] if i >= j else 0.0
                    for j in range(rounds)
                ]
                for i in range(rounds)
            ]
        )
    )
    rows = np.tril(np.ones((rounds, rounds))) @ np.linalg.inv(columns)
    assert noise_matrix(partial(short, Buffered), rounds) == pytest.approx(
        (rows**2).sum(axis=1), rel=0.05
    )


def test_the_square_root_squared_is_the_matrix_of_prefix_sums():
    assert np.convolve(square_root(50), square_root(50))[:50] == pytest.approx(np.ones(50))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rounds", "tree_", "honaker", "root", "blt", "least"),
    [
        (2**10, (110, 55.0), (63.8, 31.9), (10.71, 9.67), (10.74, 9.69), 8.47),
        (2**14, (210, 105), (117.1, 58.5), (17.27, 15.94), (17.33, 15.99), 14.37),
        (2**18, (342, 171), (186.3, 93.1), (25.38, 23.78), (25.48, 23.86), 21.84),
    ],
)
def test_the_errors_are_those_of_the_table(rounds, tree_, honaker, root, blt, least):
    for kind, errors in ((Tree, tree_), (Honaker, honaker), (SquareRoot, root), (Buffered, blt)):
        assert kind.errors(rounds) == pytest.approx(errors, rel=2e-3)
    assert lower_bound(rounds) == pytest.approx(least, rel=2e-3)


@pytest.mark.parametrize(
    ("rounds", "restarts", "hybrid", "tapered"),
    [
        (2**10, (135, 74.11), (179, 81.06), (137.8, 65.69)),
        (2**14, (273, 158.0), (363, 169.1), (263.5, 130.2)),
        (2**18, (459, 273.9), (611, 289.0), (426.7, 214.6)),
    ],
)
def test_the_errors_for_an_unknown_horizon(rounds, restarts, hybrid, tapered):
    for name, errors in {"restarts": restarts, "hybrid": hybrid, "tapered": tapered}.items():
        assert compare(name, rounds).computed == pytest.approx(errors, rel=2e-3)
        assert compare(name, rounds).computed.largest <= 2.0 * Tree.errors(rounds).largest


def test_blt_has_a_tenth_of_the_tree_s_error():
    assert compare("blt", 2**14).computed.largest <= Tree.errors(2**14).largest / 10.0


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTERS)
def test_simulated_errors_are_the_computed_ones(name):
    """With 20,000 copies the mean is precise to 0.4 %, the largest to 1 %."""
    found = compare(name, 256, copies=20_000)
    assert found.simulated.mean == pytest.approx(found.computed.mean, rel=0.02)
    assert found.simulated.largest == pytest.approx(found.computed.largest, rel=0.05)


def test_the_reduction_is_the_best_linear_estimate():
    """Weighted least squares over a node and all below it, solved directly."""
    levels = 4
    leaves = 2 ** (levels - 1)
    rows = [
        [1.0 if j * 2**level <= leaf < (j + 1) * 2**level else 0.0 for leaf in range(leaves)]
        for level in range(levels)
        for j in range(leaves >> level)
    ]
    design = np.array(rows)
    covariance = np.linalg.inv(design.T @ design)
    assert reduction(levels)[-1] == pytest.approx(np.ones(leaves) @ covariance @ np.ones(leaves))


class TestGuarantee:
    @pytest.mark.parametrize("noise", ["laplace", "spherical", "cube", "gaussian"])
    @pytest.mark.parametrize("losses", [CUBE, L2Ball(4, 1.0)], ids=["cube", "ball"])
    def test_calibrated_noise_costs_what_was_asked(self, noise, losses):
        mechanism = tree_noise(losses, prefixes=1000, epsilon=0.5, delta=1e-6, noise=noise)
        promise = RunningSum.over(losses, mechanism, Tree, prefixes=1000).guarantee
        assert promise.epsilon == pytest.approx(0.5, rel=1e-9)
        assert promise.delta == (1e-6 if noise == "gaussian" else 0.0)
        assert isinstance(promise.curve, GaussianNoise if noise == "gaussian" else Pure), (
            "no more is proved of vectors"
        )

    def test_golden_scales(self):
        assert (
            tree_noise(
                Box.cube(3, 0.0, 1.0), prefixes=999, epsilon=1.0, delta=0.0, noise="laplace"
            ).scale
            == 30.0
        )
        sigma = tree_noise(
            L2Ball(5, 1.0), prefixes=999, epsilon=1.0, delta=1e-6, noise="gaussian"
        ).scale
        assert sigma == pytest.approx(26.719215, rel=1e-7)

    def test_fitted_noise_uses_its_own_norm(self):
        kinds = {
            "laplace": Laplace,
            "spherical": SphericalLaplace,
            "cube": CubeLaplace,
            "gaussian": Gaussian,
        }
        for noise, kind in kinds.items():
            assert isinstance(
                tree_noise(CUBE, prefixes=10, epsilon=1.0, delta=1e-6, noise=noise), kind
            )
        assert tree_noise(
            CUBE, prefixes=7, epsilon=1.0, delta=0.0, noise="cube"
        ).scale == pytest.approx(3 * 2.0)

    @pytest.mark.parametrize("kind", [Buffered, SquareRoot])
    def test_factorisations_cost_what_was_asked(self, kind):
        promise = RunningSum.calibrated(CUBE, kind, prefixes=100, epsilon=0.5, delta=1e-6).guarantee
        assert promise.epsilon == pytest.approx(0.5, rel=1e-9)

    def test_long_streams_need_hardly_more_memory(self):
        channels = (
            RunningSum.over(CUBE, Gaussian(1.0, 1e-6), SquareRoot, prefixes=2**e) for e in (10, 24)
        )
        short, long = (sum(array.nbytes for _, array in arrays(each)) for each in channels)
        assert short < long < 3 * short


LINE = Box([-1.0], [1.0])


def node_minimum(mechanism, prefixes, world, trials, series):
    """Release trees whose first loss is -1 or 1; return the largest node that contains round 1."""
    found = np.empty(trials)
    run = None
    for trial in range(trials):
        channel = RunningSum.over(LINE, mechanism, Tree, prefixes=prefixes)
        run = run or compile_for(first_nodes, channel)
        found[trial] = run(
            channel,
            2.0 * world - 1.0,
            prefixes,
            np.zeros(1),
            np.random.default_rng([world, series, trial]),
        )
    return found


def first_nodes(channel, first, prefixes, vector, rng):
    largest = -1e300
    node = 1
    for t in range(1, prefixes + 1):
        vector[0] = first if t == 1 else 0.0
        value = channel.offer(vector, 1.0, rng)[1][0]
        if t == node:
            largest = max(largest, value)
            node *= 2
    return largest


@pytest.mark.slow
@pytest.mark.long
def test_an_audit_of_the_laplace_tree_finds_its_epsilon_and_catches_the_paper_s_scale():
    """Four rounds, three nodes with round 1: all exceed the lower value with probability 1/8."""
    right = tree_noise(LINE, prefixes=4, epsilon=1.0, delta=0.0, noise="laplace")
    bound = attacked(partial(node_minimum, right, 4), 6_000, delta=0.0, gaussian=False)
    assert 0.6 < bound <= 1.0
    paper = Laplace(right.scale / 2.0)
    assert attacked(partial(node_minimum, paper, 4), 6_000, delta=0.0, gaussian=False) > 1.0


def column_statistic(kind, factor, world, trials, series):
    """Release C x + z along the first column: the optimal statistic of a Gaussian mechanism."""
    rounds = 8
    copies = trials
    losses = Box.cube(copies, -1.0, 1.0)
    unit = RunningSum.calibrated(LINE, kind, prefixes=rounds, epsilon=1.0, delta=1e-6)
    channel = RunningSum.over(
        losses, unit.noise._replace(scale=factor * unit.noise.scale), kind, prefixes=rounds
    )
    vectors = np.zeros((rounds, copies))
    vectors[0] = 2.0 * world - 1.0
    sums = released(channel, vectors, compiled=True, seed=[world, series])
    coefficients = (
        square_root(rounds) if kind is SquareRoot else buffered(rounds).coefficients(rounds)
    )
    matrix = np.array(
        [[coefficients[i - j] if i >= j else 0.0 for j in range(rounds)] for i in range(rounds)]
    )
    filtered = matrix @ np.diff(sums, axis=0, prepend=0.0)
    return coefficients @ filtered


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Buffered, in_full(SquareRoot)])
@pytest.mark.long
def test_audits_of_factorisations_are_tight_and_catch_a_tenth(kind):
    bound = attacked(partial(column_statistic, kind, 1.0), 400_000, delta=1e-6, gaussian=True)
    assert 0.9 < bound <= 1.0
    small = attacked(partial(column_statistic, kind, 0.9), 400_000, delta=1e-6, gaussian=True)
    assert small > 1.0


@pytest.mark.long
class TestTheCommand:
    def run(self, *words):
        return (
            CliRunner().invoke(cli, ["counters", "--quiet", *words], catch_exceptions=False).stdout
        )

    def test_it_prints_every_counter_and_the_bound(self):
        text = self.run("--horizon", "64")
        for name in (*COUNTERS, "lower bound, any factorisation"):
            assert name in text

    def test_json(self):
        rows = json.loads(self.run("--horizon", "64", "--copies", "600", "--json"))
        assert [row["counter"] for row in rows] == list(COUNTERS)
        assert {
            "rounds",
            "largest",
            "mean",
            "simulated_largest",
            "simulated_mean",
            "lower_bound",
        } <= set(rows[0])

    @pytest.mark.slow
    def test_it_draws(self, tmp_path):
        self.run("--horizon", "64", "--horizon", "128", "--output", str(tmp_path / "counters.png"))
        assert (tmp_path / "counters.png").stat().st_size > 10_000
