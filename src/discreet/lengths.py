"""Checks of sizes and indices; errors name both numbers, in plain and in compiled code."""

from __future__ import annotations

from discreet.components import guard

__all__ = [
    "check_arm",
    "check_arms",
    "check_context",
    "check_expert",
    "check_experts",
    "check_group",
    "check_point",
    "check_query",
    "check_vector",
]

check_query = guard("query has {:,} entries, but the channel expects {:,}.", equal=True)
check_context = guard("the context has {:,} features, but the channel expects {:,}.", equal=True)
check_vector = guard("the vector has {:,} dimensions, but its noise was made for {:,}.", equal=True)
check_point = guard(
    "the point that was played has {:,} entries, but the losses have {:,}.", equal=True
)
check_experts = guard("the advice has {:,} experts, but the learner was made for {:,}.", equal=True)
check_arms = guard("the advice has {:,} arms, but the learner was made for {:,}.", equal=True)
check_arm = guard("action {:,} was played, but the game has {:,} arms, counted from 0.")
check_expert = guard("expert {:,} was followed, but the game has {:,} experts, counted from 0.")
check_group = guard("query is of arm {:,}, but the channel was made for {:,} arms, counted from 0.")
