"""How tight the bounds are: the worst regret that a search finds, for every algorithm with one.

    python benchmarks/stress.py [--write docs/stress.md] [--tries 300] [--trials 96] [--only NAME]

Takes about ten minutes. With ``--only``, which may be repeated, other rows stay as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from discreet import list_algorithms, stress
from discreet.problems import Arms
from discreet.stressing import Stress

EPSILONS, ARMS, ROUNDS = (1.0, 0.1), 4, 65_536
START = "<!-- stress -->"
HEAD = "| algorithm | ε | bound | worst regret found | bound / regret | in the game |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    parser.add_argument("--tries", type=int, default=300)
    parser.add_argument("--trials", type=int, default=96)
    parser.add_argument("--only", action="append")
    given = parser.parse_args()
    rows = []
    for name, known in list_algorithms(Arms).items():
        private = known.build(known.setting(arms=ARMS, rounds=ROUNDS)).guarantee.is_private
        for epsilon in EPSILONS if private else EPSILONS[:1]:
            built = known.build(known.setting(arms=ARMS, rounds=ROUNDS, epsilon=epsilon))
            if built.regret_bound is None or (given.only and name not in given.only):
                continue
            worst = stress(
                name,
                arms=ARMS,
                rounds=ROUNDS,
                epsilon=epsilon,
                tries=given.tries,
                trials=given.trials,
            )
            rows.append(row(worst, private))
            print(rows[-1], flush=True)
    text = given.write.read_text() if given.write else f"{START}\n"
    if given.only:
        kept = [line for line in text.split(START)[1].splitlines() if line.startswith("| `")]
        rows += [line for line in kept if line.split("`")[1] not in given.only]
    rows.sort(key=lambda line: -float(line.split(" | ")[4].replace("–", "0")))
    table = "\n".join(
        [text.split(START)[0] + START, "", HEAD, "|---|---:|---:|---:|---:|---|", *rows]
    )
    if given.write is None:
        print(table)
    else:
        given.write.write_text(table + "\n")


def row(worst: Stress, private: bool) -> str:
    """Return the line of the table."""
    epsilon = f"{worst.epsilon:g}" if private else "–"
    half = (worst.high - worst.low) / 2.0
    ratio = "–" if worst.ratio is None else f"{worst.ratio:.2f}"
    return (
        f"| `{worst.algorithm}` | {epsilon} | {worst.bound:,.0f} | {worst.regret:,.0f} ± "
        f"{half:,.0f} | {ratio} | {worst.game} |"
    )


if __name__ == "__main__":
    main()
