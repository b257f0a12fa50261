"""A bandit in a program: decisions overlap, outcomes come late, and the state survives a restart.

Run it with: python examples/late_feedback.py
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from discreet import Bandit

ROUNDS = 3_000
SUCCESS = {"letter": 0.30, "call": 0.40, "visit": 0.65}


def main() -> None:
    chance = random.Random(1)
    waiting = []
    chosen = dict.fromkeys(SUCCESS, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        bandit = Bandit(arms=list(SUCCESS), horizon=ROUNDS, epsilon=1.0, path=path)
        print(f"{bandit.algorithm}: {bandit.guarantee}")
        for day in range(ROUNDS):
            decision = bandit.ask()
            chosen[decision.arm] += 1
            waiting.append(decision)
            if len(waiting) > 25:  # the outcome of some earlier decision comes in
                earlier = waiting.pop(chance.randrange(len(waiting)))
                bandit.tell(earlier, reward=float(chance.random() < SUCCESS[earlier.arm]))
            if day == ROUNDS // 2:  # a restart in the middle
                bandit.close()
                bandit = Bandit.open(path)
        bandit.close()
    for arm, count in chosen.items():
        print(f"{arm:8} success {SUCCESS[arm]:.0%}  chosen {count / ROUNDS:.0%}")


if __name__ == "__main__":
    main()
