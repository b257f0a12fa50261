"""Every public function with arguments that work: tests replace one of them by an odd value."""

from __future__ import annotations

import functools

import discreet
from discreet import channels, learners
from discreet.live import register_store
from discreet.plugins import register_command
from discreet.problems import Arms

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

# By name: a function, arguments by keyword that work, and whether it is quick.
CALLS = {
    "Guarantee": (
        discreet.Guarantee,
        {
            "epsilon": 1.0,
            "delta": 0.0,
            **FACTS,
            "rounds": 1,
            "seen": "",
            "caveat": "",
            "datum": "",
            "curve": None,
        },
    ),
    "Guarantee.from_dict": (
        lambda facts: discreet.Guarantee.from_dict(facts),
        {"facts": GUARANTEE.as_dict()},
    ),
    "Guarantee.from_dict fields": (
        from_dict,
        {
            "epsilon": 1.0,
            "delta": 0.0,
            "model": "central",
            "rounds_per_user": 1,
            "status": "proved",
            "source": "x",
            "seen": "",
            "caveat": "",
            "datum": "",
            "curve": None,
            "kind": "pure",
        },
    ),
    "Guarantee.none": (discreet.Guarantee.none, {"source": "x"}),
    "Guarantee.of": (
        discreet.Guarantee.of,
        {
            "curve": GUARANTEE.tightest_curve,
            "delta": 1e-6,
            "model": "central",
            "source": "x",
            "rounds": 1,
            "seen": "",
            "caveat": "",
            "datum": "",
        },
    ),
    "Guarantee.at": (GUARANTEE.at, {"delta": 1e-6}),
    "Guarantee.for_user": (GUARANTEE.for_user, {"rounds": 2}),
    "Guarantee.repeated": (GUARANTEE.repeated, {"times": 2, "delta": 1e-5}),
    "Guarantee.implies": (GUARANTEE.implies, {"other": GUARANTEE}),
    "Guarantee <=": (
        functools.partial(lambda one, other: one <= other, GUARANTEE),
        {"other": GUARANTEE},
    ),
    "compose": (
        lambda first, times, delta: discreet.compose(first, times=times, delta=delta),
        {"first": GUARANTEE, "times": 2, "delta": 1e-5},
    ),
    "Range": (discreet.Range, {"low": 0.0, "high": 1.0}),
    "Ledger": (
        closing(discreet.Ledger),
        {
            "epsilon": 1.0,
            "delta": 0.0,
            "composition": "basic",
            "max_rounds_per_user": 2,
            "path": None,
            "key": None,
        },
    ),
    "Ledger.charge": (
        lambda **given: ledger(epsilon=100.0).charge(**given),
        {"guarantee": guarantee(delta=0.0, rounds=3), "label": "x", "once": False},
    ),
    "Ledger.epsilon_a_round": (LEDGER.epsilon_a_round, {"runs": 1}),
    "Ledger.admit": (LEDGER.admit, {"user": "Ada"}),
    "Ledger.rounds_of": (LEDGER.rounds_of, {"user": "Ada"}),
    "Bandit": (
        closing(discreet.Bandit),
        {"arms": 2, **BUDGET, **live("batched-exp3"), **SCALAR, "batch_size": 4},
    ),
    "live Bandit": (
        closing(discreet.Bandit),
        {"arms": 2, **BUDGET, **live("proved"), **SCALAR, "simulation": False, "seed": None},
    ),
    "BestArmSearch": (
        closing(discreet.BestArmSearch),
        {"arms": 2, **BUDGET, "error": 0.1, **live("batched-successive-elimination"), **SCALAR},
    ),
    "Experts": (
        closing(discreet.Experts),
        {
            "experts": 3,
            **BUDGET,
            **live("private-ftrl-experts"),
            "low": 0.0,
            "high": 1.0,
            "default_losses": None,
            "default_rewards": None,
        },
    ),
    "Advisor": (
        closing(discreet.Advisor),
        {"arms": 2, "experts": 3, **BUDGET, **live("expert-arms"), **SCALAR},
    ),
    "Optimizer": (
        closing(discreet.Optimizer),
        {
            "domain": "ball(3)",
            **BUDGET,
            **live("private-projection-free"),
            **SCALAR,
            "form": None,
            "lipschitz": 1.0,
            "curvature": 0.0,
            "smoothness": 0.0,
        },
    ),
    "VectorOptimizer": (
        closing(discreet.VectorOptimizer),
        {
            "geometry": "cube",
            "dimension": 3,
            **BUDGET,
            **live("private-ftrl-cube"),
            "high": 1.0,
            "default_loss": None,
        },
    ),
    "Bandit.open": (
        discreet.Bandit.open,
        {"path": "none.db", "store": None, "ledger": None, "key": None, "lost_key": False},
    ),
    "Bandit.ask": (BANDIT.ask, {"user": "Ada"}),
    "Bandit.tell": (lambda decision: PLAIN.tell(decision, reward=0.5), {"decision": 0}),
    "Bandit.tell of a decision": (tell_decision, {"arm": "A", "id": 0, "token": "x"}),
    "Bandit.give_up": (PLAIN.give_up, {"decision": 0}),
    "Bandit.snapshot": (PLAIN.snapshot, {"path": "copy.db", "store": None, "key": None}),
    "Advisor.ask": (ADVISOR.ask, {"advice": ADVICE, "user": None}),
    "Device": (
        discreet.Device,
        {
            "dimension": 2,
            "epsilon": 1.0,
            "low": 0.0,
            "high": 1.0,
            "norm": 1.0,
            "algorithm": "local-greedy",
            "clip": False,
            "ledger": None,
        },
    ),
    "Device.update": (DEVICE.update, {"model": SERVER.model()}),
    "Device.choose": (DEVICE.choose, {"contexts": [[0.5, 0.1], [0.2, 0.1]]}),
    "LocalServer": (
        discreet.LocalServer,
        {
            "dimension": 2,
            "horizon": 1000,
            "epsilon": 1.0,
            "low": 0.0,
            "high": 1.0,
            "norm": 1.0,
            "algorithm": "local-greedy",
            "lag": 100,
        },
    ),
    "LocalServer.receive": (SERVER.receive, {"report": b""}),
    "LiveRun.over": (
        discreet.LiveRun.over,
        {"private": private(), "horizon": 10, "observation": 0},
    ),
    "LiveRun.tell": (lambda ticket: RUN.tell(ticket, 0.5), {"ticket": TICKET}),
    "LiveRun.ask": (RUN.ask, {"observation": 0, "user": None}),
    "Private": (discreet.Private, {"channel": private().channel, "learner": private().learner}),
    "OnDevice": (discreet.OnDevice, {"channel": None, "policy": None, "learner": None}),
    "Setting": (
        discreet.Setting,
        {
            "problem": Arms(3),
            "rounds": 10,
            "epsilon": 1.0,
            "delta": 0.0,
            "bounds": UNIT,
            "live": False,
            "unknown_horizon": False,
        },
    ),
    "Contender": (
        discreet.Contender,
        {"label": "a", "private": private(), "algorithm": "b", "facts": {}},
    ),
    "algorithm": (discreet.algorithm, {"name": "exp3"}),
    "cite": (lambda name: discreet.cite(name), {"name": "exp3"}),
    "list_algorithms": (discreet.list_algorithms, {"problem": Arms}),
    "Algorithm.build": (
        EXP3.build,
        {
            "setting": EXP3.setting(rounds=100),
            **{name: each.default for name, each in EXP3.options.items()},
        },
    ),
    "Algorithm.setting": (
        EXP3.setting,
        {
            "rounds": 100,
            "epsilon": 1.0,
            "delta": 0.0,
            "low": 0.0,
            "high": 1.0,
            "unknown_horizon": False,
            "arms": 3,
        },
    ),
    "simulate": (
        simulate,
        {
            "algorithms": ["batched-exp3"],
            "environment": "stochastic",
            "problem": None,
            "losses": None,
            "rounds": 16,
            "unknown_horizon": False,
            "trials": 2,
            "epsilon": 1.0,
            "delta": 0.0,
            "low": 0.0,
            "high": 1.0,
            "options": {},
            "seed": 0,
            "workers": 1,
            "on": "threads",
            "clip": False,
            "progress": None,
            "keep_finished": False,
            "output": None,
            "resume": False,
            "arms": 3,
        },
    ),
    "search": (
        discreet.search,
        {
            "algorithms": ["batched-successive-elimination"],
            "environment": None,
            "problem": None,
            "rounds": 64,
            "trials": 2,
            "epsilon": 1.0,
            "delta": 0.0,
            "low": 0.0,
            "high": 1.0,
            "options": {},
            "seed": 0,
            "workers": 1,
            "on": "threads",
            "progress": None,
            "keep_finished": False,
            "arms": 2,
        },
    ),
    "plan": (
        discreet.plan,
        {
            "rounds": 64,
            "arms": 2,
            "dimension": None,
            "experts": None,
            "low": 0.0,
            "high": 1.0,
            "better": "higher",
            "difference": 0.1,
            "spread": None,
            "typical": None,
            "outcomes": None,
            "arm_column": None,
            "outcome_column": None,
            "epsilon": 1.0,
            "delta": 0.0,
            "rounds_per_user": 1,
            "may_drift": True,
            "share": 0.5,
            "wanted_epsilon": None,
            "trials": 2,
            "seed": 0,
            "workers": 1,
            "progress": None,
        },
    ),
    "audit": (
        discreet.audit,
        {
            "subject": private().channel,
            "claimed": None,
            "attack": None,
            "trials": 1000,
            "seed": 1,
            "confidence": 0.99,
            "setting": None,
            "progress": None,
        },
    ),
    "audit_release_times": (
        discreet.audit_release_times,
        {"subject": PLAIN, "trials": 20, "seed": 1, "confidence": 0.99, "kind": discreet.LiveRun},
    ),
    "register_algorithm": (
        lambda **given: discreet.register_algorithm(**given)(lambda setting: 0),
        {
            "name": "odd-one",
            "title": "x",
            "problem": Arms(2),
            "twin": "",
            "citation": "",
            "builds_on": (),
            "fixed": (),
            "stochastic": False,
            "growth": None,
            "anytime": False,
            "one_point": False,
        },
    ),
    "register_environment": (
        lambda **given: discreet.register_environment(**given),
        {"name": "odd-one", "title": "x", "problem": Arms, "usual": None},
    ),
    "register_store": (register_store, {"scheme": "odd-one", "from_url": lambda url: None}),
    "register_command": (register_command, {"name": "odd-one", "target": "a:b", "short_help": "x"}),
}


def builds():
    """Return the build of every algorithm, as above."""
    return {
        f"build of {name}": (
            lambda known=known, **options: known.build(known.setting(rounds=64), **options),
            {key: each.default for key, each in known.options.items()},
        )
        for name, known in discreet.list_algorithms().items()
    }
