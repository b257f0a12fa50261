"""A bandit in a program: decisions overlap, outcomes come late, and the state survives a restart.

Run it with: python examples/late_feedback.py
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from discreet import Bandit

SUCCESS = {"letter": 0.30, "call": 0.40, "visit": 0.65}


def main() -> None:
    chance = random.Random(1)
    bandit = Bandit(arms=list(SUCCESS), horizon=20_000, epsilon=1.0)
    print(f"{bandit.algorithm}: {bandit.guarantee}")
    waiting = []
    chosen = dict.fromkeys(SUCCESS, 0)
    with tempfile.TemporaryDirectory() as folder:
        for day in range(20_000):
            decision = bandit.ask()
            chosen[decision.arm] += 1
            waiting.append(decision)
            if len(waiting) > 25:  # the outcome of some earlier decision comes in
                earlier = waiting.pop(chance.randrange(len(waiting)))
                bandit.tell(earlier, reward=float(chance.random() < SUCCESS[earlier.arm]))
            if day == 10_000:  # a restart in the middle
                bandit.save(Path(folder) / "bandit.json")
                bandit = Bandit.load(Path(folder) / "bandit.json")
    for arm, count in chosen.items():
        print(f"{arm:8} success {SUCCESS[arm]:.0%}  chosen {count / 20_000:.0%}")


if __name__ == "__main__":
    main()
