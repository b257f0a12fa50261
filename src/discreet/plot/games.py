"""Plots of environments for arms: the mean loss of each arm over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.environments import environment, environment_names
from discreet.plot.canvas import distinct_styles, new_figure, save, set_heading
from discreet.problems import ArmGame, Arms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 4
OF_DATA = ("logged", "table", "actg175-simulator")  # environments that replay or are fitted to data


def plot_environments(
    path: Path | str,
    *,
    arms: int = 4,
    rounds: int = 4000,
    seed: int = 1,
    colors: Sequence[str] | None = None,
) -> Path:
    """Draw the losses of environments for arms as means over windows of a fiftieth of the game."""
    names = [name for name in environment_names(Arms) if name not in OF_DATA]
    rows = len(names) // COLUMNS + 1  # at least one panel stays free for the legend
    figure = new_figure(9.0, 1.5 * rows, dpi=130)
    panels = figure.subplots(rows, COLUMNS, sharey=True)
    for ax, name in zip(panels.flat, names, strict=False):
        draw_environment(name, ax, arms=arms, rounds=rounds, seed=seed, colors=colors)
        ax.tick_params(labelsize=7)
    for ax in panels.flat[len(names) :]:
        ax.set_axis_off()
    for row in panels:
        row[0].set_ylabel("mean loss", fontsize=9)
    figure.supxlabel("rounds", fontsize=9)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", fontsize=9, frameon=False)
    set_heading(
        figure,
        f"Losses of {arms} arms over {rounds:,} rounds, means over windows of {rounds // 50 or 1}",
    )
    return save(figure, path)


def draw_environment(
    name: str,
    ax: Axes,
    *,
    arms: int = 4,
    rounds: int = 4000,
    seed: int = 1,
    colors: Sequence[str] | None = None,
) -> Axes:
    """Draw the mean losses of all arms of one environment into given axes."""
    window = max(1, rounds // 50)
    dealt = environment(name, Arms(arms), rounds=rounds).deal(
        0, rounds, np.random.default_rng(seed)
    )
    losses = cast(ArmGame, dealt).losses
    means = losses[: rounds // window * window].reshape(-1, window, arms).mean(axis=1)
    starts = np.arange(means.shape[0]) * window
    for arm, look in enumerate(distinct_styles(arms, colors)):
        ax.plot(
            starts,
            means[:, arm],
            linewidth=1.2,
            label=f"arm {arm + 1}",
            color=look.color,
            linestyle=look.linestyle,
        )
    ax.set_title(name, fontsize=9)
    ax.set_ylim(-0.05, 1.05)
    ax.grid(alpha=0.3)
    return ax
