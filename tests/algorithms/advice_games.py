"""What tests of expert advice share: names of algorithms and worlds, and the exact law of what a
channel releases.
"""

from __future__ import annotations

import math

import numpy as np

from discreet import Range, list_algorithms
from discreet.contracts import Estimate
from discreet.environments import environment_names
from discreet.problems import Advice

UNIT = Range(0.0, 1.0)
NAMES = list(list_algorithms(Advice))
PRIVATE = ["expert-arms", "local-exp4", "batched-exp4", "improved-batched-exp4"]
BATCHED = PRIVATE[2:]
WORLDS = [name for name in environment_names(Advice) if name != "table"]


class Scripted:
    """In the place of a generator: every draw is 0, but for one that is 1 (times its scale)."""

    def __init__(self, turn=-1, value=1.0):
        self.turn, self.value, self.kinds = turn, value, []

    def _draw(self, kind):
        self.kinds.append(kind)
        return self.value if len(self.kinds) - 1 == self.turn else 0.0

    def random(self):
        """Return the uniform number that Laplace noise of this value is made from."""
        value = self._draw("laplace")
        return 0.5 * math.exp(value) if value < 0.0 else 1.0 - 0.5 * math.exp(-value)

    def standard_normal(self):
        return self._draw("normal")


def run(channel, queries, weights, losses, rng, groups=None):
    """Offer one batch; return what is released."""
    for t, (query, loss) in enumerate(zip(queries, losses, strict=True)):
        asked = Estimate(
            0 if groups is None else groups[t],
            1.0,
            np.asarray(query),
            weights,
            float(weights.sum()),
        )
        ready, released = channel.offer(loss, asked, rng)
    assert ready
    return released.copy()


def law(channel, queries, weights, groups=None):
    """Return the way of a release, by how much each loss moves it, and the responses to each draw
    of noise it has.
    """
    silent = np.zeros(len(queries))
    still = run(channel, queries, weights, silent, counting := Scripted(), groups)
    way = int(channel.way[0])
    moves = np.array(
        [
            run(channel, queries, weights, row, Scripted(), groups) - still
            for row in np.eye(len(queries))
        ]
    )
    draws, kinds = [], []
    for turn, kind in enumerate(counting.kinds):
        response = run(channel, queries, weights, silent, Scripted(turn), groups) - still
        if response.any():
            draws.append(response)
            kinds.append(kind)
    assert len(set(kinds)) <= 1, "noise of one kind only"
    return way, moves, np.array(draws).reshape(-1, len(still)).T, kinds[0] if kinds else "none"


def loss_of_privacy(move, responses, kind):
    """Return ε for Laplace noise, or μ for Gaussian noise, of a shift: the least noise that makes
    up for it.
    """
    if not move.any():
        return 0.0
    shift, *_ = np.linalg.lstsq(responses, move, rcond=None)
    assert np.allclose(responses @ shift, move, atol=1e-12), (
        "a shift that no noise makes up for is not private at all"
    )
    if kind == "normal":
        return float(np.linalg.norm(shift))
    if (
        np.linalg.matrix_rank(responses) < responses.shape[1]
    ):  # several noises could: take the cheapest
        from scipy.optimize import linprog

        count = responses.shape[1]
        found = linprog(
            np.ones(2 * count), A_eq=np.hstack([responses, -responses]), b_eq=move, bounds=(0, None)
        )
        return float(found.fun)
    return float(np.abs(shift).sum())
