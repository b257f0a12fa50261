"""From how many rounds the proved bounds for private contextual bandits are not vacuous.

python benchmarks/context_bounds.py

A bound is vacuous unless it is below the maximum regret of uniform play, (1 - 1 / K) T. The numbers
of rounds are powers of 2. ``least_regret.py`` puts the table on its page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from discreet import Setting, algorithm
from discreet.problems import Contexts

ARMS, DELTA, SHORT = 10, 1e-6, 18
FEATURES, EPSILONS = (2, 5, 10), (1.0, 0.3, 0.1)
LEAST, MOST = 8, 60  # powers of 2 that are tried
HEAD = """## Where the bounds for contexts are not vacuous

The bounds of `constants=theory` ([regret.md](regret.md): Linear rewards at a trusted server, Linear
and generalised linear rewards) hold with probability 0.95; here for 10 arms and δ = 1e-6. The table
shows the bound per round at 2^18 rounds, and the number of rounds from which it is below 0.9, the
maximum for uniform play.

"""
COLUMNS = ("algorithm", "features", "ε", "bound / T at 2^18", "below uniform play from")


class Proof(NamedTuple):
    """An algorithm with a proved bound, its options, and where the search for a power begins."""

    name: str
    options: tuple[tuple[str, object], ...]
    guess: int


PROOFS = (
    Proof("joint-linucb", (("constants", "theory"),), 17),
    Proof("local-linucb", (("constants", "theory"), ("noise", "gaussian")), 36),
    Proof("local-glm", (("constants", "theory"),), 36),
)


def bound_per_round(proof: Proof, features: int, epsilon: float, power: int) -> float:
    setting = Setting(Contexts(ARMS, features), rounds=2**power, epsilon=epsilon, delta=DELTA)
    found = algorithm(proof.name).build(setting, **dict(proof.options)).confident_bound
    return float(found.regret) / 2**power


def first_power(proof: Proof, features: int, epsilon: float, guess: int) -> int:
    """Return the smallest power of 2 whose bound is not vacuous: bounds / T decrease."""
    power, most = guess, 1.0 - 1.0 / ARMS
    while power < MOST and bound_per_round(proof, features, epsilon, power) >= most:
        power += 1
    while power > LEAST and bound_per_round(proof, features, epsilon, power - 1) < most:
        power -= 1
    return power


def lines(
    proofs: tuple[Proof, ...] = PROOFS,
    features: tuple[int, ...] = FEATURES,
    epsilons: tuple[float, ...] = EPSILONS,
) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" * len(COLUMNS) + "|"
    for proof in proofs:
        for size in features:
            power = proof.guess
            for epsilon in epsilons:
                power = first_power(proof, size, epsilon, power)
                short = bound_per_round(proof, size, epsilon, SHORT)
                yield f"| `{proof.name}` | {size} | {epsilon:g} | {short:,.2f} | 2^{power} |"


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
