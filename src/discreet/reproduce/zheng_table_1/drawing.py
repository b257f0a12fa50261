"""Regret of the rows of the table, over T and over 1 / epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.growth import Growth
from discreet.reproduce.growth_drawing import draw_growth
from discreet.reproduce.zheng_table_1.analysis import NAME
from discreet.reproduce.zheng_table_1.sweep import DIMENSION, OVER_EPSILON, OVER_ROUNDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Growth) -> Mapping[str, Figure]:
    """Draw all panels."""
    titles = {OVER_ROUNDS: "over rounds, at ε = 1", OVER_EPSILON: f"over ε, after {found.longest:,} rounds"}
    heading = f"Noise on every report: functions on a ball in {DIMENSION} dimensions"
    return {NAME: draw_growth(found, heading, titles, columns=2)}
