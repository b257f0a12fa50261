"""Numbers, times and axes of the pages."""

from __future__ import annotations

import math

import pytest

from discreet.service.pages import scales


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (0.0, 212.0, [0.0, 50.0, 100.0, 150.0, 200.0]),
        (-0.9, 0.6, [-0.5, 0.0, 0.5]),
        (0.0, 1e-7, [0.0, 2.5e-8, 5e-8, 7.5e-8, 1e-7]),
        (3.0, 3.0, [3.0]),
        (math.nan, 1.0, []),
    ],
)
def test_ticks_are_round_and_few(low, high, expected):
    assert scales.ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    "length", [0.05, 1.0, 59.0, 3600.0, 86400.0, 40 * 86400.0, 5 * 365 * 86400.0]
)
def test_times_on_an_axis_are_few_and_in_order(length):
    start = 1_770_000_123.0
    found = scales.time_ticks(start, start + length)
    assert 1 <= len(found) <= 5
    assert all(start <= at <= start + length + 1e-6 for at, _ in found)
    assert found == sorted(found)


def test_times_are_written_by_their_step():
    day = 20_000 * 86400.0
    assert [words for _, words in scales.time_ticks(day - 7200, day + 7200)] == [
        "22:00",
        "23:00",
        "4 Oct",
        "01:00",
        "02:00",
    ]
    assert scales.time_ticks(day, day) == [(day, "00:00:00")]
    assert scales.date(day) == "2024-10-04 00:00 UTC"
    assert scales.date(day + 7.0, 30.0) == "2024-10-04 00:00:07 UTC"
    assert scales.iso(day) == "2024-10-04T00:00:00.000+00:00"


def test_numbers_in_words():
    assert [scales.short(x) for x in (0.0, 0.25, 1500.0, 2e6, 3e9)] == [
        "0",
        "0.25",
        "1.5k",
        "2M",
        "3G",
    ]
    assert [scales.rate(x) for x in (0.0, 0.034, 1.7, 48.21, 1234.5)] == [
        "0",
        "0.034",
        "1.7",
        "48.2",
        "1,234",
    ]
    assert [scales.percent(x) for x in (0.0, 1e-5, 0.5, 0.99999, 1.0)] == [
        "0.0 %",
        "< 0.1 %",
        "50.0 %",
        "> 99.9 %",
        "100.0 %",
    ]
    assert [scales.span(x) for x in (0.00051, 3.0, 200.0, 86400.0, 1e6)] == [
        "0.51 ms",
        "3 s",
        "3 min",
        "24 hours",
        "12 days",
    ]
    assert scales.small(1e-6) == "10⁻⁶"
    assert scales.small(2e-6) == "2 × 10⁻⁶"
    assert scales.small(0.01) == "0.01"
    assert scales.small(0.0) == "0"


def test_means_have_as_many_decimals_as_their_intervals_need():
    assert scales.places_for([0.4, 0.0106]) == 3
    assert scales.places_for([]) == 3
    assert scales.places_for([250.0]) == 0
    assert scales.measured(-0.12345, 3) == "−0.123"
    assert scales.measured(-0.00001, 3) == "0.000"
    assert scales.measured(-1234.5, 1) == "−1,234.5"


def test_long_names_keep_both_ends():
    assert scales.clipped("short") == "short"
    name = scales.clipped("a" * 50 + "b" * 50, 28)
    assert len(name) == 28
    assert name.startswith("aaa")
    assert name.endswith("bbb")
