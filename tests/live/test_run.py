"""The one live run: told once, by one process, one thread at a time, and as if nothing had happened where it fails."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import signal
import sys
import threading
import warnings

import numpy as np
import pytest

from discreet import (
    Advisor,
    Bandit,
    BestArmSearch,
    DiscreetError,
    Experts,
    Guarantee,
    Optimizer,
    Private,
    Range,
    VectorOptimizer,
    channels,
    kernel,
)
from discreet.contracts import Channel, Learner, Noise
from discreet.factorisations import Buffered, Honaker, SquareRoot, Tree
from discreet.learners import Exp3
from discreet.live.building import Plan
from discreet.live.rows import Change
from discreet.live.run import LiveRun
from discreet.live.store import MemoryStore
from discreet.mechanisms import Laplace
from discreet.mechanisms.exact import NoiseBlock
from discreet.sets import Box

UNIT = Range(0.0, 1.0)
ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]


def bandit(**options):
    usual = {"algorithm": "batched-exp3", "batch_size": 4}
    return Bandit(**{"arms": 2, "horizon": 400, "epsilon": 1.0} | (usual if "algorithm" not in options else {}) | options)


def experts(**options):
    return Experts(**{"experts": 3, "horizon": 400, "epsilon": 1.0} | options)


def vectors(**options):
    return VectorOptimizer(**{"geometry": "cube", "dimension": 3, "horizon": 400, "epsilon": 1.0} | options)


def optimizer(**options):
    usual = {"horizon": 400, "epsilon": 1.0, "delta": 1e-6, "when_vacuous": "play"}
    return Optimizer(**{"domain": "ball(3)"} | usual | options)


def searcher(**options):
    return BestArmSearch(**{"arms": 2, "horizon": 400, "epsilon": 1.0, "batch_size": 4} | options)


def advisor(**options):
    return Advisor(**{"arms": 2, "experts": 3, "horizon": 400, "epsilon": 1.0} | options)


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
    "search": (searcher, {}),
    "advice in batches": (advisor, {}),
    "advice every round": (advisor, {"algorithm": "local-exp4"}),
}
RELEASED = {"batch": 1, "slates": 2, "points in batches": 1, "search": 1, "one bit": 1}  # after 4 rounds; by all others 4
every_kind = pytest.mark.parametrize("kind", MAKERS)


def make(kind, **options):
    maker, own = MAKERS[kind]
    return maker(**{name: value for name, value in (own | options).items() if value is not None})


def ask(face):
    return face.ask(ADVICE) if isinstance(face, Advisor) else face.ask()


def tell(face, decision, loss=0.25):
    if isinstance(face, Experts):
        face.tell(decision, losses=[loss, 0.5, 1.0])
    elif isinstance(face, VectorOptimizer):
        face.tell(decision, loss=[loss, 0.0, -0.25])
    elif isinstance(face, Optimizer) and decided_twice(face):
        face.tell(decision, loss=[loss, 0.5])
    else:
        face.tell(decision, loss=loss)


def decided_twice(face):
    return face.algorithm == "private-two-point"


def rows_of(face):
    """Return everything that is committed, to be compared."""
    face._run._store.load(face._run._engine.example)
    rows = face._run._store.rows
    groups = [(g.number, g.told, g.held) for g in rows.groups.values()]
    return rows.counters, sorted(rows.open), groups, rows.learner, rows.stream


# Told once, to the run that asked


@every_kind
def test_an_outcome_counts_once(kind):
    face = make(kind)
    decision = ask(face)
    tell(face, decision)
    before = rows_of(face)
    with pytest.raises(DiscreetError, match="decision 0 has been told already, or given up: each outcome counts once"):
        tell(face, decision)
    assert rows_of(face) == before


@every_kind
def test_a_decision_of_another_run_is_refused(kind):
    one, other = make(kind), make(kind)
    mine, theirs = ask(one), ask(other)
    assert mine.id == theirs.id
    with pytest.raises(DiscreetError, match="decision 0 is not one that this run gave"):
        tell(one, theirs)
    tell(one, mine)
    with pytest.raises(DiscreetError, match="decision 0 is not one that this run gave"):
        tell(one, theirs)


def test_a_snapshot_knows_no_decision_of_its_original_and_draws_by_itself(tmp_path):
    original = bandit()
    for _ in range(9):
        tell(original, ask(original))
    waiting = ask(original)
    original.snapshot(tmp_path / "copy.db")
    twin = Bandit.open(tmp_path / "copy.db")
    assert rows_of(twin)[3] == rows_of(original)[3], "it has learned what the original has"
    assert twin.open_decisions == ()
    assert twin._run._store.rows.groups == {}
    fresh = ask(twin)
    assert fresh.id == 12, "the group that is open here is left out"
    for decision in (waiting, fresh._replace(token=waiting.token), waiting._replace(token=fresh.token)):
        with pytest.raises(DiscreetError, match=r"decision \d+ (is not one that this run gave|has been told already)"):
            tell(twin, decision)
    tell(original, waiting)


def test_a_snapshot_has_other_randomness(tmp_path):
    original = bandit(arms=100, algorithm="batched-tsallis-inf", simulation=True, seed=1, batch_size=1)
    original.snapshot(tmp_path / "copy.db")
    twin = Bandit.open(tmp_path / "copy.db")
    arms = [[ask(face).arm for _ in range(20)] for face in (original, twin)]
    assert arms[0] != arms[1], "equal by chance once in 100^20 runs"
    assert "reproducible" not in str(twin.guarantee)


def test_running_sums_have_no_snapshot(tmp_path):
    with pytest.raises(DiscreetError, match="learns from one running sum, which a copy would release again"):
        experts().snapshot(tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


# No twin, by any route


@every_kind
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_and_pickles_are_refused(kind, duplicate):
    face = make(kind)
    for live in (face, face._run):
        with pytest.raises(DiscreetError, match="cannot be copied or pickled, or what it holds would be released twice"):
            duplicate(live)


@every_kind
def test_between_two_calls_nothing_raw_is_in_the_channel(kind):
    """So that nothing raw is in a copy of it, made in whatever way."""
    face = make(kind)
    blank = face._run._engine._blank
    for _ in range(3):
        tell(face, ask(face), 0.7390851332)
        assert face._run._engine.channel_state == blank
        assert face._run._store.rows._told is None, "what has entered the tables is not kept beside them"


@every_kind
def test_nothing_raw_is_shown(kind):
    face = make(kind)
    tell(face, ask(face), 0.7390851332)
    shown = " ".join(
        map(repr, (face, face.state(), face._run, face._run._store.rows, *face._run._store.rows.groups.values()))
    )
    for secret in ("0.73908", "7390851", "812635"):  # as it is, and in steps of 2^-40
        assert secret not in shown


@every_kind
def test_a_forked_process_refuses(kind):
    face = make(kind)
    decision = ask(face)
    reader, writer = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child == 0:
        said = []
        for use in (lambda: tell(face, decision), lambda: ask(face), face.state, face.close):
            try:
                use()
                said.append("went on")
            except DiscreetError as reason:
                said.append(str(reason))
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reader, 1000).decode().splitlines()
    assert said == ["this run belongs to another process: close it there, and open its file here."] * 4
    tell(face, decision)


def test_a_child_that_is_forked_while_another_thread_is_at_work_refuses_and_does_not_hang():
    face = bandit()
    with face._run._lock:
        with warnings.catch_warnings(action="ignore"):
            child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                face.ask()
            except DiscreetError:
                os._exit(7)
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# Threads


@contextlib.contextmanager
def eager_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


class Loud(Noise):
    """Noise that says what it gets, and lets all other threads in before it answers: the worst schedule."""

    compiles = False

    got: list

    def pause(self):
        for _ in range(3):
            threading.Event().wait(0.0)

    def guarantee(self, sensitivity, *, model, source):
        return Guarantee.none("a test")

    def add_noise(self, value, rng):
        self.pause()
        self.got.append(value)
        self.pause()
        return value + 1000.0

    def perturb(self, vector, rng):
        self.pause()
        self.got.append(vector.copy())
        vector += 1000.0
        self.pause()


def with_noise(channel, noise):
    return channel._replace(noise=noise)


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
    return LiveRun.start(Plan(**facts | changes), {})


class Recorder(Learner):
    """Plays nothing and writes down what is released."""

    compiles = False
    heard: list

    def act(self, observation, rng):
        return 0, 0.0

    def learn(self, trace, released):
        self.heard.append(np.array(released, copy=True))


def at_once(work, threads=6):
    failures = []

    def guarded():
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    workers = [threading.Thread(target=guarded) for _ in range(threads)]
    with eager_threads():
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert failures == []


def test_threads_that_tell_one_running_sum_release_no_raw_vector_and_lose_none():
    """An unguarded tree, told by six threads, released what another thread had just written into its buffers."""
    noise, heard = Loud([]), []
    tree = channels.RunningSum.over(Box([0.0, 0.0], [1.0, 1.0]), Laplace(1.0), Tree, prefixes=1000)
    run = run_of(Private(with_noise(tree, noise), Recorder(heard)))
    losses = iter([np.array([k / 512.0, 1.0 - k / 512.0]) for k in range(120)])
    next_loss = threading.Lock()

    def work():
        for _ in range(20):
            ticket = run.ask()
            with next_loss:
                loss = next(losses)
            run.tell(ticket, loss)

    at_once(work)
    assert run.state().released == len(heard) == 120
    assert all((each >= 1000.0).all() for each in heard), "each release has noise"
    digits = bin(120).count("1")
    total = sum(k / 512.0 for k in range(120))
    assert heard[-1] - 1000.0 * digits == pytest.approx([total, 120.0 - total], rel=1e-12)


def test_threads_that_tell_batches_add_up_every_outcome_once():
    noise, heard = Loud([]), []
    batch = channels.Batch.laplace(size=5, epsilon=1.0, bounds=UNIT)
    run = run_of(Private(with_noise(batch, noise), Recorder(heard)))
    told = []

    def work():
        tickets = [run.ask() for _ in range(20)]
        for ticket in tickets[::-1]:
            loss = (ticket.id % 64) / 64.0
            run.tell(ticket, loss)
            told.append(loss)

    at_once(work)
    assert run.state() == (120, 10_000, {0: 1.0}, 24, 0, 0, 0)
    assert sum(noise.got) == sum(told), "all are multiples of 1/64: the sums are exact"
    assert all(each >= 1000.0 / 5 for each in heard)
    for first in range(0, 120, 5):
        assert sum(k % 64 for k in range(first, first + 5)) / 64.0 in noise.got


# Failures


class Broken(RuntimeError):
    """What is thrown into a run."""


def break_sampler(face, monkeypatch, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr(NoiseBlock, "take", fail)
    monkeypatch.setattr("secrets.randbelow", fail)


def break_learner(face, monkeypatch, failure):
    learn = type(face._run._engine.learner).learn

    def fail(self, trace, released):
        learn(self, trace, released)  # halfway: it has learned, and then fails
        raise failure

    monkeypatch.setattr(type(face._run._engine.learner), "learn", fail)


def break_store(face, monkeypatch, failure):
    def fail(told):
        raise failure

    monkeypatch.setattr(face._run, "_commit_tell", fail)


@pytest.mark.slow
@every_kind
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize("failure", [Broken("on purpose"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("breaking", [break_sampler, break_learner, break_store])
def test_a_tell_that_fails_leaves_the_run_as_if_nothing_had_happened(
    kind, in_file, failure, breaking, monkeypatch, tmp_path
):
    """The round that failed is told again, and counts once: a padded tree and BLT counted it twice."""
    face = make(kind, path=tmp_path / "run.db" if in_file else None)
    for _ in range(3):
        tell(face, ask(face))
    decision = ask(face)
    before = rows_of(face)
    with monkeypatch.context() as patch:
        breaking(face, patch, failure)
        with pytest.raises(type(failure)):
            tell(face, decision)
        assert face._run._engine.channel_state == face._run._engine._blank, "nothing raw stays behind"
    assert rows_of(face) == before
    assert face.state().open == 1
    tell(face, decision)
    assert face.open_decisions == ()
    if kind != "advice in batches":
        assert face.state().released == RELEASED.get(kind, 4)
    stream = face._run._store.rows.stream
    if stream is not None:
        face._run._engine.channel_state[:] = stream
        assert face._run._engine.channel.rounds_seen() == 4
        face._run._engine.channel_state[:] = face._run._engine._blank


@every_kind
def test_an_ask_that_fails_leaves_the_run_as_if_nothing_had_happened(kind, monkeypatch):
    face = make(kind)
    tell(face, ask(face))
    before = rows_of(face)
    act = type(face._run._engine.learner).act

    def fail(self, observation, rng):
        act(self, observation, rng)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(face._run._engine.learner), "act", fail)
        for _ in range(4):
            with contextlib.suppress(KeyboardInterrupt):
                ask(face)
                before = rows_of(face)
    assert rows_of(face) == before
    assert ask(face).id == before[0][0]


@pytest.mark.parametrize("interrupted", range(1, 6))
def test_a_change_that_is_interrupted_on_its_way_into_the_tables_is_completed(interrupted):
    """The commit is one assignment: a Ctrl-C after it finds the change made, whichever table it had reached."""
    face = bandit(batch_size=1)
    tell(face, ask(face))
    decision = ask(face)
    store = face._run._store
    assert isinstance(store, MemoryStore)
    kept, steps = store.rows, []

    class Interrupted(type(kept)):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)
            steps.append(name)
            if len(steps) == interrupted:
                raise KeyboardInterrupt

    tables = [kept.open, kept.groups]
    kept.__class__ = Interrupted
    try:
        with contextlib.suppress(KeyboardInterrupt):
            tell(face, decision)
    finally:
        object.__setattr__(kept, "__class__", Interrupted.__mro__[1])
    assert face.state().released == 2, "with the assignment of the change it is made"
    assert face.open_decisions == ()
    assert tables == [{}, {}]
    with pytest.raises(DiscreetError, match="has been told already"):
        tell(face, decision)


@pytest.mark.parametrize("interrupted", range(1, 5))
def test_a_decision_that_is_interrupted_on_its_way_into_the_tables_was_given(interrupted):
    face = bandit(batch_size=1)
    rows, steps = face._run._store.rows, []

    class Interrupted(type(rows)):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)
            steps.append(name)
            if len(steps) == interrupted:
                raise KeyboardInterrupt

    rows.__class__ = Interrupted
    with pytest.raises(KeyboardInterrupt):
        ask(face)
    object.__setattr__(rows, "__class__", Interrupted.__mro__[1])
    assert (face.state().round, face.state().open, sum(rows.choices.values())) == (1, 1, 1)
    assert rows.learner == face._run._engine.learner_state.tobytes()
    tell(face, 0)
    assert face.state().released == 1
    assert ask(face).id == 1


def test_a_signal_at_any_moment_neither_loses_nor_doubles_an_outcome():
    """Two hundred Ctrl-Cs from a timer: what was told without an exception counts, and what was not, at most once."""
    face = bandit(horizon=100_000, batch_size=2, simulation=True)
    acknowledged, interrupts, armed = 0, 0, False

    def interrupt(*_):
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def tell_what_is_open():
        for one in face.open_decisions:
            face.tell(one.id, loss=0.5)

    old = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
    try:
        while interrupts < 200:
            try:
                armed = True
                while armed:
                    tell_what_is_open()
                    tell(face, ask(face))
                    acknowledged += 1
            except KeyboardInterrupt:
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    tell_what_is_open()
    progress = face.state()
    assert progress.round >= acknowledged > 200
    assert progress.released == progress.round // 2
    assert progress.open == 0


# How long an action is held, and when something is released


class Patient(Learner):
    """Holds its action for one round more each time."""

    compiles = False
    count: np.ndarray
    heard: list

    def act(self, observation, rng):
        self.count[0] += 1.0
        return 0, int(self.count[0])

    def patience(self, trace):
        return trace

    def learn(self, trace, released):
        self.heard.append((trace, float(released)))


def test_the_learner_may_choose_how_long_each_action_is_held():
    heard = []
    batch = channels.Batch.laplace(size=9, epsilon=1e10, bounds=UNIT)
    run = run_of(Private(batch, Patient(np.zeros(1), heard)))
    tickets = [run.ask() for _ in range(1 + 2 + 3 + 4)]
    assert [ticket.group for ticket in tickets] == [0] + [1] * 2 + [3] * 3 + [6] * 4
    for ticket in tickets[::-1]:
        run.tell(ticket, ticket.group / 8.0)
    assert [(size, round(mean, 6)) for size, mean in heard] == [(4, 0.75), (3, 0.375), (2, 0.125), (1, 0.0)]


class RunningTotal(Channel):
    """One stream that takes and releases in two steps; every release has a noise of 1000, which can be made to fail."""

    compiles = False
    one_stream = True
    total: np.ndarray
    fails: list

    def take(self, feedback, query):
        self.total[0] += feedback
        self.total[1] += 1.0
        return self.total[1] % 2 == 0

    def release(self, query, rng):
        if self.fails:
            raise self.fails.pop()
        return True, float(self.total[0]) + 1000.0

    @property
    def guarantee(self):
        return Guarantee.none("a test")


def test_a_stream_may_take_and_release_in_two_steps():
    heard, fails = [], []
    run = run_of(Private(RunningTotal(np.zeros(2), fails), Recorder(heard)))
    tickets = [run.ask() for _ in range(6)]
    for ticket in tickets[:3]:
        run.tell(ticket, 0.25)
    fails.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run.tell(tickets[3], 0.25)
    assert run.state() == (6, 10_000, {0: 1.0}, 1, 3, 3, 0)
    for ticket in tickets[:2:-1]:
        run.tell(ticket, 0.25)
    assert [float(each) for each in heard] == [1000.5, 1001.0, 1001.5]
    assert run.state() == (6, 10_000, {0: 1.0}, 3, 0, 0, 0)


def test_a_change_shows_nothing():
    change = Change((0, 0, 0, 0, 0), stream=b"a sum", outcome=(7, b"an outcome"))
    assert "hidden" in repr(change)
    assert not any(raw in repr(change) for raw in ("a sum", "outcome", "7"))


def test_users_are_refused_without_a_ledger_that_counts_them():
    with pytest.raises(DiscreetError, match="user is given, but there is no ledger"):
        experts().ask(user="Ada")


def test_a_closed_run_refuses():
    face = bandit()
    decision = ask(face)
    face.close()
    for use in (lambda: ask(face), lambda: tell(face, decision), face.state):
        with pytest.raises(DiscreetError, match="this run is closed: open its file to go on"):
            use()
    assert "round 1 of 400" in repr(face)


@pytest.mark.parametrize("kind", [Tree, Honaker, Buffered, SquareRoot])
def test_a_live_running_sum_by_hand_releases_nothing(kind):
    """So no thread, fork, copy or failure can make it release something twice: only a run draws its noise."""
    sums = channels.RunningSum.calibrated(Box.cube(2, 0.0, 1.0), kind, prefixes=8, epsilon=1.0, delta=1e-6)
    by_hand_nothing_is_released(sums.live(), np.array([0.123, 0.456]))


def test_a_live_batch_by_hand_releases_nothing():
    by_hand_nothing_is_released(channels.Batch.laplace(size=1, epsilon=1.0, bounds=UNIT).live(), 0.123)
    by_hand_nothing_is_released(channels.OneBit.over(size=1, epsilon=1.0, bounds=UNIT).live(), 0.123)


def by_hand_nothing_is_released(live, feedback):
    twins = [live, copy.copy(live), copy.deepcopy(live), pickle.loads(pickle.dumps(live)), type(live)._make(live)]
    for twin in [*twins, live._replace(), kernel.copy(live), live.live()]:
        with pytest.raises(DiscreetError, match=r"holds raw feedback, .* use it through Bandit, Experts"):
            twin.offer(feedback, 1.0, np.random.default_rng(0))


def test_the_plan_of_a_run_releases_nothing_either():
    run = LiveRun.over(
        Private(channels.Batch.laplace(size=1, epsilon=1.0, bounds=UNIT), Exp3.start(arms=2, learning_rate=0.1)),
        horizon=9,
    )
    run.tell(run.ask(), 0.5)
    assert run.state().released == 1
    by_hand_nothing_is_released(run.plan.private.channel, 0.5)


def test_a_channel_that_has_seen_rounds_cannot_become_live():
    batch = channels.Batch.laplace(size=3, epsilon=1.0, bounds=UNIT)
    batch.take(0.5, 1.0)
    with pytest.raises(DiscreetError, match="has seen rounds, but live use begins before the first"):
        LiveRun.over(Private(batch, Exp3.start(arms=2, learning_rate=0.1)), horizon=9)


def test_a_private_learner_of_one_s_own_is_run_with_exact_noise():
    learner = Exp3.start(arms=2, learning_rate=0.1)
    run = LiveRun.over(Private(channels.PerRound(UNIT, Laplace(1.0)), learner), horizon=9)
    assert run.plan.private.channel.noise_scales[0].exact
    run.tell(run.ask(), 0.5)
    assert not np.shares_memory(run._engine.learner.weights.logs, learner.weights.logs)


@pytest.mark.parametrize("name", ["state", "open_decisions", "release_due"])
def test_an_interrupt_while_a_method_begins_leaves_no_lock_behind(name):
    """Wherever Ctrl-C comes, the run answers afterwards: also while the traceback is still there."""

    def interrupt(*_):
        raise KeyboardInterrupt

    run, rng, interrupted = bandit()._run, np.random.default_rng(1), 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 1e-4))
                for _ in range(10_000):
                    getattr(run, name)()
            except KeyboardInterrupt:
                interrupted += 1
                assert run._lock.acquire(timeout=5.0), "the lock is free while the traceback lives"
                run._lock.release()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 250
