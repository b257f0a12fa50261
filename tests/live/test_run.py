"""The one live run: told once, by one process, without a twin, and how long an action is held."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import warnings

import numpy as np
import pytest
from makers import UNIT, Recorder, ask, bandit, every_kind, experts, make, rows_of, run_of, tell

import componentjit
from discreet import Bandit, DiscreetError, Guarantee, Private, channels
from discreet.contracts import Channel, Learner
from discreet.factorisations import Buffered, Honaker, SquareRoot, Tree
from discreet.learners import Exp3
from discreet.live.rows import Change
from discreet.live.run import LiveRun
from discreet.mechanisms import Laplace
from discreet.sets import Box

# Told once, to the run that asked


@every_kind
def test_an_outcome_counts_once(kind):
    face = make(kind)
    decision = ask(face)
    tell(face, decision)
    before = rows_of(face)
    with pytest.raises(
        DiscreetError,
        match="decision 0 has been told already, or given up: each outcome counts once",
    ):
        tell(face, decision)
    assert rows_of(face) == before


@every_kind
def test_a_decision_of_another_run_is_refused(kind):
    one, other = make(kind), make(kind)
    mine, theirs = ask(one), ask(other)
    assert mine.id == theirs.id
    with pytest.raises(DiscreetError, match="decision 0 does not belong to this run"):
        tell(one, theirs)
    tell(one, mine)
    with pytest.raises(DiscreetError, match="decision 0 does not belong to this run"):
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
    for decision in (
        waiting,
        fresh._replace(token=waiting.token),
        waiting._replace(token=fresh.token),
    ):
        with pytest.raises(
            DiscreetError,
            match=r"decision \d+ (does not belong to this run|has been told already)",
        ):
            tell(twin, decision)
    tell(original, waiting)


def test_a_snapshot_has_other_randomness(tmp_path):
    original = bandit(
        arms=100, algorithm="batched-tsallis-inf", simulation=True, seed=1, batch_size=1
    )
    original.snapshot(tmp_path / "copy.db")
    twin = Bandit.open(tmp_path / "copy.db", unprotected=True)
    arms = [[ask(face).arm for _ in range(20)] for face in (original, twin)]
    assert arms[0] != arms[1], "equal by chance once in 100^20 runs"
    assert "reproducible" not in str(twin.guarantee)


def test_running_sums_have_no_snapshot(tmp_path):
    with pytest.raises(
        DiscreetError, match="learns from one running sum, which a copy would release again"
    ):
        experts().snapshot(tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


# No twin, by any route


@every_kind
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_and_pickles_are_refused(kind, duplicate):
    face = make(kind)
    for live in (face, face._run):
        with pytest.raises(
            DiscreetError,
            match="cannot be copied or pickled, because a copy could release the same data twice",
        ):
            duplicate(live)


@every_kind
def test_between_two_calls_nothing_raw_is_in_the_channel(kind):
    """So that nothing raw is in a copy of it, made in whatever way."""
    face = make(kind)
    blank = face._run._engine._blank
    for _ in range(3):
        tell(face, ask(face), 0.7390851332)
        assert face._run._engine.channel_state == blank
        assert face._run._store.rows._told is None, (
            "what has entered the tables is not kept beside them"
        )


@every_kind
def test_nothing_raw_is_shown(kind):
    face = make(kind)
    tell(face, ask(face), 0.7390851332)
    shown = " ".join(
        map(
            repr,
            (
                face,
                face.state(),
                face._run,
                face._run._store.rows,
                face._run._store.rows.groups,
                face._run._store.rows.outcomes,
                *map(face._run._store.rows.group, face._run._store.rows.groups),
            ),
        )
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
            except BaseException as reason:  # a child must not go on to the next test
                said.append(str(reason))
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reader, 1000).decode().splitlines()
    assert (
        said
        == ["this run belongs to another process: close it there, then open its file here."] * 4
    )
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
    assert [(size, round(mean, 6)) for size, mean in heard] == [
        (4, 0.75),
        (3, 0.375),
        (2, 0.125),
        (1, 0.0),
    ]


class RunningTotal(Channel):
    """One stream that takes and releases in two steps; every release has a noise of 1000, which can
    be made to fail.
    """

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
    with pytest.raises(
        DiscreetError, match="user is given, but this run does not limit the rounds"
    ):
        experts().ask(user="Ada")


def test_a_closed_run_refuses():
    face = bandit()
    decision = ask(face)
    face.close()
    for use in (lambda: ask(face), lambda: tell(face, decision), face.state):
        with pytest.raises(DiscreetError, match="this run is closed: open its file to continue"):
            use()
    assert "round 1 of 400" in repr(face)


@pytest.mark.parametrize("kind", [Tree, Honaker, Buffered, SquareRoot])
def test_a_live_running_sum_by_hand_releases_nothing(kind):
    """So no thread, fork, copy or failure can make it release something twice: only a run draws its
    noise.
    """
    sums = channels.RunningSum.calibrated(
        Box.cube(2, 0.0, 1.0), kind, prefixes=8, epsilon=1.0, delta=1e-6
    )
    by_hand_nothing_is_released(sums.live(), np.array([0.123, 0.456]))


def test_a_live_batch_by_hand_releases_nothing():
    by_hand_nothing_is_released(
        channels.Batch.laplace(size=1, epsilon=1.0, bounds=UNIT).live(), 0.123
    )
    by_hand_nothing_is_released(
        channels.OneBit.over(size=1, epsilon=1.0, bounds=UNIT).live(), 0.123
    )


def by_hand_nothing_is_released(live, feedback):
    twins = [
        live,
        copy.copy(live),
        copy.deepcopy(live),
        pickle.loads(pickle.dumps(live)),
        type(live)._make(live),
    ]
    for twin in [*twins, live._replace(), componentjit.copy(live), live.live()]:
        with pytest.raises(
            DiscreetError, match=r"holds raw feedback, .* use it through Bandit, Experts"
        ):
            twin.offer(feedback, 1.0, np.random.default_rng(0))


def test_the_plan_of_a_run_releases_nothing_either():
    run = LiveRun.over(
        Private(
            channels.Batch.laplace(size=1, epsilon=1.0, bounds=UNIT),
            Exp3.start(arms=2, learning_rate=0.1),
        ),
        horizon=9,
    )
    run.tell(run.ask(), 0.5)
    assert run.state().released == 1
    by_hand_nothing_is_released(run.plan.private.channel, 0.5)


def test_a_channel_that_has_seen_rounds_cannot_become_live():
    batch = channels.Batch.laplace(size=3, epsilon=1.0, bounds=UNIT)
    batch.take(0.5, 1.0)
    with pytest.raises(
        DiscreetError, match="has already seen rounds, but live use needs a fresh one"
    ):
        LiveRun.over(Private(batch, Exp3.start(arms=2, learning_rate=0.1)), horizon=9)


def test_a_private_learner_of_one_s_own_is_run_with_exact_noise():
    learner = Exp3.start(arms=2, learning_rate=0.1)
    run = LiveRun.over(Private(channels.PerRound(UNIT, Laplace(1.0)), learner), horizon=9)
    assert run.plan.private.channel.noise_scales[0].exact
    run.tell(run.ask(), 0.5)
    assert not np.shares_memory(run._engine.private.learner.weights.logs, learner.weights.logs)
