"""Estimates for people: tables that fit a terminal, pictures of many arms, and a control."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from discreet.errors import DiscreetError
from discreet.estimates.table import MeanEstimate, MeanEstimates
from discreet.plot import forest

LONG = [f"zidovudine and didanosine, {dose} mg twice a day" for dose in (100, 200, 300)]


def estimates(labels, **changes):
    """Return estimates in which arm i of n has the mean i / n."""
    size = len(labels)

    def at(mean, rounds):
        return MeanEstimate(mean, mean - 0.1, mean + 0.1, rounds, 1)

    arms = {label: at(i / size, 10) for i, label in enumerate(labels)}
    facts = {"kind": "anytime", "level": 0.95, "outcomes": "rewards", "notes": ("A note. " * 20,)}
    return MeanEstimates(arms=arms, compare=lambda i, j: at((i - j) / size, 20), **facts | changes)


@pytest.mark.parametrize("labels", [["A", "B"], LONG, ["x" * 200, "y" * 200]])
def test_a_table_fits_a_terminal(labels):
    text = str(estimates(labels))
    assert max(map(len, text.splitlines())) <= 80
    assert all(label in text.replace("\n    ", "").replace("\n", " ") for label in labels)


def test_short_names_are_not_numbered_and_long_ones_are():
    assert "\nA - B " in str(estimates(["A", "B"]))
    text = str(estimates(LONG))
    assert f"\n[2] {LONG[1]}\n" in text
    assert "\n[1] - [3] " in text


def test_a_control():
    found = estimates(["A", "B", "C"]).against("B")
    assert list(found.differences()) == [("A", "B"), ("C", "B")]
    assert found.as_dict()["control"] == "B"
    assert json.loads(found.to_json())["differences"][1]["one"] == "C"
    assert "A - C" not in str(found)
    assert found.to_csv().count("\n") == 6
    with pytest.raises(DiscreetError, match="control is 'D', but must be one of 'A', 'B', 'C'"):
        found.against("D")


@pytest.mark.parametrize("control", [None, 0])
def test_a_picture_of_very_many_arms_has_the_best(control, tmp_path):
    found = estimates(list(range(1000)))
    found = found if control is None else found.against(control)
    drawn = [int(name) for name, _ in forest._arms(found)]
    best = list(range(1000 - forest.MOST_ROWS, 1000))
    assert drawn == (best if control is None else [0, *best[1:]])
    pairs = [name for name, _ in forest._pairs(found)]
    if control is None:
        assert len(pairs) == forest.MOST_ROWS
        assert pairs[-1] == "999 - 998"
    else:
        assert pairs == [f"{arm} - 0" for arm in best]
    path = found.plot(tmp_path / "forest.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_long_names_are_wrapped_and_numbered_in_a_picture(tmp_path):
    found = estimates(LONG)
    names = [name for name, _ in forest._arms(found)]
    assert names[0].replace("\n", " ") == f"[1] {LONG[0]}"
    assert max(len(line) for name in names for line in name.split("\n")) <= 38
    assert [name for name, _ in forest._pairs(found)] == ["[1] - [2]", "[1] - [3]", "[2] - [3]"]
    assert found.plot(tmp_path / "forest.svg", control=LONG[2]).exists()


def test_the_best_of_many_arms_is_one_with_a_release():
    found = estimates(list(range(20)))
    unknown = MeanEstimate(math.nan, 0.0, 1.0, 0, 0)
    found = replace(found, arms={**found.arms, 0: unknown, 19: unknown})
    assert {one for one, _ in found.differences()} == {18}
    assert len(found.differences()) == 17
    drawn = forest._arms(
        replace(found, arms=dict.fromkeys(range(70), unknown) | {70: found.arms[1]})
    )
    assert "70" in [name for name, _ in drawn]
