"""Regret bounds on losses in [0, 1], fixed in advance: one function each, with the section of docs/regret.md it is from.

All of them are on the expected regret against the best fixed arm, over ``plays`` plays of ``arms`` arms.
"""

from __future__ import annotations

import math

FIRST = 16  # plays in which Tsallis-INF has no baseline, as its learning rate is at least 1


def tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of reduced-variance Tsallis-INF with c = 4 (docs/regret.md: Tsallis-INF)."""
    if plays <= FIRST:
        return plays
    slow = math.sqrt(plays) * (2.0 * math.sqrt(arms) - 1.0) - 4.0 * math.sqrt(arms)
    return slow + arms * (10.0 / 3.0 * math.log(plays / FIRST) + 8.0 / 3.0) + FIRST


def weighted_tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of importance-weighted Tsallis-INF with c = 2 (docs/regret.md: Tsallis-INF)."""
    return (4.0 * math.sqrt(arms) - 2.0) * math.sqrt(plays)
