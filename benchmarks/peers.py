"""Alternatives to this library, each used in its own way: a decision and its outcome, four arms.

Other libraries are measured if they are installed (``make peers``); ten lines of NumPy always are.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns

from discreet import Bandit, simulate

ARMS, ROUNDS, FEW = 4, 2**16, 2**12  # few rounds for those that take a tenth of a millisecond each


def outcomes(rounds: int) -> list[list[float]]:
    return np.random.default_rng(0).random((rounds, ARMS)).tolist()


def ten_lines(rounds: int) -> Callable[[], object]:
    """EXP3 as it is usually written."""
    rewards, rng, rate = outcomes(rounds), np.random.default_rng(1), 0.01

    def run() -> None:
        weights = np.ones(ARMS)
        for row in rewards:
            chances = (1 - rate) * weights / weights.sum() + rate / ARMS
            arm = rng.choice(ARMS, p=chances)
            weights[arm] *= np.exp(rate / ARMS * row[arm] / chances[arm])
            weights /= weights.max()

    return run


def river(rounds: int) -> Callable[[], object]:
    policy = importlib.import_module("river.bandit").Exp3(gamma=0.01, seed=1)
    rewards, arms = outcomes(rounds), list(range(ARMS))

    def run() -> None:
        for row in rewards:
            arm = policy.pull(arms)
            policy.update(arm, row[arm])

    return run


def mabwiser(rounds: int) -> Callable[[], object]:
    module = importlib.import_module("mabwiser.mab")
    policy = module.MAB(
        arms=list(range(ARMS)), learning_policy=module.LearningPolicy.UCB1(alpha=1.0), seed=1
    )
    policy.fit(list(range(ARMS)), [0.5] * ARMS)
    rewards = outcomes(rounds)

    def run() -> None:
        for row in rewards:
            arm = policy.predict()
            policy.partial_fit([arm], [row[arm]])

    return run


def vowpal_wabbit(rounds: int) -> Callable[[], object]:
    workspace = importlib.import_module("vowpalwabbit").Workspace(
        f"--cb_explore {ARMS} --epsilon 0.1 --quiet"
    )
    rewards, rng = outcomes(rounds), np.random.default_rng(1)

    def run() -> None:
        for row in rewards:
            chances = workspace.predict("| x")
            arm = min(int(np.searchsorted(np.cumsum(chances), rng.random())), ARMS - 1)
            workspace.learn(f"{arm + 1}:{1.0 - row[arm]}:{chances[arm]} | x")

    return run


def asking(name: str, rounds: int) -> Callable[[], object]:
    """Ask and tell with all checks of live use."""
    with warnings.catch_warnings(action="ignore"):
        bandit = Bandit(arms=ARMS, horizon=rounds, epsilon=1.0, algorithm=name)
    rewards = outcomes(rounds)

    def run() -> None:
        for row in rewards:
            decision = bandit.ask()
            bandit.tell(decision, reward=row[decision.arm])

    return run


def simulating(rounds: int) -> Callable[[], object]:
    table = np.random.default_rng(0).random((rounds, ARMS))
    return lambda: simulate("exp3", losses=table, trials=1, workers=1)


# name, module, how it is run, its rounds, maximum ratio of our time to theirs
PEERS = (
    ("ten lines of NumPy, EXP3", "numpy", ten_lines, 2**14, None),
    ("river, Exp3", "river", river, ROUNDS, 1.5),
    ("Vowpal Wabbit, epsilon-greedy", "vowpalwabbit", vowpal_wabbit, FEW, 1.5),
    ("mabwiser, UCB1", "mabwiser", mabwiser, FEW, 1.5),
)


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield two rows per library: our live ask and tell, and our simulation, next to its update."""
    for what, module, theirs, rounds, most in PEERS:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        jobs = (
            lambda: asking("exp3", FEW),
            lambda: simulating(ROUNDS),
            lambda n=rounds, run=theirs: run(n),
        )
        spent, played = in_turns(*jobs, turns=turns), (FEW, ROUNDS, rounds)
        live, simulated, peer = (
            seconds / n * 1e6 for seconds, n in zip(spent, played, strict=True)
        )
        told = f"{peer:.1f} µs {what}"
        yield Row(
            "ask and tell, exp3, live, 4 arms", f"{live:.1f} µs", told, live / peer, "x", most=most
        )
        yield Row(
            "simulate, exp3, 4 arms, a table",
            f"{simulated:.2f} µs",
            told,
            simulated / peer,
            "x",
            most=1.0,
        )
