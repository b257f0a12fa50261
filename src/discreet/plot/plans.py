"""Plots of a plan: cost, best arm and gain, over epsilon and over the number of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.planning import Plan
from discreet.planning.numbers import share_words
from discreet.planning.words import kind, options_words
from discreet.plot.canvas import (
    COLOURS,
    LINES,
    MARKERS,
    given_or_new,
    new_figure,
    save,
    set_heading,
    set_log_axis,
)
from discreet.simulation.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY, BLACK = "#767676", "#000000"


def plot_plan(plan: Plan, path: Path | str) -> Path:
    """Draw cost, best arm and the effect of more rounds into a file; return its path."""
    figure = new_figure(12.0, 5.4)
    cost, arms, rounds = figure.subplots(1, 3)
    draw_plan(plan, cost)
    _draw_best_arm(plan, arms)
    _draw_rounds(plan, rounds)
    question = plan.question
    set_heading(
        figure,
        f"{plan.recommended} with {options_words(question)} and {question.rounds:,} rounds: means "
        f"over {plan.unchanging.trials} simulations, 95 % intervals",
    )
    return save(figure, path)


def draw_plan(plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw the cost per round over epsilon into given axes or new ones; return them."""
    axes = given_or_new(ax, file="Plan.save writes files")
    axes.axhline(
        plan.question.guessing_cost, color=GREY, linestyle=LINES[2], label="equal randomisation"
    )
    for index, scene in enumerate(plan.scenes):
        _curve(
            axes,
            [row.variant.epsilon for row in scene.private],
            [row.cost for row in scene.private],
            index,
            kind(scene),
        )
        axes.axhline(
            scene.ordinary.cost.value,
            color=COLOURS[index],
            linestyle=LINES[1],
            label=f"{kind(scene)}, no privacy",
        )
    axes.set_ylabel("cost per round: how much worse than\nwith the best arm in every round")
    axes.set_ylim(bottom=0.0)
    _over_epsilon(plan, axes)
    axes.set_title("Cost", fontsize=10)
    return axes


def _draw_best_arm(plan: Plan, axes: Axes) -> None:
    scene = plan.unchanging
    epsilons = [row.variant.epsilon for row in scene.private]
    _curve(axes, epsilons, [row.best_arm for row in scene.private], 0, "rounds on the best arm")
    _curve(
        axes,
        epsilons,
        [row.most_played for row in scene.private],
        2,
        "probability that the arm\nplayed most is the best",
    )
    axes.axhline(
        1.0 / plan.question.arms, color=GREY, linestyle=LINES[2], label="equal randomisation"
    )
    axes.axhline(
        scene.ordinary.best_arm.value,
        color=COLOURS[0],
        linestyle=LINES[1],
        label="rounds, no privacy",
    )
    axes.set_ylim(0.0, 1.04)
    axes.yaxis.set_major_formatter(_percent)
    _over_epsilon(plan, axes)
    axes.set_title("The best arm, if outcomes do not change", fontsize=10)


def _draw_rounds(plan: Plan, axes: Axes) -> None:
    least, question = plan.least_rounds, plan.question
    places = sorted(least.shares)
    if places:
        _curve(
            axes,
            places,
            [least.shares[place] for place in places],
            0,
            f"epsilon {question.epsilon_for_rounds:g}",
        )
    axes.axhline(
        question.share,
        color=GREY,
        linestyle=LINES[1],
        label=f"wanted: {share_words(question.share)}",
    )
    axes.axvline(question.rounds, color=BLACK, linestyle=LINES[2], label="planned rounds")
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), max(1.04, axes.get_ylim()[1]))
    axes.yaxis.set_major_formatter(_percent)
    axes.set_xscale("log")
    axes.set_xlabel("rounds")
    axes.set_ylabel("share of the gain without privacy")
    _finish(axes)
    axes.set_title("More rounds", fontsize=10)


def _curve(
    axes: Axes, places: Sequence[float], values: Sequence[Interval], index: int, label: str
) -> None:
    middle = [each.value for each in values]
    axes.plot(
        places,
        middle,
        color=COLOURS[index],
        marker=MARKERS[index],
        markersize=4,
        linewidth=1.4,
        label=label,
    )
    low, high = [each.low for each in values], [each.high for each in values]
    if len(places) > 1:
        axes.fill_between(places, low, high, color=COLOURS[index], alpha=0.15, linewidth=0)
    else:  # one point has no area
        axes.vlines(places, low, high, color=COLOURS[index], linewidth=4, alpha=0.3)


def _over_epsilon(plan: Plan, axes: Axes) -> None:
    axes.set_xscale("log")
    axes.axvline(plan.epsilon, color=BLACK, linewidth=0.8, alpha=0.5)
    axes.set_xlabel("epsilon (smaller is more private)\nline: recommended")
    _finish(axes, plan.question.epsilons)


def _finish(axes: Axes, ticks: Sequence[float] | None = None) -> None:
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.22))
    set_log_axis(axes, "x", ticks)


def _percent(value: float, _: object) -> str:
    return f"{100.0 * value:.0f} %"
