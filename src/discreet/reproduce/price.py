"""The price of privacy: regret over epsilon for every private algorithm, with the best without privacy as the floor."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.algorithms import Setting, algorithms
from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.reproduce.registry import Plan, register, write_table
from discreet.simulation import simulate

ARMS = 4
EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(0.001, 10.0, 9))
TWINS = ("exp3", "exp3-gain", "htinf", "ftpl", "tsallis-inf")


def private_names() -> list[str]:
    """Return the algorithms whose guarantee follows the epsilon that is asked for."""
    promises = {name: known.build(Setting(delta=1e-6)).guarantee for name, known in algorithms("arms").items()}
    return [name for name, promise in promises.items() if promise.is_private and promise.epsilon > 0.0]


@register(
    name="price-of-privacy",
    title="regret over epsilon from 0.001 to 10 for every private algorithm",
    trials=24,
    rounds=2**17,
)
def figure(plan: Plan) -> str:
    """Draw mean regret over epsilon with confidence bands, against the stochastic adversary."""
    names = private_names()
    results = simulate(
        ["uniform", *TWINS, *names],
        environment="stochastic",
        arms=ARMS,
        rounds=plan.rounds,
        trials=plan.trials,
        epsilon=EPSILONS,
        delta=1e-6,
        seed=plan.seed,
        progress=plan.step("price of privacy"),
    )
    keys = ("algorithm", "label", "epsilon", "regret_mean", "regret_low", "regret_high", "regret_bound")
    rows: list[dict[str, Any]] = [{key: row[key] for key in keys} for row in results.summary()]
    write_table(plan.folder / "price-of-privacy.csv", rows)

    pyplot = plotting()
    drawing, axes = pyplot.subplots(figsize=(7.0, 4.2), layout="constrained")
    for index, name in enumerate(names):
        mine = sorted((row for row in rows if row["algorithm"] == name), key=lambda row: float(row["epsilon"]))
        x = [row["epsilon"] for row in mine]
        style = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "markersize": 4}
        axes.plot(x, [row["regret_mean"] for row in mine], label=name, linewidth=1.2, **style)
        if plan.trials > 1:
            low, high = [row["regret_low"] for row in mine], [row["regret_high"] for row in mine]
            axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
    means = {row["algorithm"]: row["regret_mean"] for row in rows if row["algorithm"] in ("uniform", *TWINS)}
    floor = min(TWINS, key=lambda name: means[name])
    axes.axhline(means["uniform"], color="grey", linestyle=":", label="uniform play (0-DP)")
    axes.axhline(means[floor], color="black", linestyle="--", label=f"{floor} (no privacy)")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("ε")
    axes.set_ylabel("mean regret, 95 % bands")
    axes.set_title(
        f"The price of privacy: stochastic losses, {ARMS} arms, {plan.rounds:,} rounds, {plan.trials} trials", fontsize=10
    )
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    drawing.savefig(plan.folder / "price-of-privacy.png", dpi=150)
    pyplot.close(drawing)
    best = min((row for row in rows if row["algorithm"] in names), key=lambda row: float(row["regret_mean"]))
    return (
        f"Without privacy the least regret is {means[floor]:,.0f} ({floor}); "
        f"with it, {best['regret_mean']:,.0f} ({best['label']})."
    )
