"""Reproduce a figure of a paper, and add a curve to it.

Run it with: python examples/add_a_curve.py [folder] [--quick]

Figure 1 of Tossou and Dimitrakakis (2017) has three algorithms against five adversaries. This
example plays the games of two of them again, with one more algorithm, which is newer than the
paper. As a plugin, the file adds a reproduction:
``DISCREET_PLUGINS=examples/add_a_curve.py discreet reproduce tossou-figure-1-and-ours --output
figure``.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt

from discreet_papers.reproduce import register_reproduction, reproduction
from discreet_papers.reproduce import tossou_figure_1 as paper
from discreet_papers.reproduce.games import Entrant

NAME = "tossou-figure-1-and-ours"
OURS = Entrant(algorithm="tracking-ucb", epsilon=1.0)
SHOWN = ("deterministic", "stochastic")  # of the five adversaries


def sweep(rounds):
    """Return the paper's games, with one more player in each."""
    games = (game for game in paper.sweep(rounds) if game.environment in SHOWN)
    return tuple(replace(game, players=(*game.players, OURS)) for game in games)


def draw(found):
    """Draw a panel for each adversary: the paper's algorithms at ε = 1, and ours."""
    figure, panels = plt.subplots(1, len(SHOWN), figsize=(10, 4), layout="constrained")
    for axes, played in zip(panels, found.played, strict=True):
        players = [each for each in played.game.players if each.epsilon == OURS.epsilon]
        labels = [played.contender(each).label for each in players]
        played.results.plot(ax=axes, only=labels, title=played.game.environment)
    return {NAME: figure}


register_reproduction(
    replace(reproduction(paper.NAME), name=NAME, title="Figure 1 and ours", sweep=sweep, draw=draw)
)


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    given = [each for each in sys.argv[1:] if each != "--quick"]
    folder = Path(given[0] if given else tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    size = {"trials": 2, "rounds": 500} if quick else {"trials": 24, "rounds": 16_384}
    print(reproduction(NAME).run(folder, **size))
    for path in sorted(folder.iterdir()):
        print(path)


if __name__ == "__main__":
    main()
