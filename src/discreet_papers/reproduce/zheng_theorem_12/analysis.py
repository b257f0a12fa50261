"""Samples beside what Theorem 12 says: those without privacy, times the ratio of the variances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from discreet_papers.reproduce.files import number
from discreet_papers.reproduce.fitting import slope
from discreet_papers.reproduce.registry import Findings
from discreet_papers.reproduce.zheng_theorem_12.playing import Searched
from discreet_papers.reproduce.zheng_theorem_12.sweep import (
    BATCHES,
    EPSILON,
    ERROR,
    GAP,
    GAUSSIAN,
    OPEN,
    OVER_EPSILONS,
    OVER_GAPS,
    PRINTED,
    RESPONSE,
    ROLES,
    TRACK,
)

SAME = (PRINTED, GAUSSIAN, RESPONSE, OPEN)  # the searches that differ in the noise alone
NAME = "zheng-theorem-12"


class Sampled(TypedDict):
    """What one search took; None where trials were cut off."""

    part: str
    gap: float
    epsilon: float
    search: str
    variance: float
    samples_mean: float | None
    samples_low: float | None
    samples_high: float | None
    predicted: float | None
    wrong: int
    error_high: float
    cut_off: int


@dataclass(frozen=True, kw_only=True)
class Samples(Findings):
    """A row for each part, gap, epsilon and player."""

    rows: Sequence[Sampled]
    trials: int


def analyse(played: Sequence[Searched]) -> Samples:
    """Return all samples, and what to say of them."""
    rows = [row for each in played for row in _rows(each)]
    return Samples(
        tables={NAME: rows}, text=text(rows), rows=rows, trials=int(played[0].results.trials.size)
    )


def _rows(each: Searched) -> list[Sampled]:
    found = {player.role: row for player, row in each.rows.items()}
    variances = {
        player.role: _variance(each, index) for index, player in enumerate(each.game.players)
    }
    private = next(player for player in each.game.players if player.role == RESPONSE)
    least, most = (float(mean) for mean in (each.results.means.min(), each.results.means.max()))
    plain = found[OPEN]["samples_mean"]
    return [
        {
            "part": each.game.part,
            "gap": round(most - least, 9),
            "epsilon": private.epsilon,
            "search": role,
            "variance": variances[role],
            "samples_mean": found[role]["samples_mean"],
            "samples_low": found[role]["samples_low"],
            "samples_high": found[role]["samples_high"],
            "predicted": plain * variances[role] / variances[OPEN]
            if plain and role in SAME
            else None,
            "wrong": found[role]["wrong"],
            "error_high": found[role]["error_high"],
            "cut_off": found[role]["cut_off"],
        }
        for role in ROLES
    ]


def _variance(each: Searched, index: int) -> float:
    return float(each.results.contenders[index].facts["parameters"]["variance"])


def text(rows: Sequence[Sampled]) -> str:
    """Return the samples at the usual gap and epsilon, and how they grow."""
    here = {
        row["search"]: row
        for row in rows
        if (row["part"], row["epsilon"]) == (OVER_EPSILONS, EPSILON)
    }
    lines = [
        f"Ten arms, one better by {GAP:g}, wrong with at most {ERROR:g}, ε = {EPSILON:g}: "
        "samples (predicted from the",
        "variance by Theorem 12), and wrong answers:",
        *(
            f"  {role:<38}{_number(here[role]['samples_mean']):>10}{_predicted(here[role])}"
            for role in ROLES
        ),
        f"Response takes {_ratio(here, PRINTED, RESPONSE)} fewer samples than the printed noise; "
        "batches in the central",
        f"model take {_ratio(here, TRACK, BATCHES)} fewer than Track-and-Stop with response in "
        "the local one.",
        "Exponents of the samples: "
        + "; ".join(
            f"{role} {_exponent(rows, OVER_GAPS, 'gap', role)} in the gap and "
            f"{_exponent(rows, OVER_EPSILONS, 'epsilon', role)} in ε"
            for role in (RESPONSE, TRACK, BATCHES)
        )
        + ". Theorem 12 has -2 in both.",
    ]
    wrong = sum(row["wrong"] for row in rows)
    return "\n".join([*lines, f"Wrong answers in all searches together: {wrong}."])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _predicted(row: Sampled) -> str:
    inside = f" ({_number(row['predicted'])})" if row["search"] in SAME else ""
    return f"{inside:<14}{row['wrong']} wrong"


def _ratio(rows: dict[str, Sampled], more: str, fewer: str) -> str:
    top, bottom = rows[more]["samples_mean"], rows[fewer]["samples_mean"]
    return "-" if top is None or bottom is None else f"{top / bottom:.3g} times"


def _exponent(rows: Sequence[Sampled], part: str, over: str, role: str) -> str:
    """Return the fitted exponent, where no search was cut off."""
    mine = [
        row
        for row in rows
        if (row["part"], row["search"]) == (part, role) and row["samples_mean"] is not None
    ]
    x, y = ([number(row, key) for row in mine] for key in (over, "samples_mean"))
    found = slope(x, y) if len(mine) > 1 else math.nan
    return "-" if math.isnan(found) else f"{found:.2f}"
