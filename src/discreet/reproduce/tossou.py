"""Tossou & Dimitrakakis 2017, Figure 1: three algorithms against five adversaries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.algorithms import Setting
from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.reproduce.registry import Plan, register, write_table
from discreet.simulation import Contender, Results, simulate
from discreet.simulation.statistics import median_of_means

ARMS = 4
ADVERSARIES = ("deterministic", "stochastic", "fully-oblivious", "oblivious", "switching-costs")
SMALL = (1.0, 0.1)


def paper_epsilon(rounds: int) -> float:
    """Return 28 K ln K + sqrt(112 K ln K ln T), the privacy loss of Corollary 3.2."""
    size = ARMS * math.log(ARMS)
    return 28.0 * size + math.sqrt(112.0 * size * math.log(rounds))


def paper_batch(rounds: int) -> int:
    """Return (T / (7 K ln K))^(1/3), the batch size of Corollary 3.2."""
    return max(1, math.ceil(math.cbrt(rounds / (7.0 * ARMS * math.log(ARMS)))))


@register(
    name="tossou-figure-1",
    title="Tossou & Dimitrakakis 2017, Figure 1, at the paper's epsilon and at 1 and 0.1",
    trials=720,
    rounds=2**18,
)
def figure(plan: Plan) -> str:
    """Draw five panels at the paper's epsilon, and five at epsilon 1 and 0.1, which the paper does not show."""
    epsilon, delta = paper_epsilon(plan.rounds), plan.rounds**-2.0

    def setting(value: float) -> Setting:
        return Setting(arms=ARMS, rounds=plan.rounds, epsilon=value, delta=delta)

    ordinary = Contender.named("exp3-gain", setting(1.0))
    batched = Contender.named("exp3-tau", setting(epsilon), batch_size=paper_batch(plan.rounds))
    paper = [ordinary, Contender.named("dp-exp3-lap", setting(epsilon)), batched]
    ours = [ordinary]
    for value in SMALL:
        ours += [Contender.named(name, setting(value)) for name in ("dp-exp3-lap", "exp3-tau", "batched-htinf")]

    both = list({contender.label: contender for contender in (*paper, *ours)}.values())
    rows: list[dict[str, Any]] = []
    found: dict[str, Results] = {}
    for adversary in ADVERSARIES:
        found[adversary] = simulate(
            both,
            environment=adversary,
            arms=ARMS,
            rounds=plan.rounds,
            trials=plan.trials,
            seed=plan.seed,
            progress=plan.step(adversary),
        )
        for row in found[adversary].summary():
            keys = ("label", "epsilon", "regret_median_of_means", "regret_gini_low", "regret_gini_high", "regret_mean")
            rows.append({"adversary": adversary, **{key: row[key] for key in keys}})
    write_table(plan.folder / "tossou-figure-1.csv", rows)
    _draw(plan, found, paper, "tossou-figure-1.png", f"at the paper's ε = {epsilon:.1f}")
    _draw(plan, found, ours, "tossou-figure-1-small-epsilon.png", "at ε = 1 and 0.1, which the paper does not show")
    tight = batched.private.guarantee.epsilon
    return (
        f"The paper compares at epsilon = {epsilon:.1f} (delta = T^-2): odds may change by a factor of e^{epsilon:.0f}, "
        f"which protects nobody. By our proof EXP3_tau with the same batches of {paper_batch(plan.rounds)} is "
        f"({tight:.4g}, {delta:.2g})-private."
    )


def _draw(plan: Plan, found: dict[str, Results], contenders: list[Contender], name: str, title: str) -> None:
    pyplot = plotting()
    figure, panels = pyplot.subplots(1, len(found), figsize=(3.1 * len(found), 3.4), layout="constrained")
    for axes, (adversary, results) in zip(panels, found.items(), strict=True):
        labels = [contender.label for contender in results.contenders]
        for index, contender in enumerate(contenders):
            regret = results.regret[labels.index(contender.label)]
            bars = np.array([median_of_means(column) for column in regret.T])
            style = {"color": COLOURS[index % len(COLOURS)], "label": contender.label}
            axes.plot(results.checkpoints, bars[:, 0], linewidth=1.3, **style)
            spots = np.unique([np.abs(results.checkpoints - x * results.rounds).argmin() for x in (0.25, 0.5, 0.75, 1.0)])
            below, above = bars[spots, 0] - bars[spots, 1], bars[spots, 2] - bars[spots, 0]
            axes.errorbar(
                results.checkpoints[spots],
                bars[spots, 0],
                yerr=[below, above],
                fmt=MARKERS[index % len(MARKERS)],
                color=style["color"],
                markersize=3,
                capsize=2,
                linewidth=0.8,
            )
        axes.set_title(adversary, fontsize=9)
        axes.set_xlabel("rounds", fontsize=8)
        axes.set_xticks([0, results.rounds // 2, results.rounds])
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("regret (median of means)", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    figure.suptitle(
        f"Regret against five adversaries {title}; {plan.trials} trials, bars: Gini's mean difference", fontsize=10
    )
    figure.savefig(plan.folder / name, dpi=150)
    pyplot.close(figure)
