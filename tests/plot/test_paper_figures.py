"""Figures for papers: one-column sizes, logarithmic axes, chosen curves in one's own words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection

from discreet import DiscreetError, search, simulate
from discreet.plot import draw_regret, new_figure, plot_regret
from discreet.plot.legends import covers_curves
from discreet.simulation.statistics import mean_intervals

COLUMN = (3.3, 2.4)  # inches: a column of a two-column paper


@pytest.fixture(scope="module")
def results():
    names = ["tracking-ucb", "one-bit-tsallis-inf", "tsallis-inf"]
    return simulate(names, epsilon=[1.0, 0.1], rounds=2000, trials=6, seed=1, arms=4)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def with_regret(results, regret):
    return replace(
        results,
        measure=replace(results.measure, record=replace(results.measure.record, regret=regret)),
    )


@pytest.mark.parametrize("log", ["", "x", "y", "xy"])
def test_a_column_is_legible_and_its_legend_covers_nothing(log, results, legible):
    axes = results.plot(size=COLUMN, log=log)
    texts = legible(axes.figure)
    assert {each.label for each in results.contenders} <= set(texts)
    assert axes.figure.get_size_inches().tolist() == list(COLUMN)
    outside = not axes.get_legend().get_window_extent().overlaps(axes.get_window_extent())
    assert outside or not covers_curves(axes, axes.get_legend())
    assert axes.get_title() == ""
    sizes = {text.get_fontsize() for text in axes.get_legend().get_texts()}
    assert sizes == {7.0}


@pytest.mark.parametrize("log", ["x", "y", "xy"])
def test_logarithmic_axes_show_every_curve(log, results):
    axes = results.plot(log=log)
    assert (axes.get_xscale() == "log") is ("x" in log)
    assert (axes.get_yscale() == "log") is ("y" in log)
    inside = axes.get_window_extent()
    assert len(axes.lines) == 5
    for line in axes.lines:
        points = axes.transData.transform(np.column_stack(line.get_data()))
        shown = points[np.isfinite(points).all(axis=1)]
        assert len(shown) > 50
        assert (shown >= inside.min - 1.0).all()
        assert (shown <= inside.max + 1.0).all()
        spread = shown.max(axis=0) - shown.min(axis=0)
        assert spread[0] > 0.9 * inside.width
        assert spread[1] > 0.3 * inside.height


def test_scales_that_are_changed_later_show_the_curves_as_well(results):
    axes = results.plot()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.figure.draw_without_rendering()
    inside = axes.get_window_extent()
    for line in axes.lines:
        points = axes.transData.transform(np.column_stack(line.get_data()))[40:]
        assert np.ptp(points[:, 1]) > 0.1 * inside.height


def test_negative_regret_is_left_out_of_a_logarithmic_axis_and_the_figure_says_so(results, legible):
    lower = results.regret.copy()
    lower[0, :, 60:] = -5.0
    axes = with_regret(results, lower).plot(size=COLUMN, log="xy")
    legible(axes.figure)
    said = axes.get_xlabel().replace("\n", " ")
    assert "not shown: rounds with a mean regret of tracking-ucb (ε = 1) of 0 or less" in said
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert np.isnan(drawn["tracking-ucb (ε = 1)"][60:]).all()
    assert np.isfinite(drawn["tsallis-inf"]).all()
    everywhere = with_regret(results, np.where(np.arange(lower.shape[2]) < 9, -1.0, results.regret))
    assert "a mean regret of 0 or less" in everywhere.plot(log="y").get_xlabel()
    usual = with_regret(results, lower).plot()
    assert usual.get_xlabel() == "rounds"
    assert usual.get_ylim()[0] < -5.0


def test_a_curve_that_is_nowhere_positive_is_refused_on_a_logarithmic_axis(results):
    lower = results.regret.copy()
    lower[4] = -1.0
    with pytest.raises(DiscreetError) as raised:
        with_regret(results, lower).plot(log="y")
    assert str(raised.value) == (
        "the mean regret of tsallis-inf is never above 0, so it cannot be drawn on a logarithmic "
        "axis: use log='x', or leave this curve out with only=[...]."
    )
    assert with_regret(results, lower).plot(log="y", only="tracking-ucb")


def test_curves_are_chosen_by_label_or_algorithm_and_named_as_one_likes(results):
    axes = results.plot(
        only=["tsallis-inf", "tracking-ucb"],
        labels={"tsallis-inf": "no privacy", "tracking-ucb (ε = 1)": "ours"},
        colors={"tsallis-inf": "black", "tracking-ucb (ε = 0.1)": "red"},
    )
    drawn = {line.get_label(): line.get_color() for line in axes.lines}
    assert set(drawn) == {"no privacy", "ours", "tracking-ucb (ε = 0.1)"}
    assert drawn["no privacy"] == "black"
    assert drawn["tracking-ucb (ε = 0.1)"] == "red"
    axes = results.plot(only=["tsallis-inf"], labels=["mine"], colors=["blue"], title="Mine")
    assert [(line.get_label(), line.get_color()) for line in axes.lines] == [("mine", "blue")]
    assert axes.get_title() == "Mine"
    assert results.plot(title="").get_title() == ""


def test_bands_have_the_level_that_is_asked_for(results):
    def ends(axes):
        (band,) = [each for each in axes.collections if isinstance(each, PolyCollection)]
        at_the_end = band.get_paths()[0].vertices
        at_the_end = at_the_end[at_the_end[:, 0] == results.rounds][:, 1]
        return at_the_end.min(), at_the_end.max()

    for level, asked in ((0.95, 0.95), (0.95, True), (0.5, 0.5), (0.99, 0.99)):
        found = ends(results.plot(only="tsallis-inf", bands=asked))
        wanted = mean_intervals(results.regret[4, :, -1], confidence=level)
        assert found == pytest.approx((wanted[1], wanted[2]))
    for none in (None, False):
        assert not results.plot(bands=none).collections


REFUSED = [
    ({"log": "z"}, "log is 'z', but must be one of x, y, xy."),
    ({"size": 3.0}, "size is 3.0, but must be a width and a height in inches, such as (3.3, 2.4)."),
    ({"size": (0.0, 2.0)}, "width is 0.0, but must be between 1 and 100."),
    ({"bands": 2.0}, "bands is 2.0, but must be above 0 and below 1."),
    ({"only": []}, "only= is empty, but must name at least one curve."),
    ({"only": "exp4"}, "unknown curve 'exp4'"),
    ({"labels": {"exp4": "a"}}, "unknown curve 'exp4'"),
    (
        {"labels": {"tracking-ucb": "ours"}},
        "labels has one entry for 'tracking-ucb', which has 2 curves; give each its own: "
        "'tracking-ucb (ε = 1)', 'tracking-ucb (ε = 0.1)'.",
    ),
    (
        {"labels": ["a"]},
        "labels is ['a'], but must be a list with one label for each of 5 curves, or a dictionary "
        "from curve labels to new labels.",
    ),
    (
        {"colors": ["no colour"] * 5},
        "colors contains 'no colour', but must contain colours, such as 'black', '#0072B2' or "
        "'C0'.",
    ),
    ({"title": 3}, "title is 3, but must be text."),
]


@pytest.mark.parametrize(("options", "sentence"), REFUSED, ids=lambda each: str(each)[:40])
def test_options_that_cannot_be_drawn_are_refused(options, sentence, results):
    with pytest.raises(DiscreetError) as raised:
        results.plot(**options)
    assert str(raised.value).startswith(sentence)


def test_axes_have_the_size_of_their_figure(results):
    with pytest.raises(DiscreetError, match="size and ax are both given"):
        results.plot(new_figure(4.0, 3.0).subplots(), size=COLUMN)


def test_a_figure_without_room_for_its_curves_is_refused(results, legible):
    with pytest.raises(DiscreetError) as raised:
        results.plot(size=(1.6, 1.4))
    assert str(raised.value) == (
        "size is 1.6 by 1.4 inches, which leaves no room for 5 curves and their labels: draw "
        "fewer curves with only=[...], shorten the labels, or make the figure larger."
    )


def test_a_legend_without_room_inside_goes_outside(results, legible):
    flat = with_regret(results, np.where(np.arange(results.regret.shape[2]) % 2, 1.0, 900.0) + 0.0)
    flat = with_regret(flat, np.broadcast_to(flat.regret, results.regret.shape))
    axes = flat.plot(size=(3.3, 2.2))
    legible(axes.figure)
    assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1.0
    wide = flat.plot(size=(5.0, 2.7))
    legible(wide.figure)
    assert wide.get_legend().get_window_extent().y1 <= wide.get_window_extent().y0


@pytest.mark.parametrize(("ending", "starts"), [("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_files_have_fonts_that_journals_accept_and_no_date(ending, starts, results, tmp_path):
    one, other = tmp_path / f"one.{ending}", tmp_path / f"other.{ending}"
    for path in (one, other):
        plot_regret(results, path, size=COLUMN, log="x", only="tsallis-inf")
    assert one.read_bytes().startswith(starts)
    assert one.read_bytes() == other.read_bytes()
    assert b"Type3" not in one.read_bytes()
    assert b"/CreationDate" not in one.read_bytes()
    axes = results.plot(path=tmp_path / f"third.{ending}", only="tsallis-inf", size=COLUMN, log="x")
    assert (tmp_path / f"third.{ending}").read_bytes().startswith(starts)
    assert len(axes.lines) == 1


def test_narrow_figures_of_ones_own_have_small_letters(results, legible):
    figure = new_figure(*COLUMN)
    axes = draw_regret(results, figure.subplots(), log="x", only=["tsallis-inf", "tracking-ucb"])
    legible(figure)
    assert axes.xaxis.label.get_fontsize() == 8.0


def test_searches_take_the_same_options(legible):
    found = search(
        ["track-and-stop", "batched-lucb"],
        arms=3,
        options={"means": (0.2, 0.6, 0.7)},
        trials=4,
        seed=3,
        rounds=2000,
    )
    axes = found.plot(size=(3.3, 1.8), only="track-and-stop", labels=["mine"], colors=["red"])
    assert "mine" in legible(axes.figure)
    assert "batched-lucb" not in legible(axes.figure)
