"""Algorithms on points for an unknown number of rounds, and which sums and noise are chosen."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from point_games import build, mean_regret

import componentjit
from discreet import DiscreetError, Range, Setting, algorithm
from discreet.checks import check_channel, check_private
from discreet.cli.commands import cli
from discreet.environments import LinearStochastic, environment
from discreet.factorisations import Buffered, Tree
from discreet.problems import Points

UNKNOWN = [
    pytest.param(name, delta, {}, id=f"{name}-{delta:g}")
    for name in ("private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube")
    for delta in (0.0, 1e-6)
] + [
    pytest.param("private-ftrl-experts", 1e-6, {"sums": sums}, id=sums)
    for sums in ("restarts", "hybrid", "tapered")
]
# unbounded sums are compiled in test_points, and restarts here; both on all sets by make full
UNKNOWN_COMPILED = [
    pytest.param(
        *case.values, id=case.id, marks=pytest.mark.full if case.id[-6:] == "-1e-06" else ()
    )
    for case in UNKNOWN
]


class TestAnUnknownHorizon:
    @pytest.mark.parametrize(("name", "delta", "options"), UNKNOWN)
    def test_nothing_but_the_bound_depends_on_the_number_of_rounds(self, name, delta, options):
        short, long = (
            algorithm(name).build(
                Setting(
                    algorithm(name).problem_with(dimension=3),
                    rounds=rounds,
                    epsilon=0.7,
                    delta=delta,
                    unknown_horizon=True,
                ),
                **options,
            )
            for rounds in (2, 10**7)
        )
        assert short.guarantee == long.guarantee
        assert short.guarantee.status == "proved"
        assert short.guarantee.epsilon == pytest.approx(0.7, rel=1e-9)
        assert short.parameters == long.parameters
        for (where, one), (_, two) in zip(
            componentjit.arrays(short.private), componentjit.arrays(long.private), strict=True
        ):
            np.testing.assert_array_equal(one, two, err_msg=str(where))
        assert repr(short.private) == repr(long.private)
        steady = delta > 0.0 and not options
        assert (long.regret_bound is not None) == steady
        assert short.regret_bound is None or short.regret_bound < long.regret_bound

    @pytest.mark.slow
    @pytest.mark.parametrize(("name", "delta", "options"), UNKNOWN_COMPILED)
    def test_no_raw_vector_reaches_the_learner_and_both_speeds_agree(self, name, delta, options):
        problem = algorithm(name).problem_with(dimension=3)
        private = (
            algorithm(name)
            .build(Setting(problem, delta=delta, unknown_horizon=True), **options)
            .private
        )
        check_private(private, environment("linear-stochastic", problem), quick=True)
        check_channel(private.channel, feedback=np.array([0.25, 0.5, 0.125]))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "world", ["linear-stochastic", "linear-alternating", "linear-drifting"]
    )
    @pytest.mark.parametrize(
        "name", ["ftrl-experts", "private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube"]
    )
    @pytest.mark.long
    def test_regret_is_below_the_bound_at_every_time(self, name, world):
        problem = algorithm(name).problem_with(dimension=5)
        for rounds in (1 << 6, 1 << 12):
            setting = Setting(problem, rounds=rounds, delta=1e-6, unknown_horizon=True)
            instance = algorithm(name).build(setting)
            game = environment(world, problem, rounds=rounds)
            assert mean_regret(instance.private, game, rounds) <= instance.regret_bound

    def test_exponential_weights_are_hedge(self):
        setting = Setting(Points("experts", 4), rounds=3000, unknown_horizon=True)
        one, other = (algorithm(name).build(setting) for name in ("ftrl-experts", "hedge"))
        assert one.regret_bound == pytest.approx(other.regret_bound)
        world = LinearStochastic("experts", 4, 0.1)
        found = [mean_regret(each.private, world, 3000, trials=1) for each in (one, other)]
        assert found[0] == pytest.approx(found[1], rel=1e-9)

    @pytest.mark.parametrize(
        ("name", "options", "complaint"),
        [
            (
                "private-ftpl",
                {},
                "rounds is unknown, but private-ftpl is tuned to it: give a number, or use one of",
            ),
            (
                "private-ftrl-experts",
                {"sums": "blt"},
                "sums is blt, whose noise depends on the number of rounds",
            ),
            (
                "private-ftrl-experts",
                {"padding": True},
                "padding is True, but a tree is padded to the number of rounds",
            ),
            (
                "private-ftrl-ball",
                {"calibration": "paper"},
                "unknown, but the noise of calibration='paper' depends on it",
            ),
        ],
    )
    def test_what_needs_a_number_is_refused(self, name, options, complaint):
        setting = Setting(
            algorithm(name).problem_with(dimension=3), delta=1e-6, unknown_horizon=True
        )
        with pytest.raises(DiscreetError, match=complaint):
            algorithm(name).build(setting, **options)

    def test_no_bound_is_stated_for_rounds_that_sums_do_not_last_for(self):
        build, problem = algorithm("private-ftrl-experts").build, Points("experts", 2**16)
        longest = Setting(problem, rounds=2**24 + 1, delta=1e-6, unknown_horizon=True)
        assert build(longest).private.channel.max_rounds() == 2**24
        with pytest.raises(
            DiscreetError, match=r"rounds is 16,777,218, but .* allow at most 16,777,217\."
        ):
            build(replace(longest, rounds=2**24 + 2))

    def test_commands_take_it(self):
        told = CliRunner().invoke(
            cli, ["describe", "private-ftrl-ball", "--rounds", "unknown:5000", "--delta", "1e-6"]
        )
        assert "an unknown number of rounds (the bound is for 5,000)" in " ".join(
            told.output.split()
        )
        words = [
            "simulate",
            "private-ftrl-experts",
            "hedge",
            "--rounds",
            "unknown:300",
            "--delta",
            "1e-6",
            "--json",
        ]
        rows = json.loads(CliRunner().invoke(cli, [*words, "--trials", "2", "--quiet"]).output)[
            "results"
        ]
        assert len(rows) == 2
        refused = CliRunner().invoke(cli, ["describe", "hedge", "--rounds", "some"])
        assert "'some' is not a number of rounds, 'unknown' or 'unknown:N'" in " ".join(
            refused.output.split()
        )


class TestTheChoice:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name", ["private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube", "private-ftpl"]
    )
    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    @pytest.mark.parametrize("dimension", [2, 50])
    def test_nothing_that_can_be_chosen_has_a_better_proof(self, name, delta, dimension):
        setting = Setting(
            algorithm(name).problem_with(dimension=dimension), rounds=1 << 14, delta=delta
        )
        # which is given after the choice
        fixed = {} if name == "private-ftpl" else {"head_start": 0.0}
        best = algorithm(name).build(setting, **fixed).regret_bound
        for sums in ("tree", "honaker", "blt"):
            for noise in ("laplace", "spherical", "cube", "gaussian"):
                for padding in (None, True, False):
                    try:
                        other = algorithm(name).build(
                            setting, sums=sums, noise=noise, padding=padding, **fixed
                        )
                    except DiscreetError:
                        continue
                    assert other.regret_bound is None or best <= other.regret_bound * (1.0 + 1e-12)

    def test_pure_noise_is_fitted_to_the_losses(self):
        found = {
            name: build(name, {}, dimension=20, rounds=10_000).private.channel.noise_scales[0].kind
            for name in ("private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube")
        }
        assert found == {
            "private-ftrl-experts": "cube laplace",
            "private-ftrl-ball": "spherical laplace",
            "private-ftrl-cube": "laplace",
        }

    def test_who_asks_for_padding_gets_a_tree(self):
        for padding in (True, False):
            found = build("private-ftrl-cube", {"padding": padding}, delta=1e-6).private.channel
            assert type(found.factorisation) is Tree
            assert found.factorisation.padding == padding

    def test_with_a_delta_buffers_are_chosen_and_without_one_a_tree(self):
        for delta, kind in ((0.0, Tree), (1e-6, Buffered)):
            for epsilon in (
                1.0,
                30.0,
            ):  # where noise costs little, a head start costs more, and is no reason for a tree
                setting = Setting(
                    Points("experts", 10), rounds=1 << 18, delta=delta, epsilon=epsilon
                )
                found = algorithm("private-ftrl-experts").build(setting)
                assert type(found.private.channel.factorisation) is kind

    @pytest.mark.parametrize(
        ("options", "delta", "complaint"),
        [
            ({"sums": "blt"}, 0.0, "sums is blt, whose noise is Gaussian, but delta is 0"),
            ({"sums": "sqrt-toeplitz"}, 0.0, "sums is sqrt-toeplitz, whose noise is Gaussian"),
            (
                {"sums": "blt", "noise": "laplace"},
                1e-6,
                "noise is laplace, but sums=blt is proved for gaussian noise only",
            ),
            ({"noise": "gaussian"}, 0.0, "noise is gaussian, but delta is 0"),
            (
                {"sums": "honaker", "padding": True},
                0.0,
                "padding is True, but is for sums=tree only, and sums is honaker",
            ),
            (
                {"sums": "bush"},
                0.0,
                "sums is 'bush', but must be one of tree, honaker, sqrt-toeplitz, blt",
            ),
            (
                {"calibration": "paper", "sums": "blt"},
                1e-6,
                "calibration='paper' fixes a padded tree",
            ),
            (
                {"learning_rate": 0.0},
                0.0,
                "learning_rate is 0.0, but must be a finite number above 0",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, options, delta, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            algorithm("private-ftrl-experts").build(
                Setting(Points("experts"), delta=delta), **options
            )

    def test_low_says_nothing_about_a_ball(self):
        with pytest.raises(DiscreetError, match="for points of the ball only high matters"):
            build("ftrl-ball", {}, bounds=Range(0.2, 1.0))

    def test_the_paper_s_noise_has_the_guarantee_that_it_really_has(self):
        paper = build(
            "private-ftrl-experts", {"calibration": "paper"}, rounds=1024, bounds=Range(-1.0, 1.0)
        )
        assert paper.guarantee.epsilon == pytest.approx(2.0, rel=1e-9)
        odd = build(
            "private-ftrl-experts", {"calibration": "paper"}, rounds=1025, bounds=Range(-1.0, 1.0)
        )
        assert odd.guarantee.epsilon == pytest.approx(2.0 * 11 / math.log2(1025), rel=1e-9)
        gaussian = build("private-ftrl-ball", {"calibration": "paper"}, rounds=1024, delta=1e-6)
        assert gaussian.guarantee.epsilon < 0.3
