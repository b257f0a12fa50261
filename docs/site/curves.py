"""Measure the small figures on the algorithms' pages: ``python docs/site/curves.py [NAME ...]``.

Each algorithm plays its usual game beside its non-private version. Writes curves.json, which is
kept: to measure takes some minutes, to make the site less than one.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np

from discreet import DiscreetError, simulate
from discreet.algorithms.registry import Algorithm, list_algorithms

ROUNDS, TRIALS, DELTA, POINTS = 16_384, 8, 1e-6, 24


def measured(known: Algorithm) -> dict[str, object] | None:
    """Return the mean regret over rounds; None for searches, which have none."""
    if known.problem.stops:
        return None
    names = [known.name, *([known.twin] if known.twin else [])]
    game = {"rounds": ROUNDS, "trials": TRIALS, "epsilon": 1.0, "seed": 1}
    try:
        results = simulate(names, **game)
    except DiscreetError:
        game["delta"] = DELTA
        results = simulate(names, **game)
    places = np.unique(np.linspace(0, len(results.checkpoints) - 1, POINTS).astype(int))
    regret = results.regret.mean(axis=1)[:, places]
    where = f"`{results.environment}`"
    return {
        "words": f"Mean regret of {TRIALS} games of {ROUNDS:,} rounds at ε = 1 ({where}).",
        "rounds": [0, *(int(results.checkpoints[each]) for each in places)],
        "regret": {
            name: [0.0, *(round(float(each), 1) for each in line)]
            for name, line in zip(names, regret, strict=True)
        },
    }


def main() -> None:
    """Measure all, and write them."""
    warnings.simplefilter("ignore")
    target, only = Path(__file__).with_name("curves.json"), sys.argv[1:]
    found = json.loads(target.read_text()) if only else {}
    for name, known in list_algorithms().items():
        if only and name not in only:
            continue
        curve = measured(known)
        if curve is not None:
            found[name] = curve
        print(name, "no regret" if curve is None else "", flush=True)
    ordered = {name: found[name] for name in list_algorithms() if name in found}
    lines = (f" {json.dumps(name)}: {json.dumps(each)}" for name, each in ordered.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    target.write_text(text)


if __name__ == "__main__":
    main()
