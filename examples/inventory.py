"""How much stock should a shop hold? One simulation, run as Python, compiled, and in 16 lanes.

It needs componentjit and nothing else of this library. Every backend has the same numbers.
"""

from __future__ import annotations

import math
import time

import numpy as np

from componentjit import Component, compile_for, copy, vectorizable
from componentjit.lanes import LANES, program_for


class Shop(Component):
    """Orders up to ``target`` when its stock falls below ``reorder``; the goods come at night."""

    stock: np.ndarray  # one number: mutable state lives in arrays
    reorder: float
    target: float

    def sell(self, wanted):
        """Sell what is wanted, as far as it is in stock; return how much was missing."""
        sold = min(wanted, self.stock[0])
        self.stock[0] -= sold
        return wanted - sold

    def restock(self):
        """Order if stock is low; return what that costs."""
        if self.stock[0] >= self.reorder:
            return 0.0
        missing = self.target - self.stock[0]
        self.stock[0] = self.target
        return 4.0 + 0.1 * missing


@vectorizable(
    state="shop",  # each trial has a copy
    tables=("costs",),  # each trial has its own
    uniform=("days", "mean"),  # the same in all trials
    carried=("cost",),  # a number per trial, kept from call to call
    generators=("rng",),  # one for each trial
)
def run_shop(shop, costs, days, mean, cost, rng):
    """Run a shop for some days; record the cost so far after each day."""
    for day in range(days):
        wanted = -mean * math.log(1.0 - rng.random())
        lost = shop.sell(wanted)
        cost += 1.5 * lost + 0.05 * shop.stock[0] + shop.restock()
        costs[day] = cost
    return cost


def generators():
    return [np.random.default_rng([7, trial]) for trial in range(LANES)]


def one_by_one(loop, shop, days, mean):
    """Return the costs of all trials, and how many seconds of processor time they took."""
    costs, start = np.empty((LANES, days)), time.process_time()
    for own, rng in zip(costs, generators(), strict=True):
        loop(copy(shop), own, days, mean, 0.0, rng)
    return costs.T, time.process_time() - start


def in_lanes(program, shop, days, mean):
    """Return the same from one call."""
    costs, start = np.empty((days, LANES)), time.process_time()
    lanes = program.start(shop, {"rng": generators()})
    program.run(lanes, {"costs": costs, "days": days, "mean": mean})
    return costs, time.process_time() - start


def main():
    days, mean = 20_000, 5.0
    shop = Shop(stock=np.array([20.0]), reorder=8.0, target=30.0)

    compiled = compile_for(run_shop, shop)
    one_by_one(compiled, shop, 2, mean)  # compiles

    examples = {
        "shop": shop,
        "costs": np.zeros(2),
        "days": 2,
        "mean": mean,
        "cost": 0.0,
        "rng": None,
    }
    program = program_for(run_shop, examples)
    program.compile()

    plain, seconds = one_by_one(run_shop, shop, days, mean)
    others = {
        "compiled": one_by_one(compiled, shop, days, mean),
        f"{LANES} lanes": in_lanes(program, shop, days, mean),
    }
    print(f"{'backend':<12}{'ns per day':>12}{'speedup':>15}")
    print(f"{'plain Python':<12}{1e9 * seconds / plain.size:>12,.1f}{1.0:>15,.1f}")
    for name, (costs, taken) in others.items():
        assert np.array_equal(costs, plain), "all backends have the same numbers"
        print(f"{name:<12}{1e9 * taken / plain.size:>12,.1f}{seconds / taken:>15,.1f}")

    print(f"\n{'target':>6}  cost per day")
    for target in (10.0, 15.0, 20.0, 30.0, 40.0):
        costs, _ = in_lanes(program, shop._replace(target=target), days, mean)
        rates = costs[-1] / days
        print(f"{target:>6.0f}  {rates.mean():.3f} ± {rates.std() / math.sqrt(LANES):.3f}")


if __name__ == "__main__":
    main()
