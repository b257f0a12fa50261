"""How tight bounds are: the worst regret that a search finds, for every algorithm with a bound.

    python benchmarks/stress.py [--write docs/stress.md] [--tries 300] [--trials 96]

Takes about ten minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from discreet import list_algorithms, stress
from discreet.problems import Arms

EPSILONS, ARMS, ROUNDS = (1.0, 0.1), 4, 65_536
START = "<!-- stress -->"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    parser.add_argument("--tries", type=int, default=300)
    parser.add_argument("--trials", type=int, default=96)
    given = parser.parse_args()
    found = []
    for name, known in list_algorithms(Arms).items():
        private = known.build(known.setting(arms=ARMS, rounds=ROUNDS)).guarantee.is_private
        for epsilon in EPSILONS if private else EPSILONS[:1]:
            built = known.build(known.setting(arms=ARMS, rounds=ROUNDS, epsilon=epsilon))
            if built.regret_bound is None:
                continue
            worst = stress(
                name,
                arms=ARMS,
                rounds=ROUNDS,
                epsilon=epsilon,
                tries=given.tries,
                trials=given.trials,
            )
            found.append((worst, private))
            print(worst, flush=True)
    found.sort(key=lambda each: -(each[0].ratio or 0.0))
    lines = ["| algorithm | ε | bound | worst regret found | bound / regret | in the game |"]
    lines += ["|---|---:|---:|---:|---:|---|"]
    for worst, private in found:
        epsilon = f"{worst.epsilon:g}" if private else "–"
        half = (worst.high - worst.low) / 2.0
        ratio = "–" if worst.ratio is None else f"{worst.ratio:.2f}"
        lines.append(
            f"| `{worst.algorithm}` | {epsilon} | {worst.bound:,.0f} | {worst.regret:,.0f} ± "
            f"{half:,.0f} | {ratio} | {worst.game} |"
        )
    if given.write is None:
        print("\n".join(lines))
        return
    text = given.write.read_text()
    given.write.write_text("\n".join([text.split(START)[0] + START, "", *lines, ""]))


if __name__ == "__main__":
    main()
