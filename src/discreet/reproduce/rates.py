"""Faster rates 2025, Table 1, first row: how regret grows with T and with 1 / epsilon, for old and new algorithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.reproduce.registry import Plan, register, write_table
from discreet.simulation import simulate

ARMS = 4
FIXED = (0.01, 0.1, 1.0)
# Algorithm, and the exponents of T and of 1 / epsilon in its bound.
ALGORITHMS = {
    "dp-exp3-lap": (0.5, 1.0),
    "noisy-exp2": (0.5, 1.0),
    "batched-exp3": (0.5, 0.5),
    "batched-htinf": (0.5, 0.5),
    "batched-ftpl": (0.5, 0.5),
    "batched-tsallis-inf": (math.nan, math.nan),
}


def slope(x: list[float], y: list[float]) -> float:
    """Return the least-squares slope of log y over log x."""
    usable = [(a, b) for a, b in zip(x, y, strict=True) if b > 0.0]
    if len(usable) < 2:
        return math.nan
    return float(np.polyfit(np.log([a for a, _ in usable]), np.log([b for _, b in usable]), 1)[0])


@register(
    name="faster-rates-table-1",
    title="Faster rates 2025, Table 1, adversarial row: regret over T and epsilon, with fitted exponents",
    trials=24,
    rounds=2**20,
)
def table(plan: Plan) -> str:
    """Measure regret for T = 2^12 ... 2^20 and four epsilons against the deterministic adversary; fit exponents."""
    lengths = [2**k for k in range(12, 21, 2) if 2**k <= plan.rounds] or [plan.rounds]
    regret: dict[tuple[str, int, float], float] = {}
    bars: dict[tuple[str, int, float], float] = {}
    rows: list[dict[str, Any]] = []
    for rounds in lengths:
        results = simulate(
            ["uniform", *ALGORITHMS],
            environment="deterministic",
            arms=ARMS,
            rounds=rounds,
            trials=plan.trials,
            epsilon=[rounds**-0.5, *FIXED],
            seed=plan.seed,
            progress=plan.step(f"T = {rounds:,}"),
        )
        for row in results.summary():
            rows.append({key: row[key] for key in ("algorithm", "rounds", "epsilon", "regret_mean", "regret_bound")})
            regret[row["algorithm"], rounds, round(row["epsilon"], 9)] = row["regret_mean"]
            half = 0.0 if row["regret_high"] is None else row["regret_high"] - row["regret_mean"]
            bars[row["algorithm"], rounds, round(row["epsilon"], 9)] = half
    write_table(plan.folder / "faster-rates-table-1.csv", rows)

    fits: list[dict[str, Any]] = []
    for name, (in_rounds, in_epsilon) in ALGORITHMS.items():
        over_rounds = slope([float(t) for t in lengths], [regret[name, t, 1.0] for t in lengths])
        over_epsilon = slope([1.0 / e for e in FIXED], [regret[name, lengths[-1], e] for e in FIXED])
        fits.append(
            {
                "algorithm": name,
                "exponent_of_T": over_rounds,
                "theory": in_rounds,
                "exponent_of_1/epsilon": over_epsilon,
                "theory_epsilon": in_epsilon,
            }
        )
    write_table(plan.folder / "faster-rates-table-1-exponents.csv", fits)
    _draw(plan, lengths, regret, bars)
    lines = [
        f"  {fit['algorithm']:<20} T^{fit['exponent_of_T']:.2f} (bound: {fit['theory']:.1f})   "
        f"(1/epsilon)^{fit['exponent_of_1/epsilon']:.2f} (bound: {fit['theory_epsilon']:.1f})"
        for fit in fits
    ]
    return "Fitted exponents at epsilon = 1 and at the largest T, beside those of the bounds:\n" + "\n".join(lines)


def _draw(
    plan: Plan,
    lengths: list[int],
    regret: dict[tuple[str, int, float], float],
    bars: dict[tuple[str, int, float], float],
) -> None:
    pyplot = plotting()
    figure, panels = pyplot.subplots(1, 2, figsize=(7.2, 3.6), layout="constrained")
    for index, name in enumerate(ALGORITHMS):
        style = {"color": COLOURS[index], "marker": MARKERS[index], "markersize": 4, "linewidth": 1.2, "capsize": 2}
        for axes, x, where in (
            (panels[0], lengths, [(name, t, 1.0) for t in lengths]),
            (panels[1], FIXED, [(name, lengths[-1], e) for e in FIXED]),
        ):
            label = name if axes is panels[0] else None
            axes.errorbar(x, [regret[w] for w in where], yerr=[bars[w] for w in where], label=label, **style)
    uniform = [regret["uniform", t, 0.0] for t in lengths]
    panels[0].plot(lengths, uniform, color="grey", linestyle=":", label="uniform (0-DP)")
    panels[1].axhline(uniform[-1], color="grey", linestyle=":")
    panels[0].set_title("over T, all 1-differentially private", fontsize=9)
    panels[0].set_xlabel("rounds T", fontsize=8)
    panels[0].set_ylabel("mean regret", fontsize=8)
    panels[1].set_title(f"over ε, at T = {lengths[-1]:,}", fontsize=9)
    panels[1].set_xlabel("ε (pure differential privacy)", fontsize=8)
    for axes in panels:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(alpha=0.3, which="both")
        axes.tick_params(labelsize=7)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    title = f"Regret of old and new private bandits, deterministic adversary, {plan.trials} trials, 95 % bars"
    figure.suptitle(title, fontsize=10)
    figure.savefig(plan.folder / "faster-rates-table-1.png", dpi=150)
    pyplot.close(figure)
