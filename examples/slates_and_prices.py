"""Slates and prices: a newsletter shows 2 of 6 articles, and a shop looks for the best price.

Both learn from individual readers and customers under differential privacy. Items have names, and
the price is in its own unit. Each part first tries the learner on simulated people, with a seed,
and then runs it live: with exact noise, in a file, across a restart.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import discreet

CLICKS = {
    "budget": 0.05,
    "election": 0.30,
    "football": 0.25,
    "garden": 0.10,
    "recipe": 0.15,
    "weather": 0.20,
}
SLATE_ROUNDS, PRICE_ROUNDS = 30_000, 40_000
WILLING = 6.0  # what customers can pay: one of them buys at price p with probability exp(-p / 6)


def show_articles() -> float:
    """Show 2 of 6 articles to simulated readers; return the clicks lost per round, at the end."""
    newsletter = discreet.SlateBandit(
        list(CLICKS), shown=2, horizon=SLATE_ROUNDS, epsilon=1.0, simulation=True, seed=1
    )
    readers, shown = np.random.default_rng(1), dict.fromkeys(CLICKS, 0)
    best = sum(sorted(CLICKS.values())[-2:])
    lost = 0.0
    for round_ in range(SLATE_ROUNDS):
        decision = newsletter.ask()
        # Each article shown has its own outcome: whether this reader opened it.
        newsletter.tell(
            decision,
            rewards={item: float(readers.random() < CLICKS[item]) for item in decision.items},
        )
        if round_ >= SLATE_ROUNDS // 2:
            lost += best - sum(CLICKS[item] for item in decision.items)
            for item in decision.items:
                shown[item] += 1
    print(newsletter)
    print("  how often each article was shown, in the second half:")
    for item, times in sorted(shown.items(), key=lambda pair: -pair[1]):
        print(f"    {item:10s} {2 * times / SLATE_ROUNDS:6.1%}")
    return lost / (SLATE_ROUNDS / 2)


def revenue(price: float) -> float:
    """Return the mean revenue from one customer."""
    return price * float(np.exp(-price / WILLING))


def find_price() -> float:
    """Look for the best price from 1 to 20, with simulated customers; return the last price."""
    # A customer pays nothing or the price, so the range of rewards is 0 to 20. One unit more in
    # price is one unit more in revenue at most: a twentieth of the range.
    shop = discreet.Optimizer(
        "box(1,20)",
        items=["price"],
        horizon=PRICE_ROUNDS,
        epsilon=1.0,
        delta=1e-6,
        high=20.0,
        lipschitz=1 / 20,
        simulation=True,
        seed=2,
    )
    customers, prices = np.random.default_rng(2), []
    for _ in range(PRICE_ROUNDS):
        decision = shop.ask()
        price = float(decision.point[0])
        buys = customers.random() < np.exp(-price / WILLING)
        shop.tell(decision, reward=price if buys else 0.0)
        prices.append(price)
    print(shop)
    for start in range(0, PRICE_ROUNDS, PRICE_ROUNDS // 4):
        part = prices[start : start + PRICE_ROUNDS // 4]
        print(f"  rounds from {start:6,}: mean price {np.mean(part):5.2f}")
    return float(np.mean(prices[-PRICE_ROUNDS // 10 :]))


def run_live(folder: Path) -> None:
    """Run both live: exact noise, a file for each, and a restart in between."""
    # Keys encrypt the outcomes of unfinished batches. Without key=, they are stored for you.
    news, news_key = folder / "newsletter.db", folder / "newsletter.key"
    newsletter = discreet.SlateBandit(
        list(CLICKS), shown=2, horizon=10_000, epsilon=1.0, path=news, key=news_key
    )
    decision = newsletter.ask()
    print(f"show {decision.items[0]} and {decision.items[1]}")
    newsletter.close()  # or the process ends
    newsletter = discreet.SlateBandit.open(news, key=news_key)
    newsletter.tell(decision, rewards={decision.items[0]: 1.0, decision.items[1]: 0.0})
    newsletter.close()
    shop = discreet.Optimizer(
        "box(1,20)",
        items=["price"],
        horizon=10_000,
        epsilon=1.0,
        delta=1e-6,
        high=20.0,
        lipschitz=1 / 20,
        path=folder / "shop.db",
        key=folder / "shop.key",
    )
    decision = shop.ask()
    shop.close()
    shop = discreet.Optimizer.open(folder / "shop.db", key=folder / "shop.key")
    shop.tell(decision, reward=0.0)  # nobody bought
    print(f"{decision.label} was not paid; {shop.guarantee.short}")
    shop.close()


def main() -> None:
    """Run all parts, and check that both learned."""
    lost = show_articles()
    print(f"  clicks lost per round: {lost:.3f}; at random it would be 0.200\n")
    price = find_price()
    share = revenue(price) / revenue(WILLING)
    print(f"  the price at the end, {price:.2f}, earns {share:.0%} of what the best price does\n")
    with tempfile.TemporaryDirectory() as folder:
        run_live(Path(folder))
    assert lost < 0.1
    assert share > 0.9


if __name__ == "__main__":
    main()
