"""Audit correct mechanisms repeatedly and count the alarms: at most 1 of 100 may raise one.

    python benchmarks/false_alarms.py 1000

takes about half an hour. Every audit has its own seed and is complete: first the searches for
leaks, then the attacks. Of the mechanisms, 18 are from this package (six at three epsilons); the
others keep state between releases, or release few different values. A second argument is the first
seed.
"""

from __future__ import annotations

import sys
from collections import Counter

from scipy import stats
from sound_mechanisms import SQUARE, UNIT, device, stateful

from discreet import Private, Range, audit
from discreet.auditing.bounds import CONFIDENCE
from discreet.channels import Batch, PerRound, Restarting, RunningSum
from discreet.contracts import Protected
from discreet.factorisations import Tree
from discreet.learners import EntropyFtrl, Exp3
from discreet.mechanisms import Gaussian, Laplace, RandomisedResponse

TRIALS = 1_000


def mechanisms() -> dict[str, Protected]:
    """Return all mechanisms by name."""
    found = dict(stateful())
    for epsilon in (0.2, 1.0, 3.0):
        tree = RunningSum.calibrated(SQUARE, Tree, prefixes=7, noise="laplace", epsilon=epsilon)
        found |= {
            f"batches, epsilon {epsilon:g}": Batch.laplace(
                size=3, epsilon=epsilon, bounds=Range(-1.0, 1.0)
            ),
            f"laplace, epsilon {epsilon:g}": PerRound(
                UNIT, Laplace.calibrate(sensitivity=1.0, epsilon=epsilon)
            ),
            f"gaussian, epsilon {epsilon:g}": PerRound(
                UNIT, Gaussian.calibrate(sensitivity=1.0, epsilon=epsilon, delta=1e-5)
            ),
            f"response, epsilon {epsilon:g}": PerRound(
                UNIT, RandomisedResponse.calibrate(bounds=UNIT, epsilon=epsilon)
            ),
            f"tree, epsilon {epsilon:g}": tree,
            f"epochs, epsilon {epsilon:g}": Restarting.calibrated(
                SQUARE, Tree, noise="laplace", epsilon=epsilon
            ),
        }
    privates: dict[str, Protected] = {"a device": device()}
    for name, channel in found.items():
        learner = EntropyFtrl.start(dimension=2, learning_rate=0.1)
        if not channel.one_stream:
            learner = Exp3.start(arms=2, learning_rate=0.1)
        privates[name] = Private(channel, learner)
    return privates


def alarms(audits: int, first: int = 0) -> Counter[str]:
    """Return the number of alarms by mechanism."""
    known = list(mechanisms().items())
    found: Counter[str] = Counter()
    for seed in range(first, first + audits):
        name, private = known[seed % len(known)]
        found[name] += audit(private, trials=TRIALS, seed=seed).violated
        if seed % 100 == 99:
            print(f"{seed + 1 - first} audits: {found.total()} alarms", file=sys.stderr, flush=True)
    return found


def main() -> None:
    audits = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = alarms(audits, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    chance = stats.binom.sf(found.total() - 1, audits, 1.0 - CONFIDENCE)
    print(
        f"{found.total()} alarms in {audits} audits of {len(found)} correct mechanisms; the stated "
        f"maximum is {1 - CONFIDENCE:.0%}."
    )
    print(f"The probability of this many or more is {chance:.2g} if every audit errs at that rate.")
    for name, number in found.items():
        if number:
            print(f"  {name}: {number}")


if __name__ == "__main__":
    main()
