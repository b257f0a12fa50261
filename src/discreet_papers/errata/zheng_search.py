"""Zheng et al. 2020, Theorem 12: best-arm search."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from discreet.algorithms import Setting, reference
from discreet.problems import BestArm
from discreet.simulation import Contender, search
from discreet_papers.errata.registry import erratum

ARMS, DELTA, TRIALS = 10, 1e-5, 12
MEANS = (0.4, *(0.6 for _ in range(ARMS - 1)))
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "printed": ("local-lil-ucb", {"calibration": "paper"}),
    "exact": ("local-lil-ucb", {"noise": "gaussian"}),
    "response": ("local-lil-ucb", {}),
    "none": ("lil-ucb", {}),
}


@erratum(
    paper=reference("zheng2020locally").short,
    place="Theorem 12: samples of best-arm search",
    printed="SA(A, 1/4 + σ², γ) samples, with σ as in "
    "Theorem 2, "
    "which is "
    "sqrt(2 "
    "ln(1.25 / "
    "δ)) / ε.",
    ours="SA(A, coth²(ε/2) / 4, γ), with randomised "
    "response: "
    "sub-Gaussian, for "
    "every "
    "ε and "
    "without a δ.",
    verdict="too large",
)
def samples() -> str:
    """Let lil' UCB search with each kind of noise."""
    setting = Setting(BestArm(ARMS, 0.1), epsilon=1.0, delta=DELTA)
    contenders = [
        replace(Contender.named(name, setting, **options), label=kind)
        for kind, (name, options) in KINDS.items()
    ]
    results = search(
        contenders, problem=setting.problem, options={"means": MEANS}, trials=TRIALS, seed=1
    )
    found = {row["label"]: row for row in results.summary()}
    mean = {kind: found[kind]["samples_mean"] or math.nan for kind in KINDS}
    variance = {
        each.label: float(each.facts["parameters"]["variance"]) for each in results.contenders
    }
    wrong = sum(row["wrong"] for row in found.values())
    return (
        "one arm of ten better by 0.2, γ = 0.1, ε = 1, δ = "
        f"{DELTA:g}, "
        "lil' UCB "
        "as in "
        "practice, "
        f"{TRIALS} trials: "
        f"{mean['printed']:,.0f} "
        "samples with the printed noise (1/4 + σ² = "
        f"{variance['printed']:.1f}), "
        f"{mean['exact']:,.0f} with "
        "exact "
        "Gaussian "
        "noise "
        f"({variance['exact']:.1f}), "
        f"{mean['response']:,.0f} "
        "with "
        "response "
        f"({variance['response']:.2f}), "
        "that is "
        f"{mean['printed'] / mean['response']:.1f} times "
        "fewer, and "
        f"{mean['none']:,.0f} "
        "without "
        "privacy. "
        f"Wrong answers: {wrong}. `discreet reproduce "
        "zheng-theorem-12` has "
        "other "
        "gaps and "
        "epsilons."
    )
