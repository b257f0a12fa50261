"""A picture of every environment on arms: the running mean loss of each arm."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet.environments import environment, environment_names
from discreet.plot.regret import COLOURS, plotting
from discreet.problems import Arms


def plot_environments(path: Path | str, *, arms: int = 4, rounds: int = 4000, seed: int = 1) -> Path:
    """Draw the losses of every named environment on arms, as means over windows of a fiftieth of the game."""
    pyplot = plotting()
    names = [name for name in environment_names(Arms) if name != "table"]
    columns = 4
    figure, panels = pyplot.subplots(
        -(-len(names) // columns), columns, figsize=(9.0, 6.0), layout="constrained", sharey=True
    )
    window = max(1, rounds // 50)
    for axes, name in zip(panels.flat, names, strict=False):
        losses = environment(name, arms=arms, rounds=rounds).deal(0, rounds, np.random.default_rng(seed)).losses  # type: ignore[attr-defined]
        means = losses[: rounds // window * window].reshape(-1, window, arms).mean(axis=1)
        for arm in range(arms):
            style = ("-", "--", "-.", ":")[arm % 4]
            label = f"arm {arm + 1}"
            axes.plot(
                np.arange(means.shape[0]) * window, means[:, arm], style, color=COLOURS[arm], linewidth=1.1, label=label
            )
        axes.set_title(name, fontsize=9)
        axes.set_ylim(-0.05, 1.05)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    for row in panels:
        row[0].set_ylabel("mean loss", fontsize=8)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", fontsize=9, frameon=False)
    figure.suptitle(f"Losses of {arms} arms over {rounds:,} rounds, means over windows of {window}", fontsize=10)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return Path(path)
