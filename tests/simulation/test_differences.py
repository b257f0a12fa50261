"""Differences of regret within trials: paired, with intervals, as a table and as a figure."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from matplotlib import pyplot

from discreet import DiscreetError, simulate
from discreet.simulation import mean_interval


@pytest.fixture(scope="module")
def results():
    return simulate(["batched-exp3", "exp3", "uniform"], rounds=1000, trials=8, seed=1)


def test_differences_are_those_within_trials(results):
    found = results.differences("exp3")
    final = results.regret[:, :, -1]
    assert [row["label"] for row in found.rows] == ["batched-exp3 (ε = 1)", "uniform"]
    for row, place in zip(found.rows, (0, 2), strict=True):
        each = final[place] - final[1]
        wanted = mean_interval(each)
        assert row["minus"] == "exp3"
        assert (row["difference"], row["low"], row["high"]) == pytest.approx(tuple(wanted))
        assert row["lower"] == (each < 0.0).mean()


def test_all_pairs_are_compared_by_default_and_may_hold_together(results):
    found, together = results.differences(), results.differences(simultaneous=True)
    assert len(found.rows) == 3
    for one, other in zip(found.rows, together.rows, strict=True):
        assert one["difference"] == other["difference"]
        assert other["low"] < one["low"] < one["high"] < other["high"]
    final = results.regret[:, :, -1]
    wanted = mean_interval(final[1] - final[0], confidence=1.0 - 0.05 / 3.0)
    assert together.rows[0]["low"] == pytest.approx(wanted.low)
    assert "for all together" in str(together)


def test_algorithms_of_a_trial_meet_the_same_game_so_pairs_vary_less():
    """The seed is fixed, so that it cannot fail by chance; the ratio is 0.53."""
    both = simulate(["exp3", "exp3-gain"], rounds=2000, trials=24, seed=2).regret[:, :, -1]
    apart = float(both[0].var(ddof=1) + both[1].var(ddof=1))
    assert float((both[0] - both[1]).var(ddof=1)) < 0.8 * apart


def test_they_are_printed_written_and_drawn(results, tmp_path, legible):
    found = results.differences("exp3")
    text = str(found)
    assert text.startswith("Differences within 8 trials after 1,000 rounds; intervals: 95 % each")
    assert "batched-exp3 (ε = 1) - exp3" in text
    assert "<td" in found._repr_html_()
    rows = list(csv.DictReader(found.to_csv(tmp_path / "d.csv").read_text().splitlines()))
    assert [float(row["difference"]) for row in rows] == [row["difference"] for row in found.rows]
    axes = found.plot(size=(3.3, 2.0), path=tmp_path / "d.pdf")
    assert "difference of regret to exp3" in legible(axes.figure)
    legible(results.differences().plot().figure)
    assert (tmp_path / "d.pdf").read_bytes().startswith(b"%PDF")
    pyplot.close("all")


def test_one_trial_has_no_interval():
    found = simulate(["exp3", "uniform"], rounds=100, trials=1).differences()
    assert found.rows[0]["low"] is None
    assert np.isfinite(found.rows[0]["difference"])
    assert " - " in str(found)


def test_what_cannot_be_compared_is_refused(results):
    with pytest.raises(
        DiscreetError, match="unknown algorithm or label 'exp4': did you mean 'exp3'"
    ):
        results.differences("exp4")
    with pytest.raises(DiscreetError, match="which names 2 curves: choose one of 'batched-exp3 "):
        simulate("batched-exp3", epsilon=[1.0, 2.0], rounds=50, trials=2).differences(
            "batched-exp3"
        )
    with pytest.raises(DiscreetError, match="differences need two algorithms"):
        simulate("exp3", rounds=50, trials=2).differences()
    with pytest.raises(DiscreetError, match="confidence is 1, but must be above 0 and below 1"):
        results.differences(confidence=1)
