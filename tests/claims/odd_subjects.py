"""What odd values are tried on: guarantees, ledgers, runs, devices, and calls that use them."""

from __future__ import annotations

import discreet
from discreet import channels, learners

FACTS = {"model": "central", "status": "proved", "source": "a theorem"}
BUDGET = {"horizon": 400, "epsilon": 1.0}
UNIT = discreet.Range(0.0, 1.0)
ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]


def guarantee(**changes):
    return discreet.Guarantee(**{"epsilon": 1.0, "delta": 1e-6} | FACTS | changes)


def private():
    channel = channels.Batch.laplace(size=2, epsilon=1.0, bounds=UNIT)
    return discreet.Private(channel, learners.Exp3.start(arms=3, learning_rate=0.1))


def closing(make):
    """Return a maker of a live object that is closed again."""

    def call(**arguments):
        make(**arguments).close()

    return call


def ledger(**changes):
    return discreet.Ledger(**{"epsilon": 5.0, "max_rounds_per_user": 3} | changes)


def bandit(**changes):
    return discreet.Bandit(
        **{"arms": ["A", "B"], "algorithm": "batched-exp3", "batch_size": 4} | BUDGET | changes
    )


LIVE_OPTIONS = {
    "delta": 1e-6,
    "clip": False,
    "algorithm": None,
    "simulation": True,
    "seed": 1,
    "ledger": None,
    "path": None,
    "store": None,
    "key": None,
    "wait": None,
}
SCALAR = {"low": 0.0, "high": 1.0, "default_reward": None, "default_loss": None}


def live(algorithm, **more):
    return LIVE_OPTIONS | {"algorithm": algorithm} | more


def device():
    server = discreet.LocalServer(dimension=2, horizon=1000, epsilon=1.0)
    made = discreet.Device(dimension=2, epsilon=1.0)
    made.update(server.model())
    return made


SERVER = discreet.LocalServer(dimension=2, horizon=1000, epsilon=1.0)
DEVICE = device()
LEDGER = ledger()
BANDIT = bandit(ledger=ledger(), algorithm="batched-exp3", batch_size=4)
PLAIN = bandit()
ADVISOR = discreet.Advisor(arms=2, experts=3, **BUDGET)
CONTEXTUAL = discreet.ContextualBandit(
    discreet.Features(["A", "B"], context=1, arm_features=1), delta=1e-6, **BUDGET
)
FEATURES = {"arms": ["A", "B"], "context": 1, "arm_features": 1, "per_arm": True}
RUN = discreet.LiveRun.over(private(), horizon=1000)
CONTENDER = discreet.Contender(label="mine", private=private())
EXP3 = discreet.algorithm("batched-exp3")
GUARANTEE = guarantee()


def simulate(**arguments):
    arguments.setdefault("algorithms", ["exp3"])
    return discreet.simulate(**arguments)


def from_dict(**changes):
    return discreet.Guarantee.from_dict({**GUARANTEE.as_dict(), **changes})


def tell_decision(**changes):
    discreet_decision = BANDIT_DECISION._replace(**changes)
    PLAIN.tell(discreet_decision, reward=0.5)


BANDIT_DECISION = PLAIN.ask()
TICKET = RUN.ask()
