"""Slates of 3 of 10: the projection-free points of Ene et al. against a leader that plays slates.

Both have the same privacy. Regret is measured over T at three epsilons.
"""

from __future__ import annotations

from discreet.problems import Functions
from discreet_papers.reproduce.rate_reports import paragraph, register_rate_table, share_lines
from discreet_papers.reproduce.rates import (
    DELTA,
    LEARNT,
    RateCurve,
    RateGrowth,
    RatePanel,
    RateRow,
    RateTable,
)

INSIDE, SLATES = "private-projection-free", "private-linear-oracle"
FUNCTIONS = Functions("k-sets(10,3)", lipschitz=0.34, form="linear")
PANELS = tuple(
    RatePanel(axis="T", title=f"at ε = {epsilon:g}", domain="k-sets({},3)", epsilon=epsilon)
    for epsilon in (0.1, 1.0, 10.0)
)

TABLE = RateTable(
    name="slates",
    heading="Slates of 3 of 10: points inside the set, or slates themselves",
    rows=tuple(
        RateRow(
            name=name,
            algorithm=name,
            problem=FUNCTIONS,
            delta=DELTA,
            private=name in (INSIDE, SLATES),
        )
        for name in ("projection-free", INSIDE, "linear-oracle", SLATES)
    ),
    panels=PANELS,
)


def describe(found: RateGrowth) -> list[str]:
    """Return the text about the table: what loses less, at which epsilon and from which T on."""
    lines = paragraph(
        "Slates of 3 of 10 items (k-sets), linear functions, one direction better by half, one "
        f"value per round, and the same guarantee (ε, δ = {DELTA:g}) for both. {INSIDE} (Ene et "
        f"al., corrected) plays points inside the set. {SLATES} (ours) explores according to a "
        "plan over slates, and otherwise plays the leading slate. Both learn even where their "
        "bound is vacuous (when_vacuous=play). Regret as a share of that of staying at the "
        "centre:"
    )
    for panel in PANELS:
        lines += ["", *share_lines(found.curves_of(panel), f"ε = {panel.epsilon:g}")]
    place = FUNCTIONS.place
    reason = paragraph(
        f"The set is {place.outer / place.inner:.2g} times wider than it is deep. An algorithm "
        "that looks around a point must stay deep inside, or look so close that noise hides what "
        "it sees. Slates are vertices, and what they reveal about every item does not depend on "
        "the depth of the set."
    )
    return [
        *lines,
        "",
        *(line for panel in PANELS for line in paragraph(_verdict(found, panel))),
        *reason,
    ]


def _verdict(found: RateGrowth, panel: RatePanel) -> str:
    inside, slates = found.curve(panel, INSIDE), found.curve(panel, SLATES)
    one, other = inside.cells[-1].regret, slates.cells[-1].regret
    sure = "" if one.low > other.high or one.high < other.low else " (which may be chance)"
    return (
        f"At ε = {panel.epsilon:g}, after {found.longest:,} rounds, points inside lose "
        f"{one.value / other.value:.2g} times as much as slates{sure}. Below {100.0 * LEARNT:.0f} "
        f"% of what the centre loses: slates {_first_learnt(slates)}, points inside "
        f"{_first_learnt(inside)}."
    )


def _first_learnt(curve: RateCurve) -> str:
    """Return from how many rounds on a curve stays below the share that counts as learning."""
    from_here = None
    for cell in reversed(curve.cells):
        if not cell.share.value <= LEARNT:
            break
        from_here = cell.place.rounds
    return "never" if from_here is None else f"from T = {from_here:,} on"


register_rate_table(
    TABLE,
    describe,
    title="slates of 3 of 10: Ene, Nguyen & Vladu 2021 against a leader that plays slates "
    "themselves",
    trials=4,
    rounds=2**20,
)
