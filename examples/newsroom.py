"""A newsroom with a trusted server: which of 8 articles a reader sees first, from 20 features.

Readers trust only the server with their features and clicks. What other people see (the articles
shown to them, and the model) must not reveal what one reader likes. Each reader sees only his or
her own page. This is the joint model, which `ContextualBandit` implements.

The program does what a server would do. It declares features and their scales, keeps the run in a
file, charges a budget, takes clicks late, and restarts in the middle. Finally it shows how to
wait for clicks: a reader who has not clicked after 30 minutes counts as not clicking.

Run it with: python examples/newsroom.py [--quick]
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np

from discreet import ContextualBandit, Features, Ledger
from discreet.contracts import Floats

QUICK = "--quick" in sys.argv  # a first look, with few readers
READERS = 300 if QUICK else 25_000
TOPICS = ("politics", "sports", "science", "culture", "money", "travel", "health", "local")
OTHERS = 12  # other features: age, device, time of day, ...
LIKED, OTHER = 0.5, 0.1  # how often an article on a reader's topic, or another one, is clicked
EPSILON, DELTA = 1.0, 1e-6
CLICKS_AFTER = timedelta(minutes=30)
SHOWN_TO = 4  # readers who arrive before an earlier one answers


def newsroom_features() -> Features:
    """Return the declaration of a reader's features; nothing is measured from readers.

    Scales are the typical sizes of features: 1/8 of all readers like a topic, so its indicator (0
    or 1) has a root mean square of sqrt(1/8).
    """
    scales = [len(TOPICS) ** -0.5] * len(TOPICS) + [1.0] * OTHERS
    return Features(TOPICS, context=len(TOPICS) + OTHERS, scales=scales)


def readers(count: int) -> Iterator[tuple[Floats, int, float]]:
    """Yield features of readers, the topic that each of them likes, and a number for the click."""
    chance = np.random.default_rng(1)
    for _ in range(count):
        topic = int(chance.integers(len(TOPICS)))
        features = np.concatenate([np.eye(len(TOPICS))[topic], chance.standard_normal(OTHERS)])
        yield features, topic, float(chance.random())


def serve(path: Path) -> list[bool]:
    """Serve all readers; return who was shown an article on the topic that he or she likes."""
    ledger = Ledger(EPSILON, DELTA)  # in memory here; a server keeps it in a file
    bandit = ContextualBandit(
        newsroom_features(),
        horizon=READERS,
        epsilon=EPSILON,
        delta=DELTA,
        path=path,
        ledger=ledger,
    )
    print(bandit)
    print(f"Guarantee: {bandit.guarantee}\n")
    liked, waiting = [], []
    for number, (features, topic, number_of_click) in enumerate(readers(READERS)):
        if number == READERS // 2:  # a restart: the run is opened again
            bandit.close()
            bandit = ContextualBandit.open(path, ledger=ledger)
        decision = bandit.ask(features)
        right = decision.arm == TOPICS[topic]
        liked.append(right)
        waiting.append((decision, float(number_of_click < (LIKED if right else OTHER))))
        if len(waiting) > SHOWN_TO:  # some earlier reader has clicked, or has left
            bandit.tell(waiting[0][0], reward=waiting[0][1])
            waiting.pop(0)
    print(f"At the end: {bandit.state()}")
    print(f"Open decisions show no article: {[one.choice for one in bandit.open_decisions]}")
    print(f"Charged: epsilon {ledger.spent.epsilon:g}, delta {ledger.spent.delta:g}")
    bandit.close()
    return liked


def show_waiting() -> None:
    """Declare a wait, so that the time of a click reveals nothing."""
    bandit = ContextualBandit(
        newsroom_features(),
        horizon=None,  # the number of readers is unknown
        epsilon=EPSILON,
        delta=DELTA,
        wait=CLICKS_AFTER,
        default_reward=0.0,
    )
    features, _, _ = next(readers(1))
    decision = bandit.ask(features, available=["politics", "sports", "science"])
    bandit.tell(decision, reward=1.0)
    print(f"\nWith a wait, nothing visible depends on who clicked when: {bandit.state()}")


def show_file(path: Path) -> None:
    """Show that choices are not readable in the file."""
    with sqlite3.connect(path) as file:
        choices = file.execute("SELECT DISTINCT choice FROM choice").fetchall()
    print(f"Choices in the file: {choices} (-1: hidden)")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "newsroom.db"
        liked = np.array(serve(path))
        show_file(path)
    show_waiting()
    rates = OTHER + (LIKED - OTHER) * liked
    blind = OTHER + (LIKED - OTHER) / len(TOPICS)
    print(f"\nClicks per reader, with articles chosen at random: {blind:.3f}; at best {LIKED:.3f}.")
    for quarter, part in enumerate(np.array_split(rates, 4), start=1):
        print(f"quarter {quarter} of all readers: {part.mean():.3f}")


if __name__ == "__main__":
    main()
