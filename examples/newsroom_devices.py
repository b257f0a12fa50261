"""A newsroom whose readers keep their interests private, and a log that is replayed.

Eight articles are on the front page; a reader's phone decides which one to show first. The phone
knows the reader's interests in 20 topics. These interests, and whether the article was read to its
end, must not leave the phone. So the phone chooses with a published model and sends one noisy
report of 32 bytes; a server learns from the reports and keeps them in a file. Afterwards, an older
log of random front pages is evaluated.

Run it with: python examples/newsroom_devices.py [--quick]
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

from discreet import Device, Ledger, LocalServer, Log, evaluate, release_evaluation, simulate

QUICK = "--quick" in sys.argv
TOPICS, ARTICLES = 20, [f"article-{number}" for number in range(1, 9)]
READERS = 1_000 if QUICK else 60_000
ROWS = 3_000 if QUICK else 60_000  # of the log
EPSILON = 4.0  # of a report
AT_ONCE = 500  # reports that the server takes in one transaction

rng = np.random.default_rng(7)
WEIGHTS = np.where(np.arange(TOPICS) < 5, 1.0, 0.2)  # the topics for which people read on
WEIGHTS /= np.linalg.norm(WEIGHTS)
ABOUT = rng.random((len(ARTICLES), TOPICS)) * (rng.random((len(ARTICLES), TOPICS)) < 0.3)


def interests(readers: int) -> np.ndarray:
    """Return how much each reader likes each topic, which only the phone knows."""
    return rng.normal(0.3, 1.0, (readers, TOPICS))


def features(reader: np.ndarray) -> np.ndarray:
    """Return one row per article: how much of each topic it has for this reader."""
    rows = reader[..., None, :] * ABOUT
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def chances(readers: np.ndarray) -> np.ndarray:
    """Return how likely each reader reads each article to its end: the truth of this simulation."""
    return 0.5 + 0.45 * features(readers) @ WEIGHTS


def on_devices(folder: Path) -> None:
    """Let readers' phones choose and report; restart the server in the middle."""
    task = {"dimension": TOPICS, "epsilon": EPSILON}
    path = folder / "server.db"
    server = LocalServer(**task, horizon=READERS, path=path)
    readers = interests(READERS)
    finished, waiting = np.zeros(READERS), []
    ledger = Ledger(EPSILON * READERS)  # for all readers; in reality each phone has its own
    phone = Device(**task, ledger=ledger)
    print(f"A report: {phone.guarantee.short}, for interests and outcome together.")
    phone.update(server.model())
    truth = chances(readers)
    for number, reader in enumerate(readers):
        shown = phone.choose(features(reader))
        finished[number] = rng.random() < truth[number, shown]
        waiting.append(phone.report(reward=finished[number]))
        if len(waiting) == AT_ONCE:
            counted = sum(server.receive_all(waiting))
            assert counted == AT_ONCE
            last, waiting = waiting[-1], []
            phone.update(server.model())  # a new version, saved before anyone sees it
        if number == READERS // 2:  # the server is restarted: nothing is lost, nothing counts twice
            server.close()
            server = LocalServer.open(path)
            assert server.receive_all([last]) == [False]
    print(f"{server!r}, {path.stat().st_size / 1e6:.1f} MB")
    server.close()
    tenth = READERS // 10
    print(
        f"Read to the end: {truth.mean():.1%} at random, {finished[:tenth].mean():.1%} by the "
        f"first tenth of readers, {finished[-tenth:].mean():.1%} by the last, "
        f"{truth.max(axis=1).mean():.1%} if everybody saw the best article."
    )


def write_log(path: Path) -> None:
    """Write a log in the format of the Open Bandit data: front pages that were partly random."""
    readers = interests(ROWS)
    truth = chances(readers)
    share = np.full(len(ARTICLES), 0.5 / len(ARTICLES))
    share[:2] += 0.25  # the desk showed its two favourites more often
    chosen = rng.choice(len(ARTICLES), ROWS, p=share)
    clicks = (rng.random(ROWS) < truth[np.arange(ROWS), chosen]).astype(int)
    names = [f"user_feature_{topic}" for topic in range(TOPICS)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timestamp", "item_id", "position", "click", "propensity_score", *names])
        for row in range(ROWS):
            article = ARTICLES[chosen[row]]
            probability = share[chosen[row]]
            writer.writerow([row, article, 1, clicks[row], probability, *readers[row].round(4)])
    print(f"\nThe log has {ROWS:,} rows. True shares that are read to the end:")
    print("  " + ", ".join(f"{mean:.3f}" for mean in truth.mean(axis=0)))


def with_the_log(path: Path) -> None:
    """Evaluate fixed front pages, release one number, and replay algorithms."""
    log = Log.read(path, arms=ARTICLES)
    print(evaluate(log, "uniform"))
    best = max(ARTICLES, key=lambda article: evaluate(log, f"arm={article}").snips.value or 0.0)
    found = evaluate(log, f"arm={best}")
    print(f"Best by SNIPS: {best}, {found.snips.value:.3f} ± {found.snips.standard_error:.3f}.")

    # What the desk may publish. "article-1" was chosen before anyone looked at the log.
    ledger = Ledger(1.0)
    released = release_evaluation(log, "arm=article-1", epsilon=0.5, max_weight=4.0, ledger=ledger)
    print(
        f"Released with {released.guarantee.short}: {released.value:.3f}, noise of scale "
        f"{released.noise_scale:.4f}; spent {ledger.spent.epsilon:g} of 1."
    )

    rounds = 100 if QUICK else 1_500
    for names in (
        ["batched-ucb", "ucb", "uniform"],
        ["local-greedy", "linucb", "uniform-contexts"],
    ):
        results = simulate(names, log=path, rounds=rounds, trials=2, epsilon=EPSILON)
        for row, losses in zip(results.summary(), results.loss, strict=True):
            earned = 1.0 - losses[:, -1].mean() / results.rounds
            print(f"  replay of {row['label']:24} {earned:.3f} read to the end")
    print(f"  ({results.environment})")
    print(results.remark)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        on_devices(Path(folder))
        write_log(Path(folder) / "log.csv")
        with_the_log(Path(folder) / "log.csv")


if __name__ == "__main__":
    main()
