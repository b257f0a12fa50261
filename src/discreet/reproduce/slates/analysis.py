"""Who loses less on slates, at which epsilon and after how many rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.reproduce.games import Played
from discreet.reproduce.growth import Growth, grown
from discreet.reproduce.growth_text import share_lines
from discreet.reproduce.slates.sweep import PANELS, TABLE

NAME = "slates"


def analyse(played: Sequence[Played]) -> Growth:
    """Return all curves, and what they mean."""
    found = grown(TABLE, NAME, played)
    return replace(found, text="\n".join(_lines(found)))


def _lines(found: Growth) -> list[str]:
    return [
        line
        for panel in PANELS
        for line in share_lines([c for c in found.curves if c.panel == panel], f"ε = {panel.epsilon:g}")
    ]
