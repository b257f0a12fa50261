"""Full information on a small scale: files, exponents, and what old and new leaders pay."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from discreet.algorithms import Setting
from discreet.problems import Points
from discreet.simulation import Interval
from discreet_papers.reproduce import reproduction
from discreet_papers.reproduce.agarwal_singh_privacy_for_free import COUNTERS, LEVEL, find_threshold
from discreet_papers.reproduce.agarwal_singh_table_1 import (
    PERTURBED,
    POINTS,
    PRIVATE,
    SIZES,
    lengths_in,
)
from discreet_papers.reproduce.games import make_contender, play_games
from discreet_papers.reproduce.leaders import (
    BLT,
    OLD,
    OPEN,
    TREE,
    LeaderCell,
    build_ftal,
    choose_gaps,
    leader_cells,
    leader_games,
    old_leader,
    open_leader,
    tree_leader,
    worst_regret,
)
from discreet_papers.reproduce.registry import SweepPlan


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.full
def test_table_one_writes_every_cell_and_finite_exponents(tmp_path):
    said = reproduction("agarwal-singh-table-1").run(tmp_path, trials=2, rounds=2**10)
    assert (tmp_path / "agarwal-singh-table-1.png").stat().st_size > 10_000
    rows = rows_of(tmp_path / "agarwal-singh-table-1.csv")
    leader_games = sum(
        len(choose_gaps(points, rounds))
        for points in POINTS
        for size in SIZES
        for rounds in lengths_in(2**10, size)
    )
    assert len(rows) == leader_games * (2 + 3 * (1 + len(PRIVATE)))
    assert {(row["points"], int(row["N"])) for row in rows} == {
        (points, size) for points in POINTS for size in SIZES
    }
    assert all(math.isfinite(float(row["regret_mean"])) for row in rows)
    assert all(float(row["added_mean"]) == 0.0 for row in rows if row["approach"] == OPEN)
    # FTAL has none that is proved
    assert all(row["regret_bound"] for row in rows if row["approach"] != OLD)
    assert {float(row["delta"]) for row in rows if row["approach"] == TREE} == {0.0}
    assert {float(row["delta"]) for row in rows if row["approach"] in (BLT, PERTURBED[1])} == {1e-6}
    fits = rows_of(tmp_path / "agarwal-singh-table-1-exponents.csv")
    assert {fit["approach"] for fit in fits} == {OPEN, *PRIVATE, *PERTURBED}
    assert all(math.isfinite(float(fit["exponent_of_regret"])) for fit in fits)
    for word in (
        "from memory, not proved",
        "Without a gap",
        "what the old approach adds 1/2",
        "privacy lowered regret",
    ):
        assert word in said


@pytest.mark.long
def test_privacy_for_free_has_all_counters_and_says_what_was_measured(tmp_path):
    said = reproduction("agarwal-singh-privacy-for-free").run(tmp_path, trials=2, rounds=2**11)
    assert (tmp_path / "agarwal-singh-privacy-for-free.png").stat().st_size > 10_000
    rows = rows_of(tmp_path / "agarwal-singh-privacy-for-free.csv")
    assert [float(row["ratio"]) for row in rows if row["approach"] == OPEN] == [1.0, 1.0]
    for approach in (
        TREE,
        BLT,
    ):  # from blind play, which loses most of what there is to lose, to almost none
        mine = [row for row in rows if row["approach"] == approach and row["T"] == "2048"]
        assert float(mine[0]["ratio"]) > 10.0 > LEVEL > float(mine[-1]["ratio"])
    found = rows_of(tmp_path / "agarwal-singh-privacy-for-free-thresholds.csv")
    assert all(0.0 < float(row["epsilon"]) < 30.0 for row in found)
    assert all(0.0 < float(row["epsilon_of_bounds"]) < 30.0 for row in found)
    counters = rows_of(tmp_path / "agarwal-singh-privacy-for-free-counters.csv")
    for gap in ("0.1", "0.01"):
        assert [row["counter"] for row in counters if row["gap"] == gap] == [OPEN, *COUNTERS]
    assert all(math.isfinite(float(row["ratio"])) for row in counters)
    for word in (
        "is about bounds",
        "times sqrt(T)",
        "1.5 times",
        "without logarithms T^-0.50",
        "sqrt-toeplitz",
    ):
        assert word in said


@pytest.mark.slow
@pytest.mark.parametrize("points", POINTS)
@pytest.mark.long
def test_the_new_leaders_pay_less_for_privacy_than_the_old_one(points):
    """The seed is fixed, and threads change nothing, so this cannot flake.

    Over seeds 1 to 8 the new upper end was 0.12 to 0.15 times the old lower end for experts and the
    cube, and 0.50 to 0.57 times it for the ball: what the bound below allows is far outside of what
    other seeds give.
    """
    rounds = 2**15
    players = [open_leader(points), old_leader(1.0), tree_leader(points, 1.0)]
    played = play_games(
        leader_games("all", points, 10, rounds, players), SweepPlan(trials=4, rounds=rounds, seed=1)
    )
    found = [cell for each in played for cell in leader_cells(each)]
    _, old = worst_regret(found, (OLD, 1.0))
    _, new = worst_regret(found, (TREE, 1.0))
    assert new.high < 0.75 * old.low
    assert all(
        make_contender(played[0].game, player).private.guarantee.epsilon <= 1.0
        for player in players[1:]
    )


def test_the_old_ridge_is_that_of_its_bound():
    """It minimises n G² (ln T)^2.5 / (ε h) + T h r² / 2, the bound if h r is small beside G."""
    setting = Setting(Points("cube", 10), rounds=2**14, epsilon=0.5)
    sets = setting.problem.sets(setting.bounds)
    (game, *_) = leader_games("all", "cube", 10, 2**14, [old_leader(0.5)])
    found = build_ftal(game, setting).private.learner.ridge
    ridges = found * np.geomspace(0.5, 2.0, 101)
    bounds = (
        10 * sets.norm**2 * math.log(2**14) ** 2.5 / (0.5 * ridges)
        + 2**14 * ridges * sets.radius**2 / 2.0
    )
    assert int(np.argmin(bounds)) == 50


def test_the_worst_gap_counts_for_each_column_by_itself():
    who = ("someone", 1.0)
    leader_cells = [
        LeaderCell(who, 0.1, Interval(5.0, 4.0, 6.0), Interval(1.0, 0.0, 2.0), None),
        LeaderCell(who, 0.2, Interval(4.0, 3.0, 5.0), Interval(3.0, 2.0, 4.0), None),
    ]
    assert worst_regret(leader_cells, who) == (leader_cells[0].regret, leader_cells[1].extra)


def test_gaps_and_lengths():
    assert choose_gaps("experts", 2**10) == [1 / 16, 0.5]
    assert choose_gaps("ball", 2**20) == [2 / 1024, 16 / 1024, 128 / 1024]
    assert lengths_in(2**20, 10) == [2**k for k in range(10, 21, 2)]
    assert lengths_in(2**20, 100)[-1] == 2**16
    assert lengths_in(2**11, 2) == [2**9, 2**11]


def test_the_threshold_is_the_last_crossing():
    assert find_threshold([1.0, 2.0, 4.0, 8.0], [9.0, 1.0, 6.0, 1.5 / 4]) == pytest.approx(
        8.0 / 2 ** (1 - 0.5)
    )
    assert math.isnan(find_threshold([1.0, 2.0], [9.0, 2.0]))  # still costs at the largest
    assert math.isnan(find_threshold([1.0, 2.0], [1.2, 1.1]))  # costs nothing anywhere
