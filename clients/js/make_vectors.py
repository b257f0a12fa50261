"""Write the test vectors that Python and JavaScript share: ``python make_vectors.py``."""

from __future__ import annotations

import hashlib
import json
import math
import random
from pathlib import Path
from unittest import mock

import numpy as np

from discreet import LocalServer
from discreet.live.messages import task_for
from discreet.mechanisms import ExactHemisphere
from discreet.mechanisms.bits import BITS, SHARE_BITS, RandomisedResponse, least_share
from discreet.mechanisms.exact_directions import SEED, direction_of
from discreet.ranges import Range

PLACE = Path(__file__).parent / "test" / "vectors.json"


class Drawn:
    """The operating system's randomness, given in advance."""

    def __init__(self, coin: bytes, seed: bytes = b"") -> None:
        self._coin, self._seed = coin, seed

    def randbits(self, bits: int) -> int:
        """Return the coin as a whole number, as the client reads it."""
        return int.from_bytes(self._coin, "big") >> (64 - bits)

    def token_bytes(self, count: int) -> bytes:
        """Return the seed."""
        return self._seed[:count]


def responses(rng: random.Random) -> list[object]:
    """Return values, coins and answers; half of the coins lie at the edge of the answer."""
    rows: list[object] = []
    for _ in range(200):
        low = rng.choice([0.0, rng.uniform(-3.0, 1.0)])
        high = low + rng.choice([0.1, 1.0, 3.7, 1e-3])
        value = rng.choice([low, high, rng.uniform(low, high)])
        epsilon = rng.choice([0.1, 1.0, 4.0])
        noise = RandomisedResponse.calibrate(bounds=Range(low, high), epsilon=epsilon)
        exact = noise.exact(noise.guarantee(1.0, model="local", source=""), 1.0)
        share = round(min(1.0, max(0.0, noise.bounds.fraction(value))) * 2.0**SHARE_BITS)
        edge = exact.least + -(-share * ((1 << BITS) - 2 * exact.least) >> SHARE_BITS)
        number = rng.choice([rng.getrandbits(BITS), edge, edge - 1])
        coin = (number << (64 - BITS)).to_bytes(8, "big")
        with mock.patch("discreet.mechanisms.bits.secrets", Drawn(coin)):
            upper = exact.add_noise(value, None) > 0.5 * (low + high)
        rows.append([low, high, value, epsilon, coin.hex(), bool(upper)])
    return rows


def reports(rng: random.Random) -> list[object]:
    """Return vectors, the random bytes drawn for them, and the reports."""
    rows: list[object] = []
    for _ in range(120):
        size = rng.choice([1, 2, 3, 10, 65])
        vector = np.array([rng.gauss(0.0, 1.0) for _ in range(size)])
        # math adds in the same order on every processor, NumPy does not
        vector *= rng.choice([0.0, 0.3, 0.9, 1.0]) / math.hypot(*vector)
        epsilon, seed, coin = rng.choice([0.5, 1.0, 3.0]), rng.randbytes(SEED), rng.randbytes(8)
        with mock.patch("discreet.mechanisms.exact_directions.secrets", Drawn(coin, seed)):
            report = ExactHemisphere.calibrate(dimension=size, epsilon=epsilon).encode(vector)
        direction = direction_of(seed, size).tolist()
        rows.append([vector.tolist(), epsilon, seed.hex(), coin.hex(), report.hex(), direction])
    return rows


def tasks() -> list[object]:
    """Return terms of tasks, their digests, and the first model that a server publishes."""
    rows: list[object] = []
    for name in ("local-greedy", "local-linucb"):
        for dimension, epsilon, low, high, norm in (
            (2, 1.0, 0.0, 1.0, 1.0),
            (3, 0.1, -1.0, 1e-5, 2.5),
            (5, 1e-7, 0.0, 1e22, 12345678.0),
        ):
            terms = {"epsilon": epsilon, "low": low, "high": high, "norm": norm}
            task = task_for(name, dimension=dimension, horizon=1000, **terms)
            server = LocalServer(dimension=dimension, horizon=1000, algorithm=name, **terms)
            shown = {"algorithm": name, "dimension": dimension, **terms}
            rows.append([shown, task.digest.hex(), server.model().hex()])
    return rows


def vectors() -> dict[str, list[object]]:
    """Return all test vectors; they are the same in every run."""
    rng = random.Random(1)
    epsilons = (1e-6, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 50.0)
    messages = [bytes(range(size)) for size in (0, 1, 16, 135)]
    return {
        "least": [[epsilon, str(least_share(epsilon))] for epsilon in epsilons],
        "shake": [[each.hex(), hashlib.shake_256(each).hexdigest(300)] for each in messages],
        "respond": responses(rng),
        "encode": reports(rng),
        "tasks": tasks(),
    }


if __name__ == "__main__":
    PLACE.write_text(json.dumps(vectors()) + "\n")
