"""Plots of running sums: every counter is named, and none is hidden."""

from __future__ import annotations

import pytest

from discreet.plot import new_figure
from discreet_papers.counters import COUNTERS, compare, draw_counters, plot_counters


@pytest.fixture(scope="module")
def rows():
    return [compare(name, rounds) for rounds in (64, 256, 1024) for name in COUNTERS]


def test_every_counter_is_named_and_none_is_hidden(rows, legible):
    figure = new_figure(10.0, 4.4)
    left, right = draw_counters(rows, tuple(figure.subplots(1, 2)))
    texts = legible(figure)
    assert all(texts.count(name) == 2 for name in COUNTERS)
    for panel in (left, right):
        counters = panel.lines[: len(COUNTERS)]
        assert (
            len({line.get_color() for line in counters})
            == len({line.get_marker() for line in counters})
            == len(counters)
        )
        widths = [line.get_linewidth() for line in counters]
        assert widths == sorted(widths, reverse=True), (
            "a later line is thinner than what it may cover"
        )


def test_one_length_will_do(rows, tmp_path):
    plot_counters([row for row in rows if row.rounds == 64], tmp_path / "counters.png")
    assert (tmp_path / "counters.png").stat().st_size > 10_000
