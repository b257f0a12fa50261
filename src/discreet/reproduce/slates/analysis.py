"""Who loses less on slates, at which epsilon and after how many rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.reproduce.games import Played
from discreet.reproduce.growth import LEARNT, Curve, Growth, grown
from discreet.reproduce.growth_text import share_lines
from discreet.reproduce.rates import DELTA, Panel
from discreet.reproduce.slates.sweep import INSIDE, PANELS, SLATES, TABLE

NAME = "slates"


def analyse(played: Sequence[Played]) -> Growth:
    """Return all curves, and what they mean."""
    found = grown(TABLE, NAME, played)
    return replace(found, text="\n".join(_lines(found)))


def _lines(found: Growth) -> list[str]:
    lines = [
        "Slates of 3 of 10 items (k-sets), linear functions, one direction better by half, one value a round, the same guarantee",
        f"(ε, δ = {DELTA:g}) for both: {INSIDE} (Ene et al., corrected) plays points inside the set, and {SLATES}",
        "(ours) explores by a plan over slates and else plays the slate that leads. Regret as a share of what staying at the",
        "centre loses:",
    ]
    for panel in PANELS:
        lines += ["", *share_lines([curve for curve in found.curves if curve.panel == panel], f"ε = {panel.epsilon:g}")]
    return [*lines, "", *(_verdict(found, panel) for panel in PANELS), _reason()]


def _verdict(found: Growth, panel: Panel) -> str:
    inside, slates = found.curve(panel, INSIDE), found.curve(panel, SLATES)
    one, other = inside.cells[-1].regret, slates.cells[-1].regret
    sure = "" if one.low > other.high or one.high < other.low else " (which may be chance)"
    return (
        f"At ε = {panel.epsilon:g}, after {found.longest:,} rounds, slates lose {one.value / other.value:.2g} times less{sure}; "
        f"they learn from {_start(slates)} on, points inside from {_start(inside)} on."
    )


def _start(curve: Curve) -> str:
    """Return from how many rounds on a curve stays below the share that counts as learning."""
    from_here = None
    for cell in reversed(curve.cells):
        if not cell.share.value <= LEARNT:
            break
        from_here = cell.place.rounds
    return "no length here" if from_here is None else f"{from_here:,} rounds"


def _reason() -> str:
    return (
        "The set is 4.6 times wider than it is deep: who looks around a point must look far, to see anything, or stay deep\n"
        "inside; a slate is a vertex, and what its loss says about every item does not depend on how deep the set is."
    )
