"""Who loses less on slates, at which epsilon and after how many rounds."""

from __future__ import annotations

from discreet_papers.reproduce.growth import LEARNT, Curve, Growth
from discreet_papers.reproduce.growth_text import paragraph, share_lines
from discreet_papers.reproduce.rates import DELTA, Panel
from discreet_papers.reproduce.slates.sweep import FUNCTIONS, INSIDE, PANELS, SLATES


def words(found: Growth) -> list[str]:
    """Return what is said about the table."""
    lines = paragraph(
        "Slates of 3 of 10 items (k-sets), linear functions, one direction better by half, one "
        "value a round, and the",
        f"same guarantee (ε, δ = {DELTA:g}) for both: {INSIDE} (Ene et al., corrected) plays "
        "points inside the set;",
        f"{SLATES} (ours) explores by a plan over slates, and else plays the slate that leads. "
        "Both learn even where",
        "their bound says nothing (when_vacuous=play). Regret as a share of what staying at the "
        "centre loses:",
    )
    for panel in PANELS:
        lines += ["", *share_lines(found.curves_of(panel), f"ε = {panel.epsilon:g}")]
    place = FUNCTIONS.place
    reason = paragraph(
        f"The set is {place.outer / place.inner:.2g} times wider than it is deep: who looks "
        "around a point must stay",
        "deep inside, or look so near that noise hides what is seen. Slates are vertices, and "
        "what they tell about",
        "every item does not depend on the depth of the set.",
    )
    return [
        *lines,
        "",
        *(line for panel in PANELS for line in paragraph(_verdict(found, panel))),
        *reason,
    ]


def _verdict(found: Growth, panel: Panel) -> str:
    inside, slates = found.curve(panel, INSIDE), found.curve(panel, SLATES)
    one, other = inside.cells[-1].regret, slates.cells[-1].regret
    sure = "" if one.low > other.high or one.high < other.low else " (which may be chance)"
    return (
        f"At ε = {panel.epsilon:g}, after {found.longest:,} rounds, points inside lose "
        f"{one.value / other.value:.2g} times as much as slates{sure}. Below "
        f"{100.0 * LEARNT:.0f} % of what the centre loses: slates {_start(slates)}, points "
        f"inside {_start(inside)}."
    )


def _start(curve: Curve) -> str:
    """Return from how many rounds on a curve stays below the share that counts as learning."""
    from_here = None
    for cell in reversed(curve.cells):
        if not cell.share.value <= LEARNT:
            break
        from_here = cell.place.rounds
    return "never" if from_here is None else f"from T = {from_here:,} on"
