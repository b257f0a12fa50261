"""Tossou & Dimitrakakis 2017, as printed."""

from __future__ import annotations

import math

from discreet.algorithms import Instance, Setting, algorithm
from discreet.problems import Arms
from discreet_papers.calibrations.claims import printed


@printed("dp-exp3-lap")
def dp_exp3_lap(
    setting: Setting[Arms], *, mixing: float | None = None, margin: float | None = None
) -> Instance:
    """Algorithm 1: discreet has the paper's noise and parameters, which are right and tight."""
    return algorithm("dp-exp3-lap").build(setting, mixing=mixing, margin=margin)


@printed("dp-lambda-lap")
def dp_lambda_lap(
    setting: Setting[Arms], *, base: str = "tsallis-inf", margin: float | None = None
) -> Instance:
    """Section 3.1: noisy losses outside [-b, 1 + b] are ignored, b = ln T / ε."""
    reach = math.log(setting.rounds) / setting.epsilon if margin is None else margin
    return algorithm("dp-lambda-lap").build(setting, base=base, margin=reach, beyond="ignore")


@printed("exp3-tau")
def exp3_tau(setting: Setting[Arms], *, batch_size: int | None = None) -> Instance:
    """Corollary 3.3: batches of ((4 T ε + 2 T ln(1/δ)) / ε²)^(1/3) rounds.

    It needs a delta; the paper's T^-2 is taken if none is given.
    """
    rounds, epsilon, delta = setting.rounds, setting.epsilon, setting.delta
    log = math.log(1.0 / delta) if delta > 0.0 else 2.0 * math.log(rounds)
    size = float((4.0 * rounds * epsilon + 2.0 * rounds * log) / epsilon**2) ** (1.0 / 3.0)
    usual = int(min(max(1, math.ceil(size)), rounds))
    return algorithm("exp3-tau").build(
        setting, batch_size=usual if batch_size is None else batch_size
    )
