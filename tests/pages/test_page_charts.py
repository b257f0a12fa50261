"""Charts of the pages: valid SVG, nothing of a name unescaped, labelled or hidden."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from pages_host import HOSTILE, START

from discreet.service.pages import charts
from discreet.service.pages.charts import Column, Series, Span

NAMES = ["A", HOSTILE, "x" * 300]


def columns(number, counts=(5, 3, 2)):
    return [Column(START + 60 * k, START + 60 * (k + 1), counts) for k in range(number)]


def series():
    return [Series(name, place) for place, name in enumerate(NAMES)]


def drawings():
    yield "shares", charts.shares(columns(90), series(), name="one")
    yield "one column", charts.shares(columns(1), series(), name="one")
    yield "nothing", charts.shares(columns(3, (0, 0, 0)), series(), name="one")
    yield "no time", charts.shares([Column(START, START, (1, 1, 1))], series(), name="one")
    yield "rates", charts.rates(columns(90), name="two")
    yield "no rate", charts.rates(columns(2, (0, 0, 0)), name="two")
    yield "spark", charts.sparkline(columns(90))
    yield "no spark", charts.sparkline([])
    yield "bar", charts.bar(2.0, 3)
    yield "swatch", charts.swatch(1)
    yield "interval", charts.interval(Span(0.0, 1.0), -0.5, 0.2, 1.5, 0)
    yield "axis", charts.interval_axis(Span(-1.0, 1.0))
    yield (
        "budget",
        charts.parts([(HOSTILE, 1.0, 0), ("b", 0.5, 1)], 3.0, name="b", title="t", words="w"),
    )
    yield "no budget", charts.parts([], 0.0, name="b", title="t", words="w")


@pytest.mark.parametrize("drawing", [pytest.param(text, id=name) for name, text in drawings()])
def test_drawings_are_valid_and_labelled(drawing):
    root = ET.fromstring(f"<div>{drawing}</div>")
    assert "<script" not in drawing
    assert "style=" not in drawing
    assert not re.search(r"\bon[a-z]+=", re.sub(r"&[a-z0-9#]+;.*?&gt;", "", drawing))
    outer = [each for each in root.iter("svg") if each.get("width") != "100%" or each.get("class")]
    for each in outer:
        if each.get("aria-hidden") == "true":
            continue
        assert each.get("role") == "img"
        told = {part.get("id"): part.text for part in each if part.tag in ("title", "desc")}
        assert set(each.get("aria-labelledby").split()) == set(told)
        assert all(told.values())


def test_text_keeps_its_size_at_any_width():
    root = ET.fromstring(charts.shares(columns(90), series(), name="one"))
    for text in root.iter("text"):
        at = text.get("x")
        assert at.endswith("%") or at == "44"
    assert all(each.get("viewBox") is None for each in root.iter("svg") if list(each.iter("text")))


def test_shares_are_stacked_to_the_top():
    drawing = charts.shares(columns(4), series(), name="one")
    paths = re.findall(r'<path class="area s(\d)" d="([^"]+)"', drawing)
    assert [number for number, _ in paths] == ["0", "1", "2"]
    heights = [float(path.split("H")[0].split(" ")[1]) for _, path in paths]
    assert heights == pytest.approx([200 - 95, 200 - 152, 10])


def test_a_share_without_decisions_is_not_zero():
    drawing = charts.shares(columns(3, (0, 0, 0)), series(), name="one")
    assert "0.0 %" not in drawing
    assert ": – now" in drawing


def test_the_description_names_the_latest_shares():
    drawing = charts.shares(
        columns(4), [Series("A", 0), Series("B", 1), Series("C", 2)], name="one"
    )
    assert "A 50.0 %, B 30.0 %, C 20.0 %" in drawing


def test_merging_keeps_sums():
    found = charts.merged(columns(25), 8)
    assert len(found) <= 8
    assert (found[0].start, found[-1].end) == (START, START + 25 * 60)
    assert [sum(c.counts[k] for c in found) for k in range(3)] == [125, 75, 50]
    assert charts.merged([], 8) == []


def test_an_interval_that_leaves_the_scale_has_no_end_marks():
    inside = charts.interval(Span(0.0, 1.0), 0.2, 0.5, 0.8, 0)
    outside = charts.interval(Span(0.0, 1.0), -1.0, 0.5, 2.0, 0)
    assert inside.count('class="end') == 2
    assert outside.count('class="end') == 0
    assert 'x1="0.00%" x2="100.00%"' in outside
