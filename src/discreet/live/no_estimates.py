"""Alternatives to estimates, for live classes whose releases give no intervals."""

from __future__ import annotations

from discreet.errors import DiscreetError

INSTEAD = {
    "Experts": "the weights that ask() returns show which experts are best so far",
    "Advisor": "for means of arms, run a Bandit, with holdout= if it should learn, too",
    "Optimizer": "the points that ask() returns show what is best so far; for the means of a few "
    "points or slates, run a Bandit with them as arms",
    "VectorOptimizer": "the points that ask() returns show what is best so far",
    "SlateBandit": "for means of items, run a Bandit with the items as arms",
    "ContextualBandit": "to compare policies, log some decisions made at random, and use "
    "discreet evaluate (docs/logs.md)",
}


def no_estimates(client: str) -> DiscreetError:
    """Return the error for a live class without estimates."""
    instead = INSTEAD.get(client, "see docs/estimates.md")
    return DiscreetError(
        f"{client} has no estimates with intervals; only Bandit and BestArmSearch do: {instead}."
    )
