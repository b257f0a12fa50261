"""Plots: every curve has its label and its own style, and no text is covered or cut off."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from common import in_full
from matplotlib import pyplot
from matplotlib.figure import Figure

from discreet import Contender, Private, Range, search, simulate
from discreet.channels import Batch
from discreet.learners import Exp3
from discreet.plot import (
    COLOURS,
    curve_styles,
    distinct_styles,
    draw_environment,
    draw_regret,
    draw_searches,
    new_figure,
    plot_regret,
    plot_searches,
    set_heading,
    set_log_axes,
)
from discreet.plot.canvas import log_ticks, spread_labels


def contender(index, algorithms):
    channel = Batch.laplace(size=2, epsilon=1.0 / (1 + index // algorithms), bounds=Range(0.0, 1.0))
    private = Private(channel, Exp3.start(arms=4, learning_rate=0.1))
    return Contender(
        label=f"my contender {index + 1}", private=private, algorithm=f"mine-{index % algorithms}"
    )


@pytest.fixture(scope="module")
def one():
    return simulate(
        contender(0, 1), rounds=2000, trials=2, problem=None, environment="stochastic", arms=4
    )


def many(one, count, *, algorithms=6, spacing=1.0, environment="stochastic"):
    """Return results of several contenders whose curves end at multiples of a spacing."""
    regret = one.regret + spacing * np.arange(count)[:, None, None] * one.checkpoints / one.rounds
    contenders = tuple(contender(index, algorithms) for index in range(count))
    return replace(
        one,
        contenders=contenders,
        measure=replace(one.measure, record=replace(one.measure.record, regret=regret)),
        environment=environment,
    )


def drawn(results, size=(8.0, 5.2), **options):
    figure = new_figure(*size)
    return figure, draw_regret(results, figure.subplots(), **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "spacing"),
    [(1, 3.0), in_full(6, 0.0), in_full(7, 0.0), (13, 3.0), (24, 0.0), in_full(24, 500.0)],
)
def test_contenders_are_called_by_their_labels_and_nothing_overlaps(count, spacing, one, legible):
    figure, _ = drawn(many(one, count, spacing=spacing))
    texts = legible(figure)
    assert {f"my contender {index + 1}" for index in range(count)} <= set(texts)


@pytest.mark.slow
def test_a_long_title_is_wrapped_and_not_cut_off(one, legible):
    name = f"Table({'long' * 40}.csv: 2000 rounds, 4 arms)"
    figure, axes = drawn(many(one, 3, environment=name), size=(5.0, 4.0))
    legible(figure)
    assert name.replace(" ", "") in axes.get_title().replace("\n", "").replace(" ", "")
    other = new_figure(4.0, 3.0)
    other.subplots()
    set_heading(other, "a heading in many words " * 8)
    legible(other)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, in_full(7), 24])
def test_curves_can_be_drawn_into_small_axes_of_a_figure_of_ones_own(count, one, legible):
    figure = Figure(figsize=(12.0, 8.0))
    panels = figure.subplots(2, 2)
    figure.subplots_adjust(wspace=0.8, hspace=0.6)
    assert draw_regret(many(one, count), panels[0][1]) is panels[0][1]
    legible(figure)
    assert not panels[0][0].lines
    assert len(panels[0][1].lines) == count


def test_colours_can_be_chosen(one):
    mine = ["red", "green", "blue", "black", "cyan", "magenta", "yellow", "grey"]
    _, axes = drawn(many(one, 8), colors=mine)
    assert sorted(line.get_color() for line in axes.lines) == sorted(mine)
    _, axes = drawn(many(one, 12), colors=mine[:2])
    assert {line.get_color() for line in axes.lines} == set(mine[:2])


def test_without_axes_it_is_shown_by_pyplot_and_files_leave_pyplot_alone(one, tmp_path):
    pyplot.close("all")  # of other tests
    plot_regret(many(one, 2), tmp_path / "a.png")
    assert pyplot.get_fignums() == []
    axes = draw_regret(many(one, 2))
    assert pyplot.gcf() is axes.figure
    pyplot.close("all")


@pytest.mark.parametrize("count", range(1, 25))
@pytest.mark.parametrize("algorithms", [1, 2, 3, 5, 8, 12, 24])
def test_no_two_curves_look_the_same(count, algorithms):
    curves = [
        (f"algorithm {index % algorithms}", 10.0 ** -(index // algorithms))
        for index in range(count)
    ]
    for colors in (None, COLOURS[:5]):
        found = curve_styles(curves, colors)
        assert len({look[:2] for look in found}) == len(found) == count
        assert len({look[:2] for look in distinct_styles(count, colors)}) == count


def test_of_many_curves_colour_is_the_algorithm_and_line_the_epsilon():
    curves = list(itertools.product(["a", "b", "c"], [np.inf, 1.0, 0.1]))
    found = dict(zip(curves, curve_styles(curves), strict=True))
    for name, epsilon in curves:
        assert found[name, epsilon].color == found[name, 1.0].color
        assert found[name, epsilon].linestyle == found["a", epsilon].linestyle
    assert found["a", np.inf].linestyle == "solid"


def test_labels_are_moved_apart_as_little_as_possible():
    rng = np.random.default_rng(1)
    for count in (1, 2, 5, 24):
        wanted, gap = rng.random(count), 0.9 / count
        found = spread_labels(wanted, gap)
        assert found.min() >= 0.0
        assert found.max() <= 1.0
        assert np.all(np.diff(np.sort(found)) >= gap - 1e-12)
        assert (
            np.argsort(found, kind="stable").tolist() == np.argsort(wanted, kind="stable").tolist()
        )
    assert spread_labels([0.1, 0.5, 0.9], 0.2) == pytest.approx([0.1, 0.5, 0.9])


@pytest.mark.parametrize(
    ("low", "ratio"),
    [
        (0.003, 1.3),
        (0.003, 1e6),
        (1.0, 2.0),
        (1.0, 256.0),
        (400.0, 2.0),
        (4096.0, 16.0),
        (4096.0, 1e6),
    ],
)
def test_ticks_of_logarithmic_axes_do_not_overlap(low, ratio, legible):
    figure = new_figure(3.2, 3.0)
    axes = figure.subplots()
    axes.plot([low, low * ratio], [low, low * ratio])
    set_log_axes(axes)
    assert len(legible(figure)) >= 2
    assert len(log_ticks(low, low * ratio)) >= 2


def test_ticks_that_overlap_would_be_found(legible):
    figure = new_figure(3.6, 3.0)
    axes = figure.subplots()
    axes.loglog([4096, 16384, 65536], [1.0, 2.0, 3.0])
    with pytest.raises(AssertionError, match=r"10\^\{3\}"):
        legible(figure)


def test_lengths_of_games_are_ticks_as_far_as_there_is_room(legible):
    figure = new_figure(3.0, 3.0)
    axes = figure.subplots()
    lengths = [2**k for k in range(10, 21)]
    axes.plot(lengths, lengths)
    set_log_axes(axes, rounds=lengths)
    assert "1,048,576" in legible(figure)


def test_an_environment_with_many_arms_has_a_look_for_each():
    axes = draw_environment("stochastic", new_figure(4.0, 3.0).subplots(), arms=12, rounds=500)
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines}) == 12


@pytest.fixture(scope="module")
def searches():
    names = ["track-and-stop", "local-track-and-stop", "batched-lucb"]
    options = {"means": (0.2, 0.6, 0.7), "errors": (0.02,)}
    return search(names, arms=3, options=options, trials=8, seed=3, epsilon=[1.0, 4.0], rounds=2000)


@pytest.mark.long
def test_searches_have_a_row_each_and_their_least_samples(searches, legible, tmp_path):
    figure = new_figure(7.6, 4.0)
    axes = draw_searches(searches, figure.subplots())
    texts = legible(figure)
    assert {
        searches.searches.label(row, searches.contenders)
        for row in range(len(searches.searches.lines))
    } <= set(texts)
    black = [line for line in axes.lines if line.get_color() == "#000000"]
    assert sorted(line.get_xdata()[0] for line in black) == pytest.approx(
        sorted(
            searches.searches.reference(row, searches.contenders)
            for row in range(len(searches.searches.lines))
        )
    )
    assert plot_searches(searches, tmp_path / "samples.png").stat().st_size > 5000
    assert searches.plot(axes) is axes
