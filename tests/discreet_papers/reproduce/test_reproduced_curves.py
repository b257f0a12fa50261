"""Reproductions in formats for print, and their curves as tables."""

from __future__ import annotations

import csv

import pytest

from discreet import DiscreetError
from discreet.plot import new_figure
from discreet_papers.reproduce import Findings, Reproduction
from discreet_papers.reproduce.curves import curve_rows


def test_every_point_of_every_curve_is_a_row():
    figure = new_figure(4.0, 3.0)
    left, right = figure.subplots(1, 2)
    left.set_title("over\nrounds")
    left.plot([1, 2], [3.0, 4.0], color="red", label="one")
    left.axhline(7.0)
    right.plot([5, 6], [float("nan"), 8.0], color="red")
    right.errorbar([1.0, 2.0], [3.0, 4.0], yerr=[0.5, 1.0], color="blue", label="two", capsize=2)
    rows = curve_rows(figure)
    assert rows == [
        {"panel": "over rounds", "curve": "one", "x": 1.0, "y": 3.0, "low": None, "high": None},
        {"panel": "over rounds", "curve": "one", "x": 2.0, "y": 4.0, "low": None, "high": None},
        {"panel": "panel 2", "curve": "one", "x": 6.0, "y": 8.0, "low": None, "high": None},
        {"panel": "panel 2", "curve": "two", "x": 1.0, "y": 3.0, "low": 2.5, "high": 3.5},
        {"panel": "panel 2", "curve": "two", "x": 2.0, "y": 4.0, "low": 3.0, "high": 5.0},
    ]


def drawn(found):
    figure = new_figure(3.0, 2.4)
    figure.subplots().plot([1, 2], [3.0, 4.0], label="regret")
    return {"mine": figure}


def test_a_reproduction_is_written_in_all_formats(tmp_path):
    known = Reproduction(
        name="mine",
        title="one of mine",
        trials=3,
        rounds=100,
        sweep=lambda rounds: (rounds,),
        play=lambda cells, plan: list(cells),
        analyse=lambda played: Findings(tables={"mine": [{"played": 1}]}, text="Yes.", trials=3),
        draw=drawn,
    )
    known.run(tmp_path, formats=("pdf", "svg"))
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"mine.csv", "mine-curves.csv", "mine.pdf", "mine.svg"}
    rows = list(csv.DictReader((tmp_path / "mine-curves.csv").read_text().splitlines()))
    assert rows[0] == {
        "panel": "panel 1",
        "curve": "regret",
        "x": "1.0",
        "y": "3.0",
        "low": "",
        "high": "",
        "trials": "3",
    }
    assert (tmp_path / "mine.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(DiscreetError, match="formats is 'gif', but must be one of png, pdf, svg"):
        known.run(tmp_path, formats=("gif",))
