"""Arms that come and go: what an attacker finds, what a kill leaves, and what regret it costs."""

from __future__ import annotations

import contextlib
import math
import os
import random
import signal
import sqlite3
import time
import traceback
import warnings

import numpy as np
import pytest
from scipy.stats import beta

from discreet import Bandit

SIZE = 3


def heard_by(bandit):
    """Return the list in which all releases are noted as they reach the learner, with the batch."""
    heard, commit = [], bandit._run._commit_tell

    def noting(counters, decision, group, closed, released, value, *rest):
        if released is not None:
            heard.append((released, value))
        commit(counters, decision, group, closed, released, value, *rest)

    bandit._run._commit_tell = noting
    return heard


def sampled(batches, *, leak=0.0):
    """Play batches that are paused in turn; return the releases for a first outcome of 0 and 1.

    ``leak`` adds to the last outcome of a batch a share of its first one: a mistake to be found.
    """
    bandit = Bandit(
        arms=2,
        horizon=8 * batches,
        epsilon=1.0,
        algorithm="batched-exp3",
        batch_size=SIZE,
        simulation=True,
        seed=7,
    )
    heard, secrets, coins, places = heard_by(bandit), {}, np.random.default_rng(7), {}
    for turn in range(4 * batches):
        decision = bandit.ask(available=[turn // 2 % 2])  # each arm for two rounds, then the other
        group = bandit._run._store.rows.open[decision.id][1]
        place = places[group] = places.get(group, 0) + 1
        if place == 1:
            secrets[group] = int(coins.integers(2))
        loss = {1: float(secrets[group]), 2: 0.5, 3: 0.5 + leak * (secrets[group] - 0.5)}[place]
        bandit.tell(decision, loss=loss)
    assert len({group for group, _ in heard}) == len(heard) > batches
    return [np.array([value for group, value in heard if secrets[group] == bit]) for bit in (0, 1)]


def least_epsilon(samples, alpha=1e-4):
    """Return a lower bound on epsilon: an event chosen by a quarter, counted in the others."""
    low, high = samples
    quarter = min(low.size, high.size) // 4
    rest = [each[quarter:] for each in samples]
    best = 0.0
    levels = np.quantile(high[:quarter], np.linspace(0.1, 0.95, 30))
    rates = [np.mean(high[:quarter] > x) / max(np.mean(low[:quarter] > x), 0.02) for x in levels]
    level = levels[int(np.argmax(rates))]
    hits, others = (int(np.sum(each > level)) for each in reversed(rest))
    likely = beta.ppf(alpha, hits, rest[1].size - hits + 1)
    seldom = beta.ppf(1.0 - alpha, others + 1, rest[0].size - others)
    return max(best, math.log(likely / seldom))


def test_an_audit_of_paused_batches_finds_no_more_than_epsilon():
    """False alarm: 2e-4 at epsilon = 1; the seed is fixed."""
    found = least_epsilon(sampled(3000))
    assert 0.6 < found <= 1.0


def test_the_same_audit_would_find_a_round_that_counts_twice():
    assert least_epsilon(sampled(3000, leak=1.0)) > 1.1


def loss_of(number):
    return (number * 2654435761 % 9) / 8.0


def work(path, key, log, ready):
    """Ask and tell until killed; arms come and go, and every decision is noted before its tell."""
    bandit, chance = Bandit.open(path, key=key), random.Random(os.urandom(8))
    os.write(ready, b"!")
    while True:
        while len(bandit.open_decisions) < 7:
            bandit.ask(available=chance.choice([["A"], ["B"], ["A", "C"], list(bandit.arms)]))
            if chance.random() < 0.02 and len(bandit.arms) < 5:
                bandit.add_arm(f"arm {bandit.state().round}")
            if chance.random() < 0.02 and len(bandit.arms) > 3:
                bandit.retire_arm(bandit.arms[-1])
        ticket = chance.choice(bandit._run._store.rows.tickets())
        os.write(log, b"%d %d\n" % (ticket.id, ticket.group))
        bandit._run.tell(ticket, loss_of(ticket.id))


def kill_one(path, key, folder, seconds):
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    reader, ready = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            work(path, key, log, ready)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(log)
    os.close(ready)
    os.read(reader, 1)
    os.close(reader)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
def test_after_kills_every_release_is_the_mean_of_its_own_batch(tmp_path):
    """With noise of about 1e-4 on a sum; outcomes are eighths, so sums say what is in them."""
    path, key = tmp_path / "run.db", tmp_path / "key"
    options = {"algorithm": "batched-exp3", "batch_size": SIZE, "path": path, "key": key}
    Bandit(["A", "B", "C"], 10**6, 1e4, capacity=400, **options).close()
    chance, releases = random.Random(3), {}
    for kill in range(300):
        kill_one(path, key, tmp_path, chance.uniform(0.0, 0.05))
        if kill >= 12 and len(releases) >= 10:  # a busy machine releases little
            break
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            seen = {
                b: np.frombuffer(v)[0] for b, v in file.execute("SELECT batch, value FROM release")
            }
        assert all(seen[batch] == value for batch, value in releases.items())
        releases = seen
    members = {}
    for line in (tmp_path / "log").read_text().splitlines():
        number, group = map(int, line.split())
        members.setdefault(group, set()).add(number)
    for batch, value in releases.items():
        assert len(members[batch]) == SIZE
        assert value * SIZE == pytest.approx(sum(map(loss_of, members[batch])), abs=0.05)
    with Bandit.open(path, key=key) as bandit:
        slots = bandit._run.slots
        assert {arm for arm, _, _ in slots.absent} <= set(slots.live)
        assert bandit.ask(available=["B"]).arm == "B"


MEANS = {"A": 0.8, "B": 0.6, "C": 0.3, "D": 0.2}


def regret_of(name, seed, rounds=6000, **options):
    """Return the regret against the best available arm; A is away half of the time."""
    rng, lost = np.random.default_rng(seed), 0.0
    with warnings.catch_warnings(action="ignore"):
        bandit = Bandit(
            list(MEANS), rounds, 1.0, algorithm=name, simulation=True, seed=seed, **options
        )
    for turn in range(rounds):
        available = ["B", "C", "D"] if turn // 500 % 2 else ["A", "B", "C", "D"]
        decision = bandit.ask(available=available)
        bandit.tell(decision, reward=float(rng.random() < MEANS[decision.arm]))
        lost += max(MEANS[arm] for arm in available) - MEANS[decision.arm]
    return lost


# Regret of uniform play is 0.325 a round with A and 0.233 without: 1,675. Means of three seeds.
# Measured: 83, 99, 96 and 202. If a batch went on although a better arm is back, the first two
# would have about 400.
REGRET = {"batched-ucb": 160, "dp-klucb": 200, "best": 180, "one-bit-tsallis-inf": 400}


@pytest.mark.parametrize("name", REGRET)
def test_regret_is_small_against_the_best_arm_that_is_available(name):
    """The limits are about twice what was measured; seeds are fixed."""
    found = np.mean([regret_of(name, seed) for seed in (1, 2, 3)])
    assert found < REGRET[name]
