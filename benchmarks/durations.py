"""Durations of live operations under two neighbouring inputs: the epsilon that they reveal."""

from __future__ import annotations

import sys
from collections.abc import Callable

from discreet import (
    Advisor,
    Bandit,
    ContextualBandit,
    Experts,
    Features,
    Optimizer,
    VectorOptimizer,
    audit_durations,
)
from discreet.live.client import LiveClient

USUAL = {"horizon": 10_000, "epsilon": 1.0}
CLIENTS: dict[str, Callable[[], LiveClient]] = {
    "the default": lambda: Bandit(arms=4, **USUAL),
    "one bit": lambda: Bandit(arms=4, algorithm="one-bit-tsallis-inf", **USUAL),
    "randomised response": lambda: Bandit(
        arms=4, algorithm="local-tsallis-inf", noise="response", **USUAL
    ),
    "clip": lambda: Bandit(arms=4, clip=True, **USUAL),
    "wait": lambda: Bandit(arms=4, wait=60.0, default_loss=0.0, **USUAL),
    "Laplace, batches": lambda: Bandit(arms=4, algorithm="batched-exp3", **USUAL),
    "Laplace, every round": lambda: Bandit(arms=4, algorithm="noisy-exp2", **USUAL),
    "Gaussian, every round": lambda: Bandit(
        arms=4, algorithm="local-tsallis-inf", noise="gaussian", delta=1e-6, **USUAL
    ),
    "table, batches": lambda: Bandit(
        arms=4, algorithm="batched-tsallis-inf", noise="optimal", batch_size=3, **USUAL
    ),
    "advice": lambda: Advisor(arms=2, experts=3, **USUAL),
    "experts, Laplace": lambda: Experts(experts=3, **USUAL),
    "experts, Gaussian": lambda: Experts(experts=3, delta=1e-6, **USUAL),
    "experts, wait": lambda: Experts(
        experts=3, delta=1e-6, wait=60.0, default_losses=[0.5] * 3, **USUAL
    ),
    "cube": lambda: VectorOptimizer(geometry="cube", dimension=3, delta=1e-6, **USUAL),
    "contexts": lambda: ContextualBandit(Features(2, context=2), delta=1e-6, **USUAL),
    "final release": lambda: Bandit(arms=4, final=0.5, **USUAL),
    "held-out rounds": lambda: Bandit(arms=4, explore=0.1, **USUAL),
    "slates": lambda: Optimizer(
        domain="k-sets(5,2)", delta=1e-6, batch_size=2, when_vacuous="play", **USUAL
    ),
}


def main(trials: int, parts: list[str]) -> None:
    """Print the results, one line for each kind of client."""
    for name, client in CLIENTS.items():
        if not parts or any(part in name for part in parts):
            found = audit_durations(client(), trials=trials)
            print(f"{name}: epsilon at least {found.lower_bound:.3g} ({found.attack}; ", end="")
            print(f"{found.medians[0]:,.0f} and {found.medians[1]:,.0f} ns)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, sys.argv[2:])
