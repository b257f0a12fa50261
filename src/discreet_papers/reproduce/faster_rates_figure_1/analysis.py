"""How far apart one changed loss drives the probabilities of an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.contracts import Floats
from discreet_papers.reproduce.faster_rates_figure_1.sweep import FORMS, Forced
from discreet_papers.reproduce.registry import Findings

NAME = "faster-rates-figure-1"


@dataclass(frozen=True, kw_only=True)
class Leaks(Findings):
    """Probabilities in both games, and their largest log-ratio, for losses and for gains."""

    pairs: Mapping[str, tuple[Floats, Floats]]
    worst: Mapping[str, float]


def analyse(played: Sequence[Forced]) -> Leaks:
    """Return the largest log-ratios, and a table at rounds that are evenly spaced on a logarithmic scale."""
    found = {(each.game.form, each.game.neighbour): each.probabilities for each in played}
    pairs = {str(form): (found[form, False], found[form, True]) for form in FORMS}
    worst = {form: float(np.abs(np.log(one / two)).max()) for form, (one, two) in pairs.items()}
    spots = np.unique(np.geomspace(1, played[0].game.rounds, 400).astype(int)) - 1
    rows = [
        {"form": form, "round": int(t) + 1, "p": one[t], "p_neighbour": two[t]}
        for form, (one, two) in pairs.items()
        for t in spots
    ]
    text = (
        f"After one changed loss, the log-ratio of a probability reaches {worst['losses']:.3g} "
        f"for EXP3 on losses, and {worst['gains']:.3g} on gains."
    )
    return Leaks(tables={NAME: rows}, text=text, pairs=pairs, worst=worst)
