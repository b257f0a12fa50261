"""Contexts at a trusted server: what is released, kept and hidden, and what is refused."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import timedelta

import numpy as np
import pytest
from kill_contextual import ContextualKiller
from makers import Clock, rows_of

from discreet import Bandit, ContextualBandit, DiscreetError, Features, Ledger
from discreet.contracts import NoiseScale
from discreet.live.features import KeptRecords
from discreet.mechanisms.exact import ExactGaussian

CONTEXT = [0.7390851332, -0.2718281828]
USUAL = {"horizon": 4000, "epsilon": 1.0, "delta": 1e-6, "first": 5, "growth": 2.0}
QUIET = USUAL | {"epsilon": 1e4}  # noise of about 0.05 on a sum


def bandit(features=None, **options):
    return ContextualBandit(features or Features(["a", "b", "c"], context=2), **USUAL | options)


def moments(face):
    """Return the sums that the learner has, and how many outcomes are in them."""
    return face._run.read_learner(
        lambda server: (server.matrix.copy(), server.vector.copy(), int(server.counts[0]))
    )


def play(face, rounds, seed=1):
    """Play some rounds; return what the sums of moments are without noise, after every round."""
    rng, size = np.random.default_rng(seed), face.features.dimension
    matrix, vector, sums = np.zeros((size, size)), np.zeros(size), []
    for _ in range(rounds):
        context = rng.standard_normal(face.features.context)
        decision, reward = face.ask(context), float(rng.random())
        face.tell(decision, reward=reward)
        x = face.features.shown(context, None, None).rows[face.features.arms.index(decision.arm)]
        matrix, vector = matrix + np.outer(x, x), vector + (2.0 * reward - 1.0) * x
        sums.append((matrix, vector))
    return sums


def test_what_is_released_is_the_sum_of_all_records_at_the_times_of_fits():
    """Within six deviations of the noise, as below: a false alarm in 10^7 runs."""
    face = bandit(**QUIET)
    sums = play(face, 33)
    assert face.state().released == 3  # after 5, 10 and 20 outcomes
    matrix, vector, seen = moments(face)
    assert seen == 20
    np.testing.assert_allclose(matrix, np.tril(sums[19][0]), atol=0.25)
    np.testing.assert_allclose(vector, sums[19][1], atol=0.25)
    across = np.abs(np.subtract.outer(np.arange(9) // 3, np.arange(9) // 3)) > 0
    assert not matrix[across].any(), "entries of two arms' blocks have no noise"
    assert matrix[0, 0] != sums[19][0][0, 0]


def test_noise_is_exact_and_the_guarantee_says_what_it_does_not_cover():
    face = bandit()
    channel = face.plan.private.channel
    assert isinstance(channel.running.noise, ExactGaussian)
    assert isinstance(channel.noise_scales[0], NoiseScale)
    assert face.guarantee.model == "joint"
    assert face.guarantee.short == "(1, 1e-06)-differential privacy"
    assert "depend on no other person's data" in face.guarantee.source
    for words in (
        "what everybody else sees",
        "without noise",
        "do not store arms with users or times",
    ):
        assert words in face.guarantee.source


def test_every_record_is_rounded_to_the_grid_that_the_noise_pays_for():
    channel = bandit().plan.private.channel
    moved = channel.movement() + np.sqrt(channel.release_size()) * 2.0**-30
    assert channel.grid == 2.0**30
    assert moved <= channel.running.losses.diameter(2) <= moved * (1.0 + 1e-9)


def test_outcomes_may_come_late_and_in_any_order():
    face, late = bandit(**QUIET), []
    rng = np.random.default_rng(2)
    matrix = np.zeros((9, 9))
    for _ in range(5):
        context = rng.standard_normal(2)
        late.append(face.ask(context))
        arm = face.features.arms.index(late[-1].arm)
        x = face.features.shown(context, None, None).rows[arm]
        matrix += np.outer(x, x)
    assert face.state().released == 0
    assert len(face.open_decisions) == 5
    for place in rng.permutation(5):
        face.tell(late[place], loss=0.5)
    assert face.state().released == 1
    np.testing.assert_allclose(moments(face)[0], np.tril(matrix), atol=0.25)
    with pytest.raises(DiscreetError, match="has been told already"):
        face.tell(late[0], loss=0.5)


def test_a_run_goes_on_where_it_was(tmp_path):
    """Bit for bit, with open decisions and late outcomes."""
    face = bandit(path=tmp_path / "run.db")
    late = [face.ask(CONTEXT) for _ in range(3)]
    play(face, 30)
    before = rows_of(face), dict(face._run._store.rows.outcomes)
    face.close()
    face = ContextualBandit.open(tmp_path / "run.db")
    assert (rows_of(face), dict(face._run._store.rows.outcomes)) == before
    assert repr(face.features) == "Features(3 arms, 9 features, 3 of them for each arm)"
    for decision in late:
        face.tell(decision, reward=1.0)
    play(face, 10)
    assert face.state().released == 4
    face.close()
    with pytest.raises(DiscreetError, match=r"open it with ContextualBandit\.open"):
        Bandit.open(tmp_path / "run.db")


def test_a_simulation_in_a_file_is_that_in_memory_however_often_it_is_opened(tmp_path):
    path, options = tmp_path / "run.db", USUAL | {"simulation": True, "seed": 3}
    alone = bandit(**options)
    bandit(**options, path=path).close()
    rng, arms = np.random.default_rng(4), []
    for turn in range(60):
        context, reward = rng.standard_normal(2), float(rng.random())
        with ContextualBandit.open(path, unprotected=True) as face:
            other = face.ask(context)
            face.tell(other, reward=reward)
            if turn == 59:
                stored = moments(face)
        mine = alone.ask(context)
        alone.tell(mine, reward=reward)
        assert mine.arm == other.arm
        arms.append(mine.arm)
    assert set(arms) == {"a", "b", "c"}
    for one, two in zip(moments(alone), stored, strict=True):
        assert np.array_equal(one, two)


def test_what_was_chosen_is_shown_nowhere(tmp_path):
    face = bandit(path=tmp_path / "run.db")
    play(face, 12)
    face.ask(CONTEXT)
    assert face.state().shares == {}
    assert [one.choice for one in face.open_decisions] == [None]
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file:
        assert file.execute("SELECT DISTINCT choice FROM choice").fetchall() == [(-1,)]
        assert file.execute("SELECT DISTINCT choice FROM decision").fetchall() == [(-1,)]
        assert file.execute("SELECT DISTINCT choice FROM release").fetchall() == [(-1,)]
        assert file.execute("SELECT action, trace FROM batch").fetchall() == [("0", "0")]


def test_nothing_raw_is_on_disk_in_the_clear(tmp_path):
    """Canaries: the numbers told, those that are kept, and their moments."""
    face = bandit(path=tmp_path / "run.db", wait=timedelta(hours=1), default_reward=0.25)
    shown = face.features.shown(CONTEXT, None, None)
    decision = face.ask(CONTEXT)
    arm = face.features.arms.index(decision.arm)
    x = shown.rows[arm]
    secrets = [*CONTEXT, *x[x != 0.0], 0.8414709848, 1.0 - 0.8414709848]
    secrets += [np.floor(2.0**30 * a * b + 0.5) for a in CONTEXT for b in CONTEXT]
    face.tell(decision, reward=0.8414709848)
    for _ in range(2):
        stored = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
        assert not any(np.float64(secret).tobytes() in stored for secret in secrets)
        face._run._clock = Clock()
        face._run._clock.now = 4e9
        face.release_due()
    assert face.state().open == 0


def test_what_is_kept_has_one_size_whatever_was_decided():
    records = KeptRecords(2, 3, 14)
    features = Features(4, context=2, arm_features=2)
    for arm in range(4):
        shown = features.shown([0.0, 1e9 * arm], np.full((4, 2), 0.1 * arm), None)
        kept, chosen = records.opened(b"\0" * 9, shown, arm)
        assert (len(kept), chosen) == (9 + 8 * 6, arm)
        assert np.array_equal(records.record(kept, 0.5).features, shown.rows[arm])


def test_giving_up_erases_the_features(tmp_path):
    face = bandit(path=tmp_path / "run.db")
    face.give_up(face.ask(CONTEXT))
    assert face._run._store.rows.outcomes == {}
    face.close()
    face = ContextualBandit.open(tmp_path / "run.db")
    assert face._run._store.rows.outcomes == {}
    play(face, 5)
    assert face.state().released == 1


def test_after_the_wait_the_default_counts():
    face = bandit(**QUIET, wait=60.0, default_reward=1.0)
    clock = face._run._clock = Clock()
    first = [face.ask(CONTEXT) for _ in range(5)]
    face.tell(first[0], reward=0.0)
    with pytest.raises(DiscreetError, match="has been told already"):
        face.tell(first[0], reward=0.0)
    assert face.state().released == 0
    clock.now += 61.0
    assert face.release_due() == 1
    matrix, vector, seen = moments(face)
    assert seen == 5
    constants = matrix.diagonal()[2::3].sum(), vector[2::3].sum()
    assert constants == pytest.approx((5 / 2, (4 - 1) / np.sqrt(2.0)), abs=0.5)
    face.tell(first[1], reward=0.0)  # too late, and nobody is told
    assert "arrival times of outcomes are protected too" in face.guarantee.source


def test_users_are_counted():
    ledger = Ledger(epsilon=3.0, delta=1e-4, max_rounds_per_user=2)
    face = bandit(epsilon=0.5, delta=1e-7, ledger=ledger)
    for _ in range(2):
        face.tell(face.ask(CONTEXT, user="17"), reward=1.0)
    with pytest.raises(DiscreetError, match="has had 2 rounds"):
        face.ask(CONTEXT, user="17")
    assert face.guarantee.rounds == 2
    assert ledger.rounds_of("17") == 2


def test_only_arms_that_are_available_are_chosen():
    face = bandit(**QUIET)
    for available in (["b"], ("c", "a"), {"a"}):
        for _ in range(4):
            decision = face.ask(CONTEXT, available=available)
            assert decision.arm in available
            face.tell(decision, reward=1.0)
    matrix, _, seen = moments(face)
    assert seen == 10
    assert matrix[5, 5] == pytest.approx(2.0, abs=0.25), "four rounds of b, with a constant of 1/2"


def test_features_of_arms_come_in_order_or_by_label():
    features = Features(["x", "y"], context=1, arm_features=2, scales=[10.0, 2.0, 4.0])
    rows = features.shown([10.0], [[2.0, 0.0], [0.0, 4.0]], None).rows
    third = 1.0 / np.sqrt(3.0)
    expected = np.zeros((2, 6))
    expected[0, [0, 2, 3]] = third / np.sqrt(2.0), third, third
    expected[1, [1, 4, 5]] = third / np.sqrt(2.0), third, third
    np.testing.assert_allclose(rows, expected)
    named = features.shown([10.0], {"y": [0.0, 4.0]}, ["y"])
    np.testing.assert_array_equal(named.rows, rows[1:])
    assert named.arms.tolist() == [1]
    shared = Features(2, context=1, arm_features=1, per_arm=False)
    np.testing.assert_allclose(
        shared.shown([0.5], [[1.0], [-1.0]], None).rows,
        [[third, third / 2.0, third], [-third, third / 2.0, third]],
    )
    face = ContextualBandit(shared, **USUAL)
    face.tell(face.ask([0.5], arm_features=[[1.0], [-1.0]]), reward=1.0)


def test_no_features_are_longer_than_1_and_short_ones_stay_linear():
    features, rng = Features(3, context=4, arm_features=5), np.random.default_rng(5)
    for scale in (1e-3, 0.5, 1.0, 1e3, 1e200):
        context, arms = scale * rng.standard_normal(4), scale * rng.standard_normal((3, 5))
        rows = features.shown(context, arms, None).rows
        assert (np.linalg.norm(rows, axis=1) <= 1.0 + 1e-12).all()
    half, whole = (features.shown(np.full(4, s), np.ones((3, 5)), None).rows for s in (0.5, 1.0))
    np.testing.assert_allclose(whole[0, 5:9], 2.0 * half[0, 5:9])
    assert whole[0, 9] == half[0, 9], "the constant is the same for everybody"


def test_where_nothing_is_known_all_arms_are_played():
    """Ties are broken at random: 60 rounds miss one of three arms with a chance of 1e-10."""
    face = bandit(first=100)
    assert {face.ask(CONTEXT).arm for _ in range(60)} == {"a", "b", "c"}


def test_without_a_horizon_few_releases_are_planned():
    face = ContextualBandit(Features(2, context=3), None, 1.0, delta=1e-6)
    channel = face.plan.private.channel
    assert channel.times.size == 227
    spread = channel.running.factorisation.noise_spread().most
    assert channel.running.noise.deviation(channel.release_size()) * spread == pytest.approx(
        33.85, abs=0.1
    )
    face.tell(face.ask([0.1, 0.2, 0.3]), reward=1.0)
    assert "round 1, joint-linucb" in repr(face)
    assert "restarted after 1,073,741,824 rounds" in face.guarantee.source


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: bandit(delta=0.0), "delta is 0.0, but Gaussian noise needs delta"),
        (lambda: bandit(features=3), "features is 3, but must be a Features"),
        (lambda: bandit(growth=1.0), "growth is 1.0, but must be between 1.001 and 1000"),
        (lambda: bandit(first=0), "first is 0, but must be a whole number of at least 1"),
        (lambda: bandit(block=2), "block is not an option here"),
        (lambda: bandit(width=-1.0), "width is -1.0, but must be between 0"),
        (lambda: Features(1), "arms is 1, but must be a whole number of at least 2"),
        (lambda: Features(2, intercept=False), "there are no features"),
        (lambda: Features(2, context=-1), "context is -1, but must be a whole number"),
        (lambda: Features(2, context=1, per_arm=False), "per_arm is False, but arm_features is 0"),
        (lambda: Features(2, context=2, scales=[1.0]), "scales is .1.0., but must be one number"),
        (lambda: Features(2, context=2, scales=0.0), "scales is 0.0, but must be a finite number"),
        (lambda: Features(900, context=20), "18,900 features in total, but at most 10,000"),
    ],
)
def test_wrong_arguments_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "numbers of the context must be 2 finite numbers"),
        ({"context": [1.0, np.nan]}, "numbers of the context must be 2 finite numbers"),
        ({"context": [1.0, "2.0"]}, "numbers of the context must be 2 finite numbers"),
        ({"context": [0.7390851332]}, "have the shape .1,., but must be a vector of length 2"),
        ({"context": CONTEXT, "available": []}, "available must be one or more of the arms"),
        (
            {"context": CONTEXT, "available": ["a", "d"]},
            "available must be one or more of the arms",
        ),
        ({"context": CONTEXT, "available": "a"}, "available is 'a', but must be a list of arms"),
        ({"context": CONTEXT, "arm_features": [[1.0]] * 3}, "created without them"),
        ({"context": CONTEXT, "user": "17"}, "this run does not limit the rounds of a user"),
        ({"context": [1.0, 9.7390851332]}, "longer than its declared scales allow; clip=True"),
    ],
)
def test_wrong_contexts_are_refused_without_showing_them(given, complaint):
    face = bandit(features=Features(["a", "b", "c"], context=2, clip=False))
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        face.ask(**given)
    assert "7390851" not in str(refusal.value)
    assert len(list(_frames(refusal.value))) == 1, "only that of this test and the guard"


def _frames(error):
    """Yield all frames of the package that an error carries, but the guard's own."""
    place = error.__traceback__
    while place is not None:
        if "/discreet/" in place.tb_frame.f_code.co_filename:
            yield place.tb_frame.f_code.co_name
        place = place.tb_next


def test_labels_that_print_alike_are_refused_but_in_runs_of_earlier_versions(tmp_path, monkeypatch):
    path, options = tmp_path / "run.db", {"horizon": 100, "epsilon": 1.0, "delta": 1e-6}
    features = Features([1, "1"], context=2)
    with pytest.raises(DiscreetError, match="arms has the labels 1 and '1', which print alike"):
        ContextualBandit(features, **options)
    with monkeypatch.context() as earlier:
        earlier.setattr("discreet.live.contextual.labels_of", lambda name, labels: labels)
        ContextualBandit(features, path=path, **options).close()
    with ContextualBandit.open(path) as again:
        assert again.ask([0.1, 0.2]).arm in (1, "1")


@pytest.mark.slow
def test_after_kills_every_record_counts_once(tmp_path):
    """As tests/live/kill_contextual.py, with few kills; a false alarm is rarer than 1 in 10^6."""
    killer = ContextualKiller(tmp_path, seed=1)
    while killer.kills < 12 or (len(killer.seen) < 10 and killer.kills < 200):
        killer.kill_one()
    assert killer.check() == []
    assert len(killer.seen) >= 10
