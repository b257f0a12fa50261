"""Agarwal & Singh 2017, section 1.1: below which epsilon privacy stops being free, and what every counter costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.algorithms import Setting
from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.reproduce.rates import slope
from discreet.reproduce.registry import Plan, register, write_table
from discreet.reproduce.table_one import BLT, DELTA, OPEN, TREE, gaps, non_private, parts, play, private, worst
from discreet.simulation import Contender, simulate
from discreet.simulation.statistics import mean_interval

SIZE = 10  # experts
LEVEL = 1.5  # privacy costs something where regret is that many times what it is without
GAPS = (0.1, 0.01)
COUNTERS: Mapping[str, Mapping[str, Any]] = {
    "tree": {"sums": "tree", "noise": "gaussian", "padding": False},
    "tree, padded": {"sums": "tree", "noise": "gaussian", "padding": True},
    "honaker": {"sums": "honaker", "noise": "gaussian"},
    "sqrt-toeplitz": {"sums": "sqrt-toeplitz"},
    "blt": {"sums": "blt"},
}


def threshold(epsilons: Sequence[float], ratios: Sequence[float]) -> float:
    """Return the epsilon above which all ratios are below ``LEVEL``, interpolated on logarithmic scales; or NaN.

    >>> round(threshold([0.1, 1.0, 10.0], [15.0, 0.15, 0.1]), 3)
    0.316
    """
    seen = list(zip(epsilons, ratios, strict=True))
    for (left, high), (right, low) in reversed(list(itertools.pairwise(seen))):
        if low >= LEVEL:
            return math.nan
        if high >= LEVEL:
            share = math.log(high / LEVEL) / math.log(high / low)
            return math.exp((1.0 - share) * math.log(left) + share * math.log(right))
    return math.nan


@register(
    name="agarwal-singh-privacy-for-free",
    title="Agarwal & Singh 2017: from which epsilon on privacy is free for experts, and the regret of every counter at 1",
    trials=24,
    rounds=2**18,
)
def free(plan: Plan) -> str:
    """Measure regret with privacy over regret without, for many epsilons and T; find where it crosses 1.5."""
    rows = [row for rounds in _lengths(plan) for row in _ratios(plan, rounds)]
    write_table(plan.folder / "agarwal-singh-privacy-for-free.csv", rows)
    found = [_crossing(rows, approach, rounds) for approach in (TREE, BLT) for rounds in _lengths(plan)]
    write_table(plan.folder / "agarwal-singh-privacy-for-free-thresholds.csv", found)
    counters = [row for gap in GAPS for row in _counters(plan, gap)]
    write_table(plan.folder / "agarwal-singh-privacy-for-free-counters.csv", counters)
    _draw(plan, rows)
    return "\n".join([*_threshold_text(found), "", *_counter_text(plan, counters)])


def _lengths(plan: Plan) -> list[int]:
    return sorted(plan.rounds // 4**k for k in range(4) if k < 2 or plan.rounds // 4**k >= 2**10)


def _ratios(plan: Plan, rounds: int) -> list[dict[str, Any]]:
    """Return regret for every epsilon beside that without privacy, both the worst over the gaps of table 1."""
    epsilons = [float(f"{e:.4g}") for e in np.geomspace(0.01 / math.sqrt(rounds), 30.0, 16)]
    players: dict[tuple[str, float], Contender] = {
        (OPEN, math.inf): non_private("experts", Setting(arms=SIZE, rounds=rounds))
    }
    for epsilon in epsilons:
        pure = Setting(arms=SIZE, rounds=rounds, epsilon=epsilon)
        players[TREE, epsilon] = private("experts", pure, sums="tree")
        players[BLT, epsilon] = private("experts", replace(pure, delta=DELTA), sums="blt")
    bars = parts(plan.step(f"T = {rounds:,}"), len(gaps("experts", rounds)))
    cells = play(plan, "experts", SIZE, rounds, players, bars)
    floor, _ = worst(cells, (OPEN, math.inf))
    bounds = {cell.who: cell.bound for cell in cells}
    proved = bounds[OPEN, math.inf] or math.nan
    rows = []
    for (approach, epsilon), bound in bounds.items():
        regret, _ = worst(cells, (approach, epsilon))
        rows.append(
            {
                "approach": approach,
                "delta": DELTA if approach == BLT else 0.0,
                "T": rounds,
                "epsilon": epsilon,
                "epsilon_sqrt_T": epsilon * math.sqrt(rounds),
                "regret_mean": regret.value,
                "regret_low": regret.low,
                "regret_high": regret.high,
                "ratio": regret.value / floor.value,
                "regret_bound": bound,
                "ratio_of_bounds": (bound or math.nan) / proved,
            }
        )
    return rows


def _crossing(rows: Sequence[Mapping[str, Any]], approach: str, rounds: int) -> dict[str, Any]:
    mine = [row for row in rows if row["approach"] == approach and row["T"] == rounds]
    epsilons = [row["epsilon"] for row in mine]
    measured, proved = (threshold(epsilons, [row[key] for row in mine]) for key in ("ratio", "ratio_of_bounds"))
    return {
        "approach": approach,
        "T": rounds,
        "epsilon": measured,
        "epsilon_sqrt_T": measured * math.sqrt(rounds),
        "epsilon_of_bounds": proved,
        "epsilon_of_bounds_sqrt_T": proved * math.sqrt(rounds),
    }


def _counters(plan: Plan, gap: float) -> list[dict[str, Any]]:
    """Return the regret behind every counter at epsilon 1, against Bernoulli losses with one expert better by a gap.

    Every counter plays twice: with the learning rate that is best for its bound, and with that of no privacy.
    """
    setting = Setting(arms=SIZE, rounds=plan.rounds, epsilon=1.0, delta=DELTA)
    players = {OPEN: non_private("experts", setting)}
    rate = players[OPEN].facts["parameters"]["learning_rate"]
    for name, options in COUNTERS.items():
        players[name] = private("experts", setting, **options)
        players[f"{name}, same rate"] = private("experts", setting, learning_rate=rate, **options)
    results = simulate(
        [replace(player, label=name) for name, player in players.items()],
        environment="linear-stochastic",
        options={"points": "experts", "gap": gap},
        dimension=SIZE,
        rounds=plan.rounds,
        trials=plan.trials,
        seed=plan.seed,
        progress=plan.step(f"counters, gap {gap:g}"),
    )
    final = results.regret[:, :, -1]
    means = {name: mean_interval(regret) for name, regret in zip(players, final, strict=True)}
    rows = []
    for name in (OPEN, *COUNTERS):
        mean, same = means[name], means[OPEN if name == OPEN else f"{name}, same rate"]
        rows.append(
            {
                "gap": gap,
                "counter": name,
                "regret_mean": mean.value,
                "regret_low": mean.low,
                "regret_high": mean.high,
                "ratio": mean.value / means[OPEN].value,
                "regret_bound": players[name].facts["regret_bound"],
                "learning_rate": players[name].facts["parameters"]["learning_rate"],
                "same_rate_regret_mean": same.value,
                "same_rate_regret_low": same.low,
                "same_rate_regret_high": same.high,
                "same_rate_ratio": same.value / means[OPEN].value,
            }
        )
    return rows


def _threshold_text(found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        f"{SIZE} experts. The epsilon* below which privacy costs: above it regret is less than {LEVEL:g} times that of",
        "FTRL without privacy, each at its worst of the gaps 2, 16 and 128 / sqrt(T). The paper's claim, free from",
        "1 / sqrt(T) on, is about bounds, up to logarithms of T and powers of N: epsilon* sqrt(T) is what that hides.",
        f"  {'':<12}{'T':>9}  {'epsilon*':>9}  {'times sqrt(T)':>13}  {'of the bounds':>13}  {'times sqrt(T)':>13}",
    ]
    for approach in (TREE, BLT):
        mine = [row for row in found if row["approach"] == approach]
        lines += [
            f"  {approach:<12}{row['T']:>9,}  {row['epsilon']:>9.3g}  {row['epsilon_sqrt_T']:>13.0f}"
            f"  {row['epsilon_of_bounds']:>13.3g}  {row['epsilon_of_bounds_sqrt_T']:>13.0f}"
            for row in mine
        ]
        slopes = [
            slope([row["T"] for row in usable], [row[key] for row in usable])
            for key in ("epsilon", "epsilon_of_bounds")
            for usable in [[row for row in mine if not math.isnan(row[key])]]
        ]
        lines.append(
            f"  {'':<12}epsilon* ~ T^{slopes[0]:.2f}, that of the bounds T^{slopes[1]:.2f} (without logarithms T^-0.50)"
        )
    return lines


def _counter_text(plan: Plan, counters: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        f"Regret at ε = 1, δ = {DELTA:g}, T = {plan.rounds:,}, {SIZE} experts, Bernoulli losses, one better by the gap;",
        "with the learning rate that is best for the proved bound, and with that of no privacy:",
        f"  {'gap':<6}{'':<15}{'regret':>8}  {'95 % interval':<18}{'ratio':>5}  {'bound':>6}    same rate  ratio",
    ]
    for row in counters:
        bound = "none" if row["regret_bound"] is None else f"{row['regret_bound']:.0f}"
        between = "" if math.isnan(row["regret_low"]) else f"{row['regret_low']:.1f} to {row['regret_high']:.1f}"
        lines.append(
            f"  {row['gap']:<6g}{row['counter']:<15}{row['regret_mean']:>8.1f}  {between:<18}{row['ratio']:>5.2f}"
            f"  {bound:>6}  {row['same_rate_regret_mean']:>11.1f}  {row['same_rate_ratio']:>5.2f}"
        )
    return lines


def _draw(plan: Plan, rows: Sequence[Mapping[str, Any]]) -> None:
    pyplot = plotting()
    figure, panels = pyplot.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained", sharey=True)
    for axes, approach, title in zip(panels, (TREE, BLT), ("tree, (ε, 0)", f"BLT, (ε, {DELTA:g})"), strict=True):
        for index, rounds in enumerate(_lengths(plan)):
            mine = [row for row in rows if row["approach"] == approach and row["T"] == rounds]
            x, y = ([row[key] for row in mine] for key in ("epsilon_sqrt_T", "ratio"))
            label = f"T = {rounds:,}" if axes is panels[0] else None
            axes.plot(x, y, color=COLOURS[index], marker=MARKERS[index], markersize=5, linewidth=1.4, label=label)
        axes.axhline(LEVEL, color="grey", linestyle="--", label=f"ratio {LEVEL:g}" if axes is panels[0] else None)
        axes.axvline(1.0, color="grey", linestyle=":", label="ε = 1 / √T" if axes is panels[0] else None)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(title, fontsize=11)
        axes.set_xlabel("ε √T", fontsize=10)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=9)
    panels[0].set_ylabel("worst regret with privacy / without", fontsize=10)
    figure.legend(loc="outside lower center", ncols=6, fontsize=9, frameon=False)
    figure.suptitle(f"Where privacy starts to cost: {SIZE} experts, {plan.trials} trials", fontsize=12)
    figure.savefig(plan.folder / "agarwal-singh-privacy-for-free.png", dpi=130)
    pyplot.close(figure)
