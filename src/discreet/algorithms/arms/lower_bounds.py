"""Lower bounds on regret under differential privacy, proved in docs/regret.md: Lower bounds.

The first two are for two arms and the games ``drop`` and ``drop-alternate``, and are about the
larger of the two expected regrets: ``any_private`` holds for every ε-differentially private
algorithm, ``quick_private`` only for those that drop the worse arm quickly. The last is about long
games with arms that do not change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from discreet.learners.arms.private_indices import private_divergence

LARGEST = 600.0  # of an exponent: beyond, the bound is negligible


def any_private(rounds: int, epsilon: float) -> float:
    """Return the lower bound for every ε-differentially private algorithm (Lower bounds).

    It is for ``drop-alternate`` with ``switch=0``, where the second arm is better from the start.
    It grows as ln(ε T) / (2 ε).

    >>> round(any_private(2**16, 0.1), 2), round(any_private(2**16, 1.0), 2)
    (30.2, 4.2)
    """
    tail = math.expm1(-epsilon * rounds) / math.expm1(-epsilon)  # S
    first, second, weight = tail * rounds / (2.0 * (rounds + tail)), 0.0, 0.0
    for pulls in range(rounds):
        weight += math.exp(min(epsilon * pulls, LARGEST)) / (rounds - pulls)
        bound = (pulls + 1) / (2.0 * (1.0 + weight))
        if bound < second:  # it rises, then falls
            break
        second = bound
    return max(first, second)


def quick_private(rounds: int, epsilon: float, switch: int = 0) -> float:
    """Return the lower bound for algorithms that drop the worse arm quickly (Lower bounds).

    That is Lemma 15 of Faster rates 2025, repaired, at the number of pulls p < ln 2 / ε with the
    largest bound and the share γ with the least. ``switch`` is the round t₀ after which the second
    arm is better. The bound is 0 if no p is possible, that is, from ε = ln 2 on.

    >>> [round(quick_private(2**16, epsilon), 1) for epsilon in (0.1, 0.3, 1.0)]
    [91.0, 51.5, 0.0]
    """
    most = min(math.ceil(math.log(2.0) / epsilon) - 1, (rounds - switch) // 2)
    return max((_at_least(rounds, epsilon, switch, p) for p in range(1, most + 1)), default=0.0)


def _at_least(rounds: int, epsilon: float, switch: int, pulls: int) -> float:
    """Return the least over γ of max{γ T / 4, (1 - e^(ε p) / 2) (p / γ - p) / 2 - t₀ / 2}.

    The first grows with γ and the second falls, so the minimum is where they meet, if γ is allowed.
    """
    unseen = 1.0 - math.exp(epsilon * pulls) / 2.0
    half = (unseen * pulls + switch) / 2.0
    meet = (math.sqrt(half * half + rounds * unseen * pulls / 2.0) - half) / (rounds / 2.0)
    share = min(max(meet, pulls / (rounds - switch)), 0.5)
    late = unseen * (pulls / share - pulls) / 2.0 - switch / 2.0
    return max(share * rounds / 4.0, late, 0.0)


def private_rate(means: Sequence[float], epsilon: float, *, constant: bool) -> float:
    """Return the least regret per unit of ln T, for long games (Lower bounds with marks).

    ``means`` are mean gains. If gains are ``constant``, it is Theorem R24, and otherwise, for
    Bernoulli gains, the bound of Azize et al. (2025). It is for algorithms whose regret grows more
    slowly than every power of T in all games with independent gains in [0, 1]. If the best mean is
    1, no arm can be raised above it, and the bound is 0.

    >>> round(private_rate([0.55, 0.5], 0.1, constant=False), 1)
    13.3
    >>> round(private_rate([0.55, 0.5], 0.1, constant=True), 1)
    5.2
    """
    best, found = max(means), 0.0
    if best >= 1.0:
        return 0.0
    for mean in means:
        if mean < best:
            share = (best - mean) / (1.0 - mean)
            least = -math.log1p(share * math.expm1(-epsilon))
            found += (best - mean) / (
                least if constant else private_divergence(mean, best, epsilon)
            )
    return found
