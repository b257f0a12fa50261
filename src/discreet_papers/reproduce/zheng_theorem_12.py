"""Zheng et al. 2020, Theorem 12: samples of private best-arm search, over the gap and over epsilon.

Ten arms, one of them better by a gap: four gaps at epsilon 1, and five epsilons at a gap of 0.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from discreet.environments import environment
from discreet.plot import set_heading, set_log_axes
from discreet.problems import BestArm
from discreet.simulation import Interval, SearchRow, search
from discreet_papers.reproduce.drawing import add_legend_below, draw_means, make_panels
from discreet_papers.reproduce.fitting import fit_slope
from discreet_papers.reproduce.games import Entrant, SweepGame, make_contender, split_progress
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    ShowProgress,
    SweepPlan,
    TableRow,
    read_number,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "zheng-theorem-12"
ARMS, ERROR, DELTA = 10, 0.1, 1e-5
HORIZON = 2**26
GAPS, EPSILONS = (0.05, 0.1, 0.2, 0.4), (0.25, 0.5, 1.0, 2.0, 4.0)
GAP, EPSILON = 0.2, 1.0  # of the other part
OVER_GAPS, OVER_EPSILONS = "samples over the gap", "samples over epsilon"

OPEN = "lil' UCB, no privacy"
PRINTED = "lil' UCB, Theorem 12 as printed"
GAUSSIAN = "lil' UCB, exact Gaussian noise"
RESPONSE = "lil' UCB, randomised response"
TRACK = "Track-and-Stop, randomised response"
BATCHES = "elimination on batches (central)"
ROLES = (PRINTED, GAUSSIAN, RESPONSE, TRACK, BATCHES, OPEN)
SAME = (PRINTED, GAUSSIAN, RESPONSE, OPEN)  # these searches differ only in their noise


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return a game for every gap and every epsilon; ``rounds`` is the horizon."""
    over_gaps = (make_game(OVER_GAPS, gap, EPSILON, rounds) for gap in GAPS)
    over_epsilons = (make_game(OVER_EPSILONS, GAP, epsilon, rounds) for epsilon in EPSILONS)
    return (*over_gaps, *over_epsilons)


def make_game(part: str, gap: float, epsilon: float, rounds: int) -> SweepGame:
    """Return the search of all players for one arm that loses less by a gap."""
    means = (0.5 - gap / 2.0, *(0.5 + gap / 2.0 for _ in range(ARMS - 1)))
    return SweepGame(
        part=part,
        environment="stochastic",
        problem=BestArm(ARMS, ERROR),
        rounds=rounds,
        players=entrants(epsilon),
        options=(("means", means),),
    )


def entrants(epsilon: float) -> tuple[Entrant, ...]:
    """Return all players at one epsilon."""
    lil = "local-lil-ucb"
    paper, gaussian = (("calibration", "paper"),), (("noise", "gaussian"),)
    return (
        Entrant(algorithm=lil, epsilon=epsilon, delta=DELTA, options=paper, role=PRINTED),
        Entrant(algorithm=lil, epsilon=epsilon, delta=DELTA, options=gaussian, role=GAUSSIAN),
        Entrant(algorithm=lil, epsilon=epsilon, role=RESPONSE),
        Entrant(algorithm="local-track-and-stop", epsilon=epsilon, role=TRACK),
        Entrant(algorithm="batched-successive-elimination", epsilon=epsilon, role=BATCHES),
        Entrant(algorithm="lil-ucb", role=OPEN),
    )


# Play: every search runs until it has its answer


@dataclass(frozen=True, kw_only=True)
class SearchedGame:
    """A game after all of its searches; rows and variances by the role of the player."""

    game: SweepGame
    gap: float
    trials: int
    rows: Mapping[str, SearchRow]
    variances: Mapping[str, float]  # of a noisy loss


def play(sweep: Sequence[SweepGame], plan: SweepPlan) -> list[SearchedGame]:
    """Play all games of a sweep, one after the other."""
    parts = {
        part: [game for game in sweep if game.part == part]
        for part in dict.fromkeys(game.part for game in sweep)
    }
    return [
        play_search(game, plan, bar)
        for part, games in parts.items()
        for game, bar in zip(games, split_progress(plan.step(part), len(games)), strict=True)
    ]


def play_search(
    game: SweepGame, plan: SweepPlan, progress: ShowProgress | None = None
) -> SearchedGame:
    """Let all players of a game search."""
    results = search(
        [make_contender(game, player) for player in game.players],
        environment=environment(
            game.environment, game.problem, rounds=game.rounds, **dict(game.options)
        ),
        rounds=game.rounds,
        trials=plan.trials,
        seed=plan.seed,
        on=plan.on,
        progress=progress,
    )
    roles = [player.role for player in game.players]
    variances = [float(each.facts["parameters"]["variance"]) for each in results.contenders]
    return SearchedGame(
        game=game,
        gap=round(float(results.searches.means.max()) - float(results.searches.means.min()), 9),
        trials=int(results.trials.size),
        rows=dict(zip(roles, results.summary(), strict=True)),
        variances=dict(zip(roles, variances, strict=True)),
    )


# Analysis: samples, and those predicted by Theorem 12, in proportion to the variance


class SampleRow(TypedDict):
    """The cost of one search; None where trials were cut off."""

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

    rows: Sequence[SampleRow]
    trials: int


def analyse(played: Sequence[SearchedGame]) -> Samples:
    """Return all samples, and the text about them."""
    rows = [row for each in played for row in _sample_rows(each)]
    return Samples(tables={NAME: rows}, text=describe(rows), rows=rows, trials=played[0].trials)


def _sample_rows(each: SearchedGame) -> list[SampleRow]:
    private = next(player for player in each.game.players if player.role == RESPONSE)
    found, variances = each.rows, each.variances
    without = found[OPEN]["samples_mean"]
    return [
        {
            "part": each.game.part,
            "gap": each.gap,
            "epsilon": private.epsilon,
            "search": role,
            "variance": variances[role],
            "samples_mean": found[role]["samples_mean"],
            "samples_low": found[role]["samples_low"],
            "samples_high": found[role]["samples_high"],
            "predicted": without * variances[role] / variances[OPEN]
            if without and role in SAME
            else None,
            "wrong": found[role]["wrong"],
            "error_high": found[role]["error_high"],
            "cut_off": found[role]["cut_off"],
        }
        for role in ROLES
    ]


def describe(rows: Sequence[SampleRow]) -> str:
    """Return the samples at the usual gap and epsilon, and how they grow."""
    here = {
        row["search"]: row
        for row in rows
        if (row["part"], row["epsilon"]) == (OVER_EPSILONS, EPSILON)
    }
    lines = [
        f"Ten arms, one better by {GAP:g}, wrong with probability at most {ERROR:g}, ε = "
        f"{EPSILON:g}: samples (predicted by",
        "Theorem 12 from the variance), and wrong answers:",
        *(
            f"  {role:<38}{_format(here[role]['samples_mean']):>10}{_format_rest(here[role])}"
            for role in ROLES
        ),
        f"Response takes {_format_ratio(here, PRINTED, RESPONSE)} fewer samples than the printed "
        "noise; batches in the central",
        f"model take {_format_ratio(here, TRACK, BATCHES)} fewer than Track-and-Stop with "
        "response in the local one.",
        "Exponents of the samples: "
        + "; ".join(
            f"{role} {_format_exponent(rows, OVER_GAPS, 'gap', role)} in the gap and "
            f"{_format_exponent(rows, OVER_EPSILONS, 'epsilon', role)} in ε"
            for role in (RESPONSE, TRACK, BATCHES)
        )
        + ". Theorem 12 has -2 in both.",
    ]
    wrong = sum(row["wrong"] for row in rows)
    return "\n".join([*lines, f"Wrong answers in all searches together: {wrong}."])


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _format_rest(row: SampleRow) -> str:
    inside = f" ({_format(row['predicted'])})" if row["search"] in SAME else ""
    return f"{inside:<14}{row['wrong']} wrong"


def _format_ratio(rows: dict[str, SampleRow], more: str, fewer: str) -> str:
    top, bottom = rows[more]["samples_mean"], rows[fewer]["samples_mean"]
    return "-" if top is None or bottom is None else f"{top / bottom:.3g} times"


def _format_exponent(rows: Sequence[SampleRow], part: str, over: str, role: str) -> str:
    """Return the exponent fitted to the searches that were not cut off."""
    mine = [
        row
        for row in rows
        if (row["part"], row["search"]) == (part, role) and row["samples_mean"] is not None
    ]
    x, y = ([read_number(row, key) for row in mine] for key in (over, "samples_mean"))
    found = fit_slope(x, y) if len(mine) > 1 else math.nan
    return "-" if math.isnan(found) else f"{found:.2f}"


# Drawing


def draw(found: Samples) -> Mapping[str, Figure]:
    """Draw mean samples over the gap and over epsilon; a search that was cut off has no point."""
    figure, (left, right) = make_panels(1, 2, (9.6, 5.2), dpi=130, sharey=True)
    for panel, part, over, values in (
        (left, OVER_GAPS, "gap", GAPS),
        (right, OVER_EPSILONS, "epsilon", EPSILONS),
    ):
        for index, role in enumerate(ROLES):
            mine = [
                row
                for row in found.rows
                if (row["part"], row["search"]) == (part, role) and row["samples_mean"]
            ]
            if mine:
                draw_means(
                    panel,
                    [read_number(row, over) for row in mine],
                    [_interval(row) for row in mine],
                    index,
                    role if panel is left else None,
                )
        set_log_axes(panel, rounds=values)
    left.set_ylabel("mean samples, 95 % bars")
    left.set_xlabel(f"gap, as a fraction of the range (ε = {EPSILON:g})")
    right.set_xlabel(f"ε, smaller is more private (gap {GAP:g})")
    add_legend_below(figure, columns=2)
    set_heading(
        figure,
        f"Private search for the best of {ARMS} arms, wrong with probability at most {ERROR:g}: "
        f"{found.trials} trials",
    )
    return {NAME: figure}


def _interval(row: TableRow) -> Interval:
    low, high = (
        math.nan if row[key] is None else read_number(row, key)
        for key in ("samples_low", "samples_high")
    )
    return Interval(read_number(row, "samples_mean"), low, high)


register_reproduction(
    Reproduction(
        name=NAME,
        title="samples of private best-arm search over gap and epsilon",
        trials=48,
        rounds=HORIZON,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
