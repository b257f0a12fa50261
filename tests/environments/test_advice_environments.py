"""Environments with expert advice: definitions, tables and files, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from discreet import DiscreetError, list_algorithms, simulate
from discreet.checks import CheckFailed, check_environment
from discreet.environments import (
    AdviceAdversarial,
    AdviceContextual,
    AdviceRandom,
    AdviceTable,
    Table,
    environment,
    environment_names,
    read_advice,
)
from discreet.problems import Advice

NAMES = list(list_algorithms(Advice))
WORLDS = [name for name in environment_names(Advice) if name != "table"]


class TestEnvironments:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", WORLDS)
    @pytest.mark.parametrize(("arms", "experts"), [(2, 2), (5, 9)])
    def test_the_contract(self, name, arms, experts):
        check_environment(environment(name, arms=arms, experts=experts, rounds=60))

    def test_the_contract_of_tables(self):
        rng = np.random.default_rng(0)
        losses = Table(rng.random((60, 3)))
        check_environment(AdviceTable.of(losses, rng.dirichlet(np.ones(3), (60, 4))))
        check_environment(AdviceTable.of(losses, rng.dirichlet(np.ones(3), 4)))

    def test_the_contract_check_finds_bad_advice(self):
        class Wrong(AdviceTable):
            def deal(self, start, stop, rng):
                game = AdviceTable.deal(self, start, stop, rng)
                return game._replace(table=game.table * 0.9)

        good = AdviceTable.of(Table(np.full((60, 2), 0.5)), np.full((3, 2), 0.5))
        with pytest.raises(CheckFailed, match="round 1 must consist of distributions"):
            check_environment(Wrong(*good))

    @pytest.mark.parametrize(
        "make", [AdviceRandom, AdviceContextual, lambda k, n: AdviceAdversarial(k, n, 40_000)]
    )
    def test_the_good_arm_loses_less_often_and_the_first_expert_knows_it(self, make):
        """20,000 rounds: standard errors are 0.0033 for 0.3 and 0.002 for 0.6; five are allowed."""
        game = make(4, 6).deal(0, 40_000, np.random.default_rng(3))
        advice = game.table[game.which[:20_000], :, 0]
        named = advice.argmax(axis=1)
        found = game.losses[np.arange(20_000), named].mean()
        assert found == pytest.approx(0.3, abs=0.0175)
        others = game.losses[:20_000].sum(axis=1).mean() - found
        assert others / 3.0 == pytest.approx(0.6, abs=0.0125)
        totals = game.totals([0])[0]
        assert totals.argmin() == 0

    def test_who_knows_switches_four_times(self):
        game = AdviceAdversarial(3, 8, 8000).deal(0, 8000, np.random.default_rng(1))
        fourths = game.totals([0, 2000, 4000, 6000])
        for phase, row in enumerate(fourths):
            knowing = {
                expert for expert in range(8) if expert % 4 == phase or (expert == 0 and phase < 3)
            }
            assert set(np.flatnonzero(row < row.mean())) == knowing

    def test_following_draws_from_the_advice(self):
        """A chi-squared test, fixed seed; on fresh seeds a false alarm once in 1,000 runs."""
        table = AdviceTable.of(
            Table(np.zeros((30_000, 3))), np.array([[0.2, 0.5, 0.3], [0.0, 0.0, 1.0]])
        )
        game = table.deal(0, 30_000, np.random.default_rng(4)).followed()
        drawn = np.bincount([game.carried_out(t, 0) for t in range(30_000)], minlength=3)
        assert stats.chisquare(drawn, 30_000 * np.array([0.2, 0.5, 0.3])).pvalue > 1e-3
        assert {game.carried_out(t, 1) for t in range(100)} == {2}

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            (
                lambda a: a.__setitem__((2, 1, 0), 0.9),
                r"round 3, expert 2: the advice adds up to 1\.4",
            ),
            (
                lambda a: a.__setitem__((0, 2), [-0.5, 1.5]),
                r"round 1, expert 3: the advice has -0\.5 in it",
            ),
            (
                lambda a: a.__setitem__((3, 0, 1), math.nan),
                "round 4, expert 1: the advice has nan in it",
            ),
            (
                lambda a: a.__setitem__((1, 0), [math.inf, 0.0]),
                "round 2, expert 1: the advice adds up to inf",
            ),
        ],
    )
    def test_bad_advice_is_refused_with_its_place(self, change, complaint, tmp_path):
        advice = np.full((4, 3, 2), 0.5)
        change(advice)
        np.save(tmp_path / "advice.npy", advice)
        np.save(tmp_path / "losses.npy", np.zeros((4, 2)))
        with pytest.raises(DiscreetError, match=complaint):
            read_advice(Table(np.zeros((4, 2))), tmp_path / "advice.npy")
        with pytest.raises(DiscreetError, match=complaint):
            simulate(
                "exp4",
                environment="table",
                losses=tmp_path / "losses.npy",
                advice=tmp_path / "advice.npy",
                trials=1,
            )

    @pytest.mark.parametrize(
        ("advice", "complaint"),
        [
            (np.zeros(3), r"advice has the shape \(3,\)"),
            (np.full((3, 2), "x"), "advice has the shape"),
            (np.full((5, 3, 2), 0.5), "advice has 5 rounds, but the losses have 4"),
            (np.full((4, 3, 4), 0.25), "advice is for 4 arms, but the losses have 2 columns"),
        ],
    )
    def test_advice_of_another_shape_is_refused(self, advice, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            AdviceTable.of(Table(np.zeros((4, 2))), advice)

    def test_files_that_are_none_are_refused(self, tmp_path):
        (tmp_path / "text.npy").write_text("hello")
        with pytest.raises(DiscreetError, match="is not an NPY file"):
            read_advice(Table(np.zeros((4, 2))), tmp_path / "text.npy")
        with pytest.raises(DiscreetError, match="cannot be read"):
            read_advice(Table(np.zeros((4, 2))), tmp_path / "nothing.npy")

    @pytest.mark.slow
    def test_a_table_is_played_as_it_is(self, tmp_path):
        rng = np.random.default_rng(0)
        losses, advice = rng.random((300, 3)), rng.dirichlet(np.ones(3), (300, 5))
        np.save(tmp_path / "losses.npy", losses)
        np.save(tmp_path / "advice.npy", advice)
        found = simulate(
            NAMES,
            environment="table",
            losses=tmp_path / "losses.npy",
            advice=tmp_path / "advice.npy",
            trials=2,
            seed=1,
        )
        assert found.problem.experts == 5
        best = np.einsum("tja,ta->j", advice, losses).min()
        assert found.loss[:, :, -1] - found.regret[:, :, -1] == pytest.approx(
            np.full((len(NAMES), 2), best)
        )
