"""One small program for each problem, which runs over a file and over a service alike."""

from __future__ import annotations

import inspect

import numpy as np

from discreet import Features

ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
TERMS = {"horizon": 60, "epsilon": 2.0, "simulation": True, "seed": 7, "wait": None}
# problem: its class, its arguments, what ask is given, the names of outcomes
PROGRAMS = {
    "bandit": (
        "Bandit",
        {"arms": ["A", "B", 3], "algorithm": "batched-exp3", "batch_size": 4},
        {},
        lambda decision: {"reward": float(decision.arm == "B")},
    ),
    "best-arm": (
        "BestArmSearch",
        {"arms": ["A", "B"], "batch_size": 4},
        {},
        lambda decision: {"loss": 0.9 if decision.arm == "A" else 0.1},
    ),
    "experts": (
        "Experts",
        {"experts": ["x", "y", "z"]},
        {},
        lambda decision: {"losses": {"z": 1.0, "y": 0.5, "x": 0.0}},
    ),
    "optimizer": (
        "Optimizer",
        {"domain": "k-sets(5,2)", "delta": 1e-6, "batch_size": 2},
        {},
        lambda decision: {"loss": float(decision.point[0])},
    ),
    "two points": (
        "Optimizer",
        {"domain": "ball(3)", "delta": 1e-6, "algorithm": "private-two-point"},
        {},
        lambda decision: {"reward": np.array([0.25, 0.5])},
    ),
    "vector-optimizer": (
        "VectorOptimizer",
        {"domain": "k-sets(3,1)", "items": ["tea", "coffee", "milk"], "delta": 1e-6},
        {},
        lambda decision: {"loss": {"milk": 1.0, "tea": 0.2, "coffee": 0.5}},
    ),
    "slates": (
        "SlateBandit",
        {"items": ["a", "b", "c", "d"], "shown": 2, "batch_size": 4, "reports": 2},
        {},
        lambda decision: {"rewards": {item: float(item == "c") for item in decision.items}},
    ),
    "advice": (
        "Advisor",
        {"arms": ["A", "B"], "experts": 3},
        {"advice": ADVICE},
        lambda decision: {"reward": np.float64(0.5)},
    ),
    "contexts": (
        "ContextualBandit",
        {"features": Features(["A", "B"], context=2), "delta": 1e-6, "first": 4},
        {"context": [0.5, -0.25]},
        lambda decision: {"reward": 1},
    ),
}


def arguments_of(problem, **more):
    return {**TERMS, **PROGRAMS[problem][1], **more}


def fields_of(decision):
    """Return a decision without the token, which is random."""
    fields = decision._asdict()
    fields.pop("token")
    return {
        name: each.tolist() if isinstance(each, np.ndarray) else each
        for name, each in fields.items()
    }


def play(classes, problem, rounds=24, path="run.db", **more):
    """Ask and tell, late and out of order; return all that is seen."""
    name, _, asked, outcome = PROGRAMS[problem]
    run = classes(name)(path=path, **arguments_of(problem, **more))
    seen, waiting = [], []
    for _ in range(rounds):
        decision = run.ask(**asked)
        seen.append(fields_of(decision))
        waiting.append(decision)
        if len(waiting) == 3:
            late = waiting.pop(1)
            run.tell(late, **outcome(late))
    for decision in waiting:
        run.tell(decision.id, **by_place(outcome(decision), decision))
    return run, seen


def by_place(outcome, decision):
    """Return outcomes in order, where a decision is named by its id."""
    ((name, given),) = outcome.items()
    if isinstance(given, dict) and "items" in decision._fields:
        return {name: [given[item] for item in decision.items]}
    return outcome


async def play_async(classes, problem, rounds=24, path="run.db", **more):
    name, _, asked, outcome = PROGRAMS[problem]
    run = await classes(name)(path=path, **arguments_of(problem, **more))
    seen = []
    for _ in range(rounds):
        decision = await run.ask(**asked)
        seen.append(fields_of(decision))
        await run.tell(decision, **outcome(decision))
    return run, seen


def names_of(method):
    """Return the names and defaults of what a method takes."""
    found = inspect.signature(method).parameters.values()
    return [(each.name, each.kind, each.default) for each in found]
