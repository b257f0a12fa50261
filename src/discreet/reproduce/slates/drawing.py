"""Regret over T, one column an epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.growth import Growth
from discreet.reproduce.growth_drawing import draw_growth
from discreet.reproduce.slates.analysis import NAME
from discreet.reproduce.slates.sweep import PANELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Growth) -> Mapping[str, Figure]:
    """Draw all panels."""
    titles = {panel: f"at ε = {panel.epsilon:g}" for panel in PANELS}
    heading = "Slates of 3 of 10: points inside the set, or slates themselves"
    return {NAME: draw_growth(found, heading, titles, columns=2)}
