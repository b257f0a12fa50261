"""The final regret of everybody, and what the paper's epsilon means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet_papers.reproduce.files import part_of
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.registry import Findings
from discreet_papers.reproduce.tossou_figure_1.sweep import (
    paper_batch,
    paper_delta,
    paper_epsilon,
    paper_players,
)

NAME = "tossou-figure-1"
COLUMNS = (
    "label",
    "epsilon",
    "regret_median_of_means",
    "regret_gini_low",
    "regret_gini_high",
    "regret_mean",
    "regret_low",
    "regret_high",
)


@dataclass(frozen=True, kw_only=True)
class Regrets(Findings):
    """Regret over time, in one game an adversary."""

    played: Sequence[Played]


def analyse(played: Sequence[Played]) -> Regrets:
    """Return medians of means, and by how much the paper overstates the privacy loss of its own algorithm."""
    rows = [
        {"adversary": each.game.environment, **part_of(row, COLUMNS)}
        for each in played
        for row in each.results.summary()
    ]
    rounds = played[0].game.rounds
    epsilon = paper_epsilon(rounds)
    tight = played[0].contender(paper_players(rounds)[-1]).private.guarantee.epsilon
    text = (
        f"The paper compares at epsilon = {epsilon:.1f} (delta = T^-2): odds may change by a "
        f"factor of e^{epsilon:.0f}, which protects nobody. By our proof EXP3_tau with the same "
        f"batches of {paper_batch(rounds)} is ({tight:.4g}, {paper_delta(rounds):.2g})-private."
    )
    return Regrets(tables={NAME: rows}, text=text, trials=played[0].trials, played=played)
