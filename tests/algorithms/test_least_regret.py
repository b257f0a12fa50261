"""The table of least regret: its script on tiny games, and the page that it wrote."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from discreet import Advisor

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield importlib.import_module("least_regret")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split(" | "))


def test_the_page_has_the_rows_that_the_script_makes(script):
    text = (ROOT / "docs" / "least-regret.md").read_text(encoding="utf-8")
    table = [cells(line) for line in text.splitlines() if line.startswith("| ")]
    assert table[0] == script.COLUMNS
    plan = [
        (game.title, f"{rounds:,}", f"{epsilon:g}")
        for game in script.GAMES
        for rounds in game.rounds
        for epsilon in script.EPSILONS
    ]
    assert [row[:3] for row in table[1 : len(plan) + 1]] == plan
    assert all(len(row) == len(script.COLUMNS) for row in table[: len(plan) + 1])
    second = table[len(plan) + 1 :]
    bounds = script.context_bounds
    assert second[0] == bounds.COLUMNS
    assert len(second) == 1 + len(bounds.PROOFS) * len(bounds.FEATURES) * len(bounds.EPSILONS)
    assert text.startswith(script.HEAD.format(trials=96)), "run benchmarks/least_regret.py"


def test_games_cover_what_was_promised(script):
    arms = [game for game in script.GAMES if type(game.problem).__name__ == "Arms"][:5]
    assert len({game.title for game in arms}) == 5
    assert all(len(game.rounds) == 3 for game in arms)
    assert len(script.EPSILONS) == 3
    kinds = {type(game.problem).__name__ for game in script.GAMES}
    assert kinds == {"Arms", "Advice", "Points", "Contexts"}


def test_a_row_has_regret_and_bounds(script):
    pair = next(game for game in script.GAMES if game.has_lower_bound)
    (work,) = script.works(trials=2, seed=1, games=[pair._replace(rounds=(200,))], epsilons=(1.0,))
    (row,) = script.rows(work)
    assert len(row) == len(script.COLUMNS)
    assert row[:4] == ("drop and drop-alternate", "200", "1", "`one-bit-tsallis-inf`")
    assert row[7] == "1.7"
    assert float(row[8].split(",")[0]) < 200
    lines = list(script.lines([row]))
    assert cells(lines[0]) == script.COLUMNS
    assert cells(lines[2]) == row


def test_a_vacuous_bound_is_called_so(script):
    setting = script.Setting(script.Arms(4), rounds=100)
    assert script.proved_bound(80.0, setting) == "80, vacuous"
    assert script.proved_bound(70.0, setting) == "70"
    assert script.proved_bound(None, setting) == "–"


def test_where_a_bound_begins_to_say_something(script):
    bounds = script.context_bounds
    proof = bounds.PROOFS[0]
    found = list(bounds.lines((proof._replace(guess=14),), (2,), (1.0,)))
    assert found[-1] == "| `joint-linucb` | 2 | 1 | 0.33 | 2^14 |"


def test_an_advisor_follows_experts_as_a_bandit_plays_arms():
    mine = Advisor(arms=3, experts=8, horizon=100_000, epsilon=1.0, simulation=True, seed=1)
    assert type(mine.plan.private.learner.learner).__name__ == "GuardedUcb"
    other = Advisor(
        arms=3, experts=8, horizon=1000, epsilon=1.0, base="batched-htinf", simulation=True, seed=1
    )
    assert type(other.plan.private.learner.learner).__name__ == "Htinf"
