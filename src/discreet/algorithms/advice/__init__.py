"""The named algorithms that play arms on the advice of experts."""

from discreet.algorithms.advice import expert_advice

__all__ = ["expert_advice"]
