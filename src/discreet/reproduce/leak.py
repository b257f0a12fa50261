"""Faster rates 2025, Figure 1: EXP3 in loss form leaks one changed loss, and the gain form does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.contracts import Floats
from discreet.environments import Leak
from discreet.kernel import compile_for
from discreet.learners import Exp3, Exp3Gain
from discreet.learners.arms.draws import Draw
from discreet.plot.regret import COLOURS, plotting
from discreet.reproduce.registry import Plan, register, write_table

RATE = 1e-4


def forced(learner: Any, losses: Floats, mixing: float, probabilities: Floats) -> None:
    """Let a learner on two arms see alternating actions, the second arm first; note the second arm's probabilities."""
    values = learner.weights.values
    for t in range(losses.shape[0]):
        second = (1.0 - mixing) * values[1] / (values[0] + values[1]) + mixing / 2.0
        probabilities[t] = second
        arm = 1 - t % 2
        probability = second if arm == 1 else 1.0 - second
        learner.learn(Draw(arm, 1.0 / probability), losses[t, arm])


def probabilities(form: str, rounds: int, *, neighbour: bool, rate: float = RATE) -> Floats:
    """Return the second arm's probability in every round of the forced game."""
    learner: Any = Exp3.start(arms=2, learning_rate=rate, mixing=rate)
    if form == "gains":
        learner = Exp3Gain.start(arms=2, mixing=rate)
    losses = Leak(2, neighbour=neighbour).deal(0, rounds, np.random.default_rng(0)).losses
    found = np.empty(rounds)
    compile_for(forced, learner)(learner, losses, rate, found)
    return found


@register(
    name="faster-rates-figure-1",
    title="Faster rates 2025, Figure 1: the leak of EXP3 on losses, and none on gains",
    trials=1,
    rounds=1_000_000,
)
def figure(plan: Plan) -> str:
    """Draw the second arm's probability in both neighbouring games, for losses and for gains."""
    pyplot = plotting()
    drawing, panels = pyplot.subplots(1, 2, figsize=(7.0, 3.0), layout="constrained", sharey=True)
    spots = np.unique(np.geomspace(1, plan.rounds, 400).astype(int)) - 1
    rows: list[dict[str, Any]] = []
    worst = {}
    for axes, form in zip(panels, ("losses", "gains"), strict=True):
        one, two = (probabilities(form, plan.rounds, neighbour=neighbour) for neighbour in (False, True))
        worst[form] = float(np.abs(np.log(one / two)).max())
        linear = np.linspace(0, plan.rounds - 1, 800).astype(int)
        axes.plot(linear + 1, one[linear], color=COLOURS[0], label="$P_t(2)$: one loss is 0")
        axes.plot(linear + 1, two[linear], color=COLOURS[1], linestyle="--", label="$P'_t(2)$: that loss is 1")
        axes.set_title(f"EXP3 on {form}: log-ratio up to {worst[form]:.2g}", fontsize=9)
        axes.set_xlabel("rounds", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
        rows += [{"form": form, "round": int(t) + 1, "p": one[t], "p_neighbour": two[t]} for t in spots]
    panels[0].set_ylabel("probability of the second arm", fontsize=8)
    panels[0].legend(fontsize=8, frameon=False)
    drawing.savefig(plan.folder / "faster-rates-figure-1.png", dpi=150)
    pyplot.close(drawing)
    write_table(plan.folder / "faster-rates-figure-1.csv", rows)
    return (
        f"After one changed loss, the log-ratio of a probability reaches {worst['losses']:.3g} for EXP3 on losses, "
        f"and {worst['gains']:.3g} on gains."
    )
