"""A web shop: which banner to show, with at most 30 learning decisions per user and month.

Run it with: python examples/web_shop.py [--quick]

The guarantee holds for all visits of a user in a month together. The run counts users itself, in
the transaction of each decision. Users who have used up the 30 decisions of a month still see a
good banner, but the run does not learn from it. `discreet plan --rounds-per-user 30` prints such a
program.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from discreet import Bandit, Ledger

CLICKS = {"shoes": 0.05, "books": 0.07, "coffee": 0.11, "bags": 0.06}  # unknown to the shop
MONTH = timedelta(days=30)
ROUNDS_PER_USER = 30
BUDGET = 6.0  # epsilon for all visits of one user in one month: 0.2 for each visit


def click(arm: str, chance: random.Random) -> float:
    return float(chance.random() < CLICKS[arm])


def one_month(users: int) -> None:
    """Learn from the visits of a month, 30 per user on average, in memory."""
    chance, visits = random.Random(1), users * ROUNDS_PER_USER
    ledger = Ledger(BUDGET, per=MONTH)
    bandit = Bandit(
        arms=list(CLICKS),
        horizon=visits,
        epsilon=BUDGET / ROUNDS_PER_USER,
        algorithm="best",
        max_rounds_per_user=ROUNDS_PER_USER,
        per=MONTH,
        ledger=ledger,
    )
    print(f"{bandit.algorithm}, {users:,} users, {visits:,} visits")
    print(f"Guarantee: {bandit.guarantee.short}, {bandit.guarantee.unit}")
    print(f"In any 30 days, which may overlap two periods: {bandit.guarantee.for_periods(2).short}")
    clicks, served, start = [0.0] * 10, 0, time.perf_counter()
    for visit in range(visits):
        decision = bandit.ask(user=chance.randrange(users), at_limit="serve")
        outcome = click(decision.arm, chance)
        bandit.tell(decision, reward=outcome)  # discarded if the decision was only served
        clicks[10 * visit // visits] += outcome
        served += not decision.learns
    seconds = time.perf_counter() - start
    print(f"{1e6 * seconds / visits:.0f} microseconds per visit; {served / visits:.1%} only served")
    for tenth in (0, 9):
        rate = clicks[tenth] / (visits / 10)
        print(f"Clicks in tenth {tenth + 1:2} of the month: {rate:.2%} (best banner 11 %)")
    print(f"Budget spent: {ledger.spent.epsilon:g} of {ledger.budget.epsilon:g}")


def in_a_file(visits: int) -> None:
    """Do the same in a file; counts of users survive a restart."""
    with tempfile.TemporaryDirectory() as folder:
        place = {"path": Path(folder) / "run.db", "key": Path(folder) / "run.key"}
        limit = {"max_rounds_per_user": ROUNDS_PER_USER, "per": MONTH}
        epsilon = BUDGET / ROUNDS_PER_USER
        waiting = {}
        with Bandit(list(CLICKS), 10**6, epsilon, **limit, **place) as bandit:
            start = time.perf_counter()
            for visit in range(visits):
                decision = bandit.ask(user=f"user {visit % 50}")
                waiting[visit] = list(decision)  # as JSON, in a cookie or a database
            print(f"{visits / (time.perf_counter() - start):,.0f} decisions per second in a file")
        with Bandit.open(place["path"], key=place["key"]) as bandit:
            given = bandit.ask(user="user 1")
            bandit.tell(type(given)(*waiting.pop(0)), reward=1.0)  # the click comes later
            print(f"After a restart user 1 has had {bandit.rounds_of('user 1')} rounds")


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    one_month(users=300 if quick else 100_000)
    in_a_file(visits=100 if quick else 1_000)


if __name__ == "__main__":
    main()
