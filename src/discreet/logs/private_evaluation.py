"""A private release of what a fixed policy would have earned: clipped weights and exact noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from discreet.contracts import Floats
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_choice, check_int, check_positive, shorten
from discreet.guarantee import Guarantee, Json
from discreet.guarantee_facts import FactsInHtml
from discreet.ledger import Ledger
from discreet.logs.evaluation import importance
from discreet.logs.fixed_policies import (
    GivenProbabilities,
    LinearScores,
    checked_probabilities,
    policy_of,
)
from discreet.logs.log import Label, Log
from discreet.mechanisms.exact import ExactLaplace, movement
from discreet.ranges import make_range
from discreet.sensitivities import clipped_weight, clipped_weight_pair

EstimatorName = Literal["ips", "snips"]
BITS = 30  # of a row's term, which is a fraction of the largest weight
MOST_BITS = 52  # of a sum, which a double must hold exactly
ROOM = 1.0 + 2.0**-20  # allowance for rounding two sums to the grid of the noise
SOURCE = "clipped weights (docs/proofs.md: Evaluation of a fixed policy)"
DATUM = "row of the log (context, arm, probability and outcome)"
SEEN = "the released estimate; not the log, and nothing else that is computed from it"


@dataclass(frozen=True, kw_only=True)
class PrivateEvaluation(FactsInHtml):
    """A released estimate, with its guarantee; ``noise_scale`` is that of the Laplace noise.

    The noise scale is in units of the estimate for IPS, and of the two mean sums for SNIPS.
    """

    policy: str
    estimator: EstimatorName
    value: float | None  # None if the noise made an estimate impossible
    noise_scale: float
    rows: int
    max_weight: float
    rows_per_user: int
    guarantee: Guarantee

    def as_dict(self) -> Json:
        """Return everything for JSON."""
        return {
            "policy": self.policy,
            "estimator": self.estimator,
            "value": self.value,
            "noise_scale": self.noise_scale,
            "rows": self.rows,
            "max_weight": self.max_weight,
            "rows_per_user": self.rows_per_user,
            "private": True,
            "guarantee": self.guarantee.as_dict(),
        }

    def __str__(self) -> str:
        value = "no estimate" if self.value is None else f"{self.value:.5g}"
        return (
            f"{self.estimator.upper()} of policy {self.policy}, released with noise of scale "
            f"{self.noise_scale:.3g}: {value} ({self.guarantee.short})"
        )


def release_evaluation(
    log: object,
    policy: object,
    *,
    epsilon: float,
    max_weight: float,
    arms: Sequence[Label] | None = None,
    estimator: EstimatorName = "ips",
    rows_per_user: int = 1,
    low: float = 0.0,
    high: float = 1.0,
    ledger: Ledger | None = None,
    position: int | str | None = None,
    columns: str | Mapping[str, str] | None = None,
) -> PrivateEvaluation:
    """Release what a fixed policy would have earned, with exact noise.

    Weights are clipped at ``max_weight`` (W), and outcomes to the range from ``low`` to ``high``.
    The number n of rows is public. Replacing one row then moves the mean of w r, with r in [0, 1],
    by at most W / n; Laplace noise of scale m W / (n ε) hides all m = ``rows_per_user`` rows of a
    user. SNIPS releases Σ w r and Σ w (1 - r), which together move by at most 2 W, and divides.
    Clipping biases the estimate towards ``low``, for SNIPS towards rows with small weights.

    The guarantee requires that the policy, W, the arms and the range were fixed without looking at
    this log. So ``arms`` must be declared. Policies that learn are refused, and so are functions
    and tables of probabilities, which may depend on other rows. Each call is a separate release: a
    ``ledger`` adds them up. Nothing else that is computed from the log is private.

    >>> log = {"item_id": [0, 1] * 5000, "click": [1, 0] * 5000, "propensity_score": [0.5] * 10000}
    >>> found = release_evaluation(log, "arm=0", epsilon=1.0, max_weight=2.0, arms=[0, 1])
    >>> found.noise_scale, abs(found.value - 1.0) < 0.01
    (0.0002..., True)
    """
    pair = check_choice("estimator", estimator, ("ips", "snips")) == "snips"
    most, budget = check_positive("max_weight", max_weight), check_positive("epsilon", epsilon)
    users = check_int("rows_per_user", rows_per_user, minimum=1)
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {shorten(ledger)}, but must be a Ledger.")
    chosen, bounds = policy_of(policy), make_range(low, high)
    if isinstance(chosen, GivenProbabilities):
        raise DiscreetError(
            "policy is a table or a function, whose probabilities may depend on other rows of the "
            "log: give 'uniform', 'arm=LABEL', shares by label or LinearScores."
        )
    rows = (
        log
        if isinstance(log, Log)
        else Log.read(log, position=position, columns=columns, arms=arms)
    )
    if not rows.labels_declared:
        raise DiscreetError(
            "arms were read from the rows of the log, so that one row could change them: declare "
            "them with arms=[...]."
        )
    if isinstance(chosen, LinearScores) and rows.levels_found:
        raise DiscreetError(
            "features are levels that were read from the rows of the log, so that one row could "
            "change them: give features that are numbers."
        )
    noise = calibrated(budget, users, pair=pair)
    guarantee = Guarantee.of(
        Pure(budget),
        delta=0.0,
        model="central",
        source=SOURCE,
        rounds=users,
        seen=SEEN,
        datum=DATUM,
    )
    weights, _ = importance(rows, checked_probabilities(chosen, rows), most)
    shares = np.clip((rows.outcome - bounds.low) / bounds.width, 0.0, 1.0)
    if ledger is not None:
        ledger.charge(guarantee, label=f"evaluation of {chosen.name}")
    gained, lost = grid_sums(weights / most, shares)
    unit = most / rows.rows
    noisy = noise.add_noise(gained, None)
    value = _share(noisy, noise.add_noise(lost, None)) if pair else noisy * unit
    return PrivateEvaluation(
        policy=chosen.name,
        estimator="snips" if pair else "ips",
        value=None if value is None else bounds.low + bounds.width * value,
        noise_scale=noise.scale * unit * (1.0 if pair else bounds.width),
        rows=rows.rows,
        max_weight=most,
        rows_per_user=users,
        guarantee=guarantee,
    )


def calibrated(epsilon: float, users: int, *, pair: bool) -> ExactLaplace:
    """Return noise for one sum, or for each of two, in units of the largest weight.

    The sums are rounded to the grid of the noise, which adds at most one step for each of them.
    """
    if not pair:
        alone = clipped_weight(largest=1.0, rows=users).l1
        return ExactLaplace.calibrate(sensitivity=alone, epsilon=epsilon)
    change = clipped_weight_pair(largest=1.0, rows=users).l1
    noise = ExactLaplace.calibrate(sensitivity=change * ROOM, epsilon=epsilon)
    if movement(change, noise.step) + 1 > Fraction(epsilon) * Fraction(noise.steps):
        raise DiscreetError(f"epsilon is {epsilon!r}, which is too small for exact noise.")
    return noise


def grid_sums(weights: Floats, shares: Floats) -> tuple[float, float]:
    """Return Σ w r and Σ w (1 - r) on a grid, exactly, for w and r in [0, 1].

    A row's two terms add up to its weight on the grid. So one row moves the first sum by at most 1,
    and both together by at most 2.
    """
    bits = min(BITS, MOST_BITS - math.ceil(math.log2(weights.size + 1)))
    # a log that was made by hand may contain anything
    weights, shares = (
        np.clip(np.nan_to_num(part, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
        for part in (weights, shares)
    )
    whole = np.rint(weights * 2.0**bits).astype(np.int64)
    gained = np.minimum(np.rint(weights * shares * 2.0**bits).astype(np.int64), whole)
    total, mine = int(whole.sum()), int(gained.sum())
    return mine / 2**bits, (total - mine) / 2**bits


def _share(gained: float, lost: float) -> float | None:
    """Return gained / (gained + lost), or None if the noise made a sum negative."""
    if gained < 0.0 or lost < 0.0 or gained + lost <= 0.0:
        return None
    return gained / (gained + lost)
