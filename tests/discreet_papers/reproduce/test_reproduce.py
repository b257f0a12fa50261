"""The papers' figures and tables, on a small scale: files, numbers, and what must come out."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace

import pytest
from common import in_full

from discreet import DiscreetError, simulate
from discreet.problems import Arms
from discreet.simulation import Interval
from discreet_papers.reproduce import reproduction, reproductions
from discreet_papers.reproduce.faster_rates_figure_1 import ForcedGame, force_game
from discreet_papers.reproduce.faster_rates_table_1 import format_power
from discreet_papers.reproduce.fitting import choose_lengths, fit_slope, half_width
from discreet_papers.reproduce.games import (
    Entrant,
    SweepGame,
    play_game,
    play_games,
    split_progress,
)
from discreet_papers.reproduce.price_of_privacy import OURS, describe, private_names
from discreet_papers.reproduce.registry import Findings, Reproduction, SweepPlan
from discreet_papers.reproduce.tossou_figure_1 import ADVERSARIES, paper_batch, paper_epsilon
from discreet_papers.reproduce.zheng_table_1_contextual import sweep as contextual_sweep

TABLES = {"ene-theorem-1", "zheng-table-1", "agarwal-singh-table-2", "slates"}  # of rates
SMALL = {
    "tossou-figure-1": {"trials": 4, "rounds": 4096},
    "faster-rates-figure-1": {"rounds": 150_000},
    "faster-rates-lemma-15": {"trials": 2, "rounds": 4096},
    "faster-rates-table-1": {"trials": 2, "rounds": 2**12},
    "price-of-privacy": {"trials": 2, "rounds": 4096},
    "privacy-models": {"trials": 2, "rounds": 2048},
    "zheng-theorem-12": {"trials": 3, "rounds": 20_000},
    "zheng-table-1-contextual": {"trials": 2, "rounds": 2**11},
    "noise-in-the-local-model": {"trials": 2, "rounds": 100},
}
MANY_LOOPS = {"zheng-table-1-contextual", "privacy-models"}  # compiling them takes ten seconds


def test_every_reproduction_is_tried():
    elsewhere = {
        "agarwal-singh-table-1",
        "agarwal-singh-privacy-for-free",
        "faster-rates-table-1-experts",
        *TABLES,
    }
    assert set(SMALL) | elsewhere == set(reproductions()), (
        "others are in test_leaders, test_faster_rates_table_1_experts and test_rate_tables"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [in_full(name) if name in MANY_LOOPS else name for name in SMALL])
@pytest.mark.long
def test_pictures_and_tables_are_written(name, tmp_path):
    said = reproduction(name).run(tmp_path, **SMALL[name])
    pictures, tables = sorted(tmp_path.glob("*.png")), sorted(tmp_path.glob("*.csv"))
    assert pictures
    assert tables
    for table in tables:
        rows = list(csv.DictReader(table.read_text().splitlines()))
        assert len(rows) > 3
        assert all(None not in row.values() for row in rows)
        assert not any("nan" in row.values() for row in rows)
        if "trials" in SMALL[name]:
            assert {row["trials"] for row in rows} == {str(SMALL[name]["trials"])}
        if "regret_mean" in rows[0]:
            assert all(
                float(row["regret_low"]) <= float(row["regret_mean"]) <= float(row["regret_high"])
                for row in rows
            )
    assert len(said) > 40
    assert not re.search(r"\bnan\b", said)


def test_contextual_games_are_as_long_as_asked_for():
    for rounds in (1000, 2**12, 32_768, 2**18, 2**19):
        games = contextual_sweep(rounds)
        assert max(game.rounds for game in games) == rounds
        assert {game.environment for game in games if game.rounds == rounds} == {
            "contexts-gaussian",
            "contexts-logistic",
        }
    players = {(p.algorithm, p.options) for game in games for p in game.players}
    assert ("local-glm", (("calibration", "paper"),)) in players
    assert ("local-glm", (("constants", "theory"),)) in players


def test_the_paper_s_epsilon_is_243():
    assert paper_epsilon(2**18) == pytest.approx(243.3, abs=0.05)
    assert paper_batch(2**18) == 19


def test_losses_leak_and_gains_do_not():
    one, two = (force_game(ForcedGame("losses", neighbour, 400_000)) for neighbour in (False, True))
    assert one[-1] > 0.99
    assert two[-1] < 0.01
    one, two = (force_game(ForcedGame("gains", neighbour, 400_000)) for neighbour in (False, True))
    assert abs(one - two).max() < 1e-4


def test_every_private_algorithm_has_its_price():
    assert {"dp-exp3-lap", "exp3-tau", "batched-exp3", "batched-htinf", "batched-ftpl"} <= set(
        private_names()
    )
    assert not {"uniform", "exp3", "tsallis-inf"} & set(private_names())


def price(algorithm, epsilon, mean, half=1.0):
    return {
        "algorithm": algorithm,
        "epsilon": epsilon,
        "regret_mean": mean,
        "regret_low": mean - half,
        "regret_high": mean + half,
    }


def test_the_price_of_privacy_is_told_in_sentences_that_mean_something():
    offers = [
        price("a", 0.001, 100.0),
        price("a", 0.1, 60.0),
        price("b", 0.1, 50.0),
        price("a", 1.0, 20.0),
    ]
    assert describe(offers, "exp3", 10.0, 90.0) == [
        "Without privacy the smallest regret is 10 (exp3).",
        "At ε = 1 it is 20, 2 times that (a).",
        "At ε = 0.1 it is 50, 5 times that (b).",
        "Below ε = 0.1 no private algorithm is surely better than uniform play (90) in games "
        "this long.",
    ]
    assert describe(offers, "exp3", 10.0, 102.0)[-1].startswith(
        "Even at ε = 0.001 one is surely better"
    )
    assert describe(offers, "exp3", 10.0, 20.0)[-1].startswith(
        "Up to ε = 10 no private algorithm is surely better"
    )
    assert "times" not in describe(offers, "exp3", -1.0, 90.0)[1]
    ours = [*offers, price("tracking-ucb", 1.0, 12.0)]
    told = (
        "At ε = 1 it is 12, 1.2 times that (tracking-ucb); the best published algorithm has 20 (a)."
    )
    assert describe(ours, "exp3", 10.0, 90.0)[1] == told


def test_ours_are_among_the_private_ones():
    assert set(OURS) < set(private_names())


def test_where_nothing_is_proved_no_number_is_made_up():
    assert format_power("T", 0.21, math.nan) == "T^0.21 (bound: none is proved)"
    assert format_power("T", math.nan, 0.5) == "T^? (bound: 0.5)"


@pytest.mark.slow
@pytest.mark.parametrize("name", reproductions())
@pytest.mark.long
def test_a_sweep_is_data(name):
    """Immutable, and the same every time: one can read, compare and count it without playing."""
    games = reproduction(name).sweep(2**12)
    assert games == reproduction(name).sweep(2**12)
    assert len(set(games)) == len(games), "no game is played twice"
    for game in games:
        assert game.rounds <= 2**12
        if isinstance(game, SweepGame):
            assert len(set(game.players)) == len(game.players)


def test_everybody_meets_all_adversaries_of_tossou():
    games = reproduction("tossou-figure-1").sweep(2**12)
    assert [game.environment for game in games] == list(ADVERSARIES)
    assert len({game.players for game in games}) == 1


GAME = SweepGame(
    part="two",
    environment="stochastic",
    problem=Arms(3),
    rounds=500,
    players=(
        Entrant(algorithm="exp3"),
        Entrant(algorithm="batched-exp3", epsilon=0.5),
        Entrant(algorithm="exp3", role="x"),
    ),
)


def test_a_game_is_played_as_simulate_plays_it():
    played = play_game(GAME, SweepPlan(trials=3, rounds=500, seed=4))
    ordinary, private, again = GAME.players
    results = simulate(["exp3", "batched-exp3"], arms=3, rounds=500, trials=3, epsilon=0.5, seed=4)
    assert (
        played.regret(ordinary).tolist()
        == results.regret[0, :, -1].tolist()
        == played.regret(again).tolist()
    )
    assert played.regret(private).tolist() == results.regret[1, :, -1].tolist()
    assert played.contender(private).private.guarantee.epsilon == 0.5
    assert played.trials == 3


def test_players_that_come_to_the_same_play_once():
    # it has no use for a delta
    twins = tuple(Entrant(algorithm="exp3", delta=delta) for delta in (0.0, 0.1))
    played = play_game(replace(GAME, players=twins), SweepPlan(trials=2, rounds=500))
    assert len(played.results.contenders) == 1
    assert played.places == dict.fromkeys(twins, 0)


def test_neighbours_in_a_part_share_a_progress_bar():
    announced, seen = [], []

    def step(part):
        announced.append(part)
        return lambda done, asked: seen.append((done, asked))

    alone = replace(GAME, part="one")
    play_games([alone, GAME, replace(GAME, rounds=600)], SweepPlan(trials=1, rounds=500, step=step))
    assert announced == ["one", "two"]
    assert list(dict.fromkeys(seen)) == [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]


def test_progress_goes_on_from_game_to_game():
    seen = []
    for show in split_progress(lambda done, asked: seen.append((done, asked)), 2):
        show(0, 5)
        show(5, 5)
    assert seen == [(0, 10), (5, 10), (5, 10), (10, 10)]


def test_trials_that_did_not_run_are_never_drawn(tmp_path):
    """After an interrupt simulate can return fewer trials; a reproduction must stop."""

    def interrupt(done, asked):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduction("tossou-figure-1").run(
            tmp_path, trials=3, rounds=200, step=lambda _: interrupt
        )
    assert not list(tmp_path.iterdir())


def test_slopes_and_names():
    assert fit_slope([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]) == pytest.approx(1.0)
    assert math.isnan(fit_slope([1.0, 2.0], [1.0, -1.0]))
    assert choose_lengths(2**11, count=6, shortest=2**10) == [2**9, 2**11]
    assert half_width(Interval(2.0, 1.5, 2.5)) == 0.5
    assert half_width(Interval(2.0, math.nan, math.nan)) == 0.0
    with pytest.raises(DiscreetError, match="did you mean 'tossou-figure-1'"):
        reproduction("tossou-figure")
    with pytest.raises(DiscreetError, match="trials is 0"):
        reproduction("price-of-privacy").run(None, trials=0)


def test_a_reproduction_is_played_where_it_is_told(tmp_path):
    plans = []
    empty = Reproduction(
        name="empty",
        title="nothing",
        trials=1,
        rounds=100,
        sweep=lambda rounds: (),
        play=lambda cells, plan: plans.append(plan),
        analyse=lambda played: Findings(tables={}, text="said"),
        draw=lambda found: {},
    )
    assert empty.run(tmp_path, on="ray") == empty.run(tmp_path) == "said"
    assert [repr(plan.on)[:7] for plan in plans] == ["RayClus", "Threads"]
