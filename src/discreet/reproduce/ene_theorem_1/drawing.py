"""Regret with the paper's noise and with ours, over T, n and 1 / epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.ene_theorem_1.analysis import NAME
from discreet.reproduce.ene_theorem_1.sweep import OVER_DIMENSIONS, OVER_EPSILON, OVER_ROUNDS
from discreet.reproduce.growth import Growth
from discreet.reproduce.growth_drawing import draw_growth

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Growth) -> Mapping[str, Figure]:
    """Draw all panels."""
    titles = {
        OVER_ROUNDS: "over rounds: 10 dimensions, ε = 1",
        OVER_DIMENSIONS: f"over dimensions: ε = 1, {found.longest:,} rounds",
        OVER_EPSILON: f"over ε: 10 dimensions, {found.longest:,} rounds",
    }
    heading = "One value a round and a linear oracle, on balls, with the noise of Ene et al. and with ours"
    return {NAME: draw_growth(found, heading, titles)}
