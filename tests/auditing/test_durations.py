"""How long a live run takes does not depend on what it is told; mistakes are caught."""

from __future__ import annotations

import dis
import secrets
import sys
from fractions import Fraction

import numpy as np
import pytest
from live.makers import MAKERS, Recorder, make

from discreet import Bandit, DiscreetError, Private, Range, audit_durations
from discreet.auditing.durations import LIMIT, neighbours_of
from discreet.auditing.measured_times import Measured, difference, match
from discreet.auditing.timed_runs import TimedPlayer
from discreet.channels import OneBit, PerRound, RunningSum
from discreet.learners import Hedge, TsallisInf
from discreet.live.arguments import loss_of
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.mechanisms import Coin, ExactCoin

pytestmark = pytest.mark.long

SURE = 1.0 - 1e-6  # a false alarm in a million audits, on a busy machine too


def bandit(**options):
    return Bandit(**{"arms": 2, "horizon": 1000, "epsilon": 1.0} | options)


CONFIGURATIONS = {
    "the default": lambda: bandit(),
    "one bit": lambda: bandit(algorithm="one-bit-tsallis-inf"),
    "response": lambda: bandit(algorithm="local-tsallis-inf", noise="response"),
    "clip": lambda: bandit(clip=True),
    "wait": lambda: bandit(wait=60.0, default_loss=0.0),
    "laplace": lambda: bandit(algorithm="batched-exp3", batch_size=3),
    "optimal": lambda: bandit(algorithm="batched-tsallis-inf", batch_size=3, noise="optimal"),
    "every round": lambda: bandit(algorithm="noisy-exp2"),
    "gaussian": lambda: bandit(algorithm="local-tsallis-inf", noise="gaussian", delta=1e-6),
}


class Counted:
    """Counts the instructions of the interpreter: a measure of work that no load disturbs."""

    def __init__(self):
        self.number = 0

    def __call__(self, frame, event, argument):
        frame.f_trace_opcodes = True
        self.number += event == "opcode"
        return self

    def during(self, work):
        self.number, before = 0, sys.gettrace()
        sys.settrace(self)
        try:
            work()
        finally:
            sys.settrace(before)
        return self.number


def instructions(subject, neighbours, which, monkeypatch):
    """Return the instructions of the cheapest of some batches: drawing again would add to them.

    The learner does nothing, so that only what handles raw outcomes is counted.
    """
    plan = subject.plan
    run = subject if isinstance(subject, LiveRun) else subject._run
    run._plan = plan._replace(private=plan.private._replace(learner=Recorder([])))
    player, counted = TimedPlayer(subject, LiveRun), Counted()
    player.start()
    found = []
    # single rounds are many, so that both values of a bit are among them
    for _ in range(60 if plan.private.channel.hold() == 1 else 12):
        if player.fresh(20):
            player.start()
        spent = []

        def clock(spent=spent):
            spent.append(counted.number)
            return 0

        monkeypatch.setattr("discreet.auditing.timed_runs.time.perf_counter_ns", clock)
        counted.during(lambda: player.play(neighbours, which))
        pairs = list(zip(spent[::2], spent[1::2], strict=True))
        silent = subject.plan.wait is not None  # then only releases are compared, and the ask
        found.append([after - before for before, after in (pairs[-2:] if silent else pairs)])
    return np.array(found).min(axis=0).tolist()


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_the_same_instructions_are_executed_whatever_is_told(kind, monkeypatch):
    """The interpreter's instructions, counted: fails for branches and fractions, on any machine."""
    subject = CONFIGURATIONS[kind]()
    for each in neighbours_of(subject, None):
        first, second = (instructions(subject, each, which, monkeypatch) for which in (0, 1))
        assert first == second, each.text


OFTEN = ("one bit", "tree")  # the other kinds take as long, and fail alike


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind in OFTEN else pytest.mark.full) for kind in MAKERS],
)
def test_every_kind_of_client_can_be_audited(kind):
    """What durations show depends on the machine: benchmarks/durations.py measures it."""
    found = audit_durations(make(kind), trials=300, confidence=SURE)
    assert 0.0 <= found.lower_bound <= found.reach
    assert found.as_dict()["leaks"] is (found.lower_bound > LIMIT)
    assert ("no leak" in str(found)) is (found.lower_bound <= LIMIT)


class FractionCoin(ExactCoin):
    """The coin as it was: exact, but fractions take longer the more digits they have."""

    compiles = False

    def toss(self, total, length, rng):
        lift = Fraction(self.lift)
        inside = min(max(Fraction(total), Fraction(0)), Fraction(length))
        share = (1 + lift * inside) / (2 + lift * length)
        return 1.0 if secrets.randbelow(share.denominator) < share.numerator else 0.0

    def sealed(self):
        return self


class Slow(Coin):
    def exact(self, guarantee, sensitivity):
        return FractionCoin(self.epsilon)


class Careful(PerRound):
    """Looks twice at losses above one half."""

    compiles = False

    def offer(self, feedback, query, rng):
        for _ in range(1000 if feedback > 0.5 else 1):
            pass
        return super().offer(feedback, query, rng)


class Reading(RunPlan):
    """Reads an outcome only if there is one, as plans did before."""

    def read(self, kept):
        return super().read(kept) if self.is_told(kept) else self.default


class Branching(Bandit):
    """Clips only what is out of range, as bandits did before."""

    def tell(self, decision, *, loss):
        inside = 0.0 <= loss <= 1.0
        outcome = loss if inside else loss_of(None, loss, (0.0, 1.0), clip=True)
        self._tell(decision, outcome)


def one_bit(noise):
    channel = OneBit.over(size=2, epsilon=1.0, bounds=Range(0.0, 1.0))._replace(noise=noise)
    learner = TsallisInf.start(arms=2, learning_rate=4.0, baseline=0.5)
    return LiveRun.over(Private(channel, learner), horizon=1000)


def differing(subject, monkeypatch, text=""):
    """Return whether some pair of inputs makes the interpreter do different work."""
    pairs = neighbours_of(subject, None)
    return any(
        instructions(subject, each, 0, monkeypatch) != instructions(subject, each, 1, monkeypatch)
        for each in pairs
        if text in each.text
    )


def test_a_coin_of_fractions_is_other_work(monkeypatch):
    assert differing(one_bit(Slow(1.0)), monkeypatch)
    assert not differing(one_bit(Coin(1.0)), monkeypatch)


def test_clipping_by_a_branch_is_other_work(monkeypatch):
    subject = Branching(arms=2, horizon=1000, epsilon=1.0, clip=True)
    assert differing(subject, monkeypatch, "clipped")


def test_clipping_compares_nothing():
    """A processor guesses comparisons, and usual outcomes are in range: others took longer."""
    compared = []

    def trace(frame, event, argument):
        frame.f_trace_opcodes = True
        if event == "opcode":
            compared.append(dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("COMPARE"))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = [loss_of(None, loss, (0.0, 1.0), clip=True) for loss in (-3.0, 0.5, 4.0)]
    finally:
        sys.settrace(before)
    assert found == [0.0, 0.5, 1.0]
    assert len(compared) > 100
    assert not any(compared)


def test_reading_a_deadline_by_a_branch_is_other_work(monkeypatch):
    subject = CONFIGURATIONS["wait"]()
    subject._run._plan = Reading(*subject.plan)
    assert differing(subject, monkeypatch, "missing")


def test_a_slow_path_for_some_losses_is_caught():
    channel = Careful.example()
    learner = TsallisInf.start(arms=2, learning_rate=4.0, baseline=0.5)
    run = LiveRun.over(Private(channel, learner), horizon=1000)
    assert audit_durations(run, trials=600).lower_bound > 1.0


def test_bad_subjects_are_refused():
    with pytest.raises(DiscreetError, match="the subject is None, but must be a live run"):
        audit_durations(None)
    with pytest.raises(DiscreetError, match="the run has no privacy guarantee"):
        audit_durations(bandit(simulation=True))
    with pytest.raises(DiscreetError, match="a batch has 5000 rounds"):
        audit_durations(bandit(horizon=100_000, algorithm="batched-exp3", batch_size=5000))
    with pytest.raises(DiscreetError, match="a batch has 400 rounds, but this audit plays at l"):
        audit_durations(bandit(horizon=600, algorithm="batched-exp3", batch_size=400))
    with pytest.raises(DiscreetError, match="use more trials, or a smaller epsilon"):
        audit_durations(bandit(epsilon=30.0, algorithm="one-bit-tsallis-inf"), trials=100)
    sums = RunningSum.example()
    run = LiveRun.over(Private(sums, Hedge.example()), horizon=20)
    with pytest.raises(DiscreetError, match="outcomes is None, but a RunningSum needs them"):
        audit_durations(run)
    with pytest.raises(DiscreetError, match="outcomes has length 1, but at least 2"):
        audit_durations(bandit(), outcomes=(0.5,))
    with pytest.raises(DiscreetError, match="outcomes is 5, but must be a list"):
        audit_durations(bandit(), outcomes=5)
    with pytest.raises(DiscreetError, match="kind is 5, but must be a subclass of LiveRun"):
        audit_durations(bandit(), kind=5)
    with pytest.raises(DiscreetError, match="trials is 5"):
        audit_durations(bandit(), trials=5)


def test_only_equal_releases_are_compared():
    first, _ = match(np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0]))
    assert len(first) == 3
    assert sorted(first.tolist()) == sorted(set(first.tolist()))
    few = Measured(np.zeros((2, 50, 1)), np.array([np.zeros(50), np.ones(50)]), np.ones((2, 50)))
    with pytest.raises(DiscreetError, match="only 0 trials had equal releases"):
        few.matched()
    assert difference(np.zeros(10), np.zeros(10)) == (0.0, 0.0)
    assert difference(np.arange(10.0), np.arange(10.0) + 100.0)[1] > 3.0


def test_durations_of_equal_mean_differ_too():
    """One is always 3, the other 0 or 6: a single one tells which."""
    rng = np.random.default_rng(0)
    steady, mixed = 3.0 + rng.normal(size=400) / 10, rng.choice([0.0, 6.0], size=400)
    alike = rng.normal(size=(2, 400))
    assert difference(steady, mixed) > (1.5, 8.0) > (0.3, 3.0) > difference(*alike)


def test_batches_of_other_sizes_are_not_compared():
    """A loss moves the mean of a short batch further, so equal means would favour some sizes."""
    rng = np.random.default_rng(2)
    sizes = rng.choice([1.0, 4.0], size=(2, 4_000))
    releases = (np.array([[0.0], [1.0]]) + rng.laplace(size=sizes.shape)) / sizes
    durations = (1_000.0 * sizes + rng.normal(size=sizes.shape))[:, :, None]
    (pair,) = Measured(durations, releases, sizes).matched()
    assert difference(*pair)[1] < 2.5
    (mixed,) = Measured(durations, releases, np.ones_like(sizes)).matched()
    assert difference(*mixed)[1] > 2.5


@pytest.mark.parametrize("share", [0.5, 0.73])
def test_false_alarms_are_as_rare_as_stated(share):
    """Equal durations that drift: what a bound finds is at most 0 in 99 of 100.

    Releases are bits, whose mean may depend on the input. More than 6 alarms in 200 have a
    probability below 0.5 %.
    """
    from discreet.auditing.bounds import Tally, best_event, epsilon_bound

    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(200):
        drift = np.cumsum(rng.normal(size=(600, 1)), axis=0) + rng.gamma(2.0, size=(600, 2))
        flips = rng.integers(2, size=600)
        durations = np.where(flips[:, None] == 1, drift[:, ::-1], drift).T[:, :, None]
        bits = rng.random((2, 600)) < np.array([[share], [1.0 - share]])
        one, other = Measured(durations, bits.astype(np.float64), np.ones(bits.shape)).matched()[0]
        few = one.size // 3
        event = best_event(one[:few], other[:few], confidence=0.99, delta=0.0, gaussian=False)
        hits = [event.hits(one[few:]), event.hits(other[few:])]
        tally = Tally(hits[event.likelier], hits[1 - event.likelier], one.size - few)
        alarms += epsilon_bound(tally, confidence=0.99, delta=0.0, gaussian=False) > 0.0
    assert alarms <= 6


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (lambda: bandit(max_rounds_per_user=3), "the run has max_rounds_per_user"),
        (lambda: bandit(capacity=4, algorithm="batched-ucb"), "the run has capacity"),
    ],
)
def test_what_cannot_be_repeated_is_refused(subject, message):
    with pytest.raises(DiscreetError, match=message):
        audit_durations(subject(), trials=200)
