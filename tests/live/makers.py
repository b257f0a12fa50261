"""One live face of every kind, and runs of one's own: what tests of live use share."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import (
    Advisor,
    Bandit,
    BestArmSearch,
    ContextualBandit,
    Experts,
    Features,
    Optimizer,
    Range,
    SlateBandit,
    VectorOptimizer,
)
from discreet.contracts import Learner
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan

UNIT = Range(0.0, 1.0)
SLATES = "k-sets(5,2)"
ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]


def bandit(**options):
    usual = {"algorithm": "batched-exp3", "batch_size": 4}
    return Bandit(
        **{"arms": 2, "horizon": 400, "epsilon": 1.0}
        | (usual if "algorithm" not in options else {})
        | options
    )


def with_whole_log(folder):
    """Return a bandit that counts users, all of whose changes stay in the log of its file."""
    made = bandit(
        horizon=1000,
        batch_size=1,
        algorithm="batched-exp3",
        max_rounds_per_user=3,
        path=folder / "run.db",
        key=folder / "run.key",
    )
    file = made._run._store._file
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.execute("PRAGMA wal_autocheckpoint = 0")
    return made


def experts(**options):
    return Experts(**{"experts": 3, "horizon": 400, "epsilon": 1.0} | options)


def vectors(**options):
    return VectorOptimizer(
        **{"geometry": "cube", "dimension": 3, "horizon": 400, "epsilon": 1.0} | options
    )


def optimizer(**options):
    usual = {"horizon": 400, "epsilon": 1.0, "delta": 1e-6, "when_vacuous": "play"}
    return Optimizer(**{"domain": "ball(3)"} | usual | options)


def searcher(**options):
    # with so small an error no search ends within the few rounds of a test, whatever the noise
    usual = {"arms": 2, "horizon": 400, "epsilon": 1.0, "batch_size": 4, "error": 1e-12}
    return BestArmSearch(**usual | options)


def advisor(**options):
    return Advisor(**{"arms": 2, "experts": 3, "horizon": 400, "epsilon": 1.0} | options)


def slate_bandit(**options):
    return SlateBandit(**{"items": 4, "shown": 2, "horizon": 400, "epsilon": 1.0} | options)


def contextual(**options):
    usual = {"horizon": 400, "epsilon": 1.0, "delta": 1e-6, "first": 4, "growth": 2.0}
    return ContextualBandit(Features(2, context=1), **usual | options)


MAKERS = {
    "batch": (bandit, {}),
    "one bit": (bandit, {"algorithm": "one-bit-tsallis-inf", "batch_size": 4}),
    "every round": (bandit, {"algorithm": "noisy-exp2"}),
    "tree": (experts, {"sums": "tree", "padding": False}),
    "padded tree": (experts, {"sums": "tree", "padding": True}),
    "honaker": (experts, {"sums": "honaker"}),
    "blt": (experts, {"delta": 1e-6, "sums": "blt"}),
    "square root": (experts, {"delta": 1e-6, "sums": "sqrt-toeplitz"}),
    "cube": (vectors, {"delta": 1e-6}),
    "slates": (optimizer, {"domain": "k-sets(5,2)", "batch_size": 2}),
    "pairs of points": (optimizer, {"algorithm": "private-two-point", "batch_size": 1}),
    "points in batches": (optimizer, {"algorithm": "batched-scrible", "batch_size": 4}),
    "points every round": (optimizer, {"algorithm": "local-convex", "noise": "laplace"}),
    "items of slates": (slate_bandit, {"batch_size": 4, "reports": 2}),
    "search": (searcher, {}),
    "advice in batches": (advisor, {}),
    "advice every round": (advisor, {"algorithm": "local-exp4"}),
    "contexts": (contextual, {}),
}
every_kind = pytest.mark.parametrize("kind", MAKERS)


def make(kind, **options):
    maker, own = MAKERS[kind]
    return maker(**{name: value for name, value in (own | options).items() if value is not None})


def ask(face, **options):
    if isinstance(face, ContextualBandit):
        return face.ask([0.5], **options)
    return face.ask(ADVICE, **options) if isinstance(face, Advisor) else face.ask(**options)


def tell(face, decision, loss=0.25):
    if isinstance(face, Experts):
        return face.tell(decision, losses=[loss, 0.5, 1.0])
    if isinstance(face, VectorOptimizer):
        return face.tell(decision, loss=[loss, 0.0, -0.25])
    if isinstance(face, SlateBandit):
        return face.tell(decision, losses=[loss, 0.5])
    if isinstance(face, Optimizer) and decided_twice(face):
        return face.tell(decision, loss=[loss, 0.5])
    return face.tell(decision, loss=loss)


def decided_twice(face):
    return face.algorithm == "private-two-point"


def rows_of(face):
    """Return everything that is committed, to be compared."""
    face._run._store.load(face._run._engine.example)
    rows = face._run._store.rows
    groups = [(number, told, held) for number, *_, told, held in rows.groups.values()]
    return rows.counters, sorted(rows.open), groups, rows.learner, rows.stream, {**rows.usage}


def run_of(private, **changes):
    facts = {
        "name": "test",
        "private": private,
        "algorithm": "none",
        "horizon": 10_000,
        "simulation": False,
        "seed": None,
        "observation": 0,
        "carry": lambda action, observation, rng: 0,
    }
    return LiveRun.start(RunPlan(**facts | changes), {})


class Recorder(Learner):
    """Plays nothing and writes down what is released."""

    compiles = False
    heard: list

    def act(self, observation, rng):
        return 0, 0.0

    def learn(self, trace, released):
        self.heard.append(np.array(released, copy=True))


class Clock:
    """A clock that only tests can move."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


def live_optimizer(name=None, **options):
    """Return a face with exact noise that learns, however short its run is."""
    usual = {
        "domain": SLATES if name is None or "oracle" in name else "ball(3)",
        "horizon": 400,
        "epsilon": 1.0,
    }
    declared = {"curvature": 0.5} if "strongly" in (name or "") else {}
    declared |= {"smoothness": 0.5} if "smooth" in (name or "") else {}
    declared |= {"domain": "ball(1)"} if "stochastic" in (name or "") else {"when_vacuous": "play"}
    return Optimizer(**usual | declared | {"delta": 1e-6, "algorithm": name} | options)


def simulated_optimizer(name=None, **options):
    return live_optimizer(name, **{"simulation": True, "seed": 1} | options)
