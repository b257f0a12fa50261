"""Runs that count their users: limits, periods, and decisions that learn nothing."""

from __future__ import annotations

import sqlite3
from collections import Counter
from datetime import timedelta

import pytest
from makers import Clock, ask, every_kind, make, rows_of, tell

from discreet import Bandit, DiscreetError, Ledger, UserLimitReached
from discreet.ledger.inputs import user_name
from discreet.live import MemoryStore

DAY, MONTH = timedelta(days=1), timedelta(days=30)
NAMES = (17, "17", b"17", " 17", "１７", "1\u200b7")


def new(**options):
    usual = {"arms": ["a", "b"], "horizon": 1000, "epsilon": 0.5, "max_rounds_per_user": 2}
    return Bandit(**usual | options)


def with_clock(bandit):
    """Return a clock of the run that only the test moves."""
    clock = bandit._run._clock = Clock()
    return clock


def test_a_user_has_so_many_rounds_under_all_names(tmp_path):
    for place in ({}, {"path": tmp_path / "run.db"}):
        with new(max_rounds_per_user=len(NAMES) - 1, **place) as bandit:
            for name in NAMES[1:]:
                bandit.ask(user=name)
            with pytest.raises(UserLimitReached, match="this user has had 5 rounds, which is"):
                bandit.ask(user=NAMES[0])
            bandit.ask(user="18")
            assert (bandit.rounds_of(17), bandit.rounds_of(18), bandit.rounds_of(19)) == (5, 1, 0)
            assert bandit.state().round == 6


def test_the_guarantee_is_for_all_rounds_of_a_user():
    assert (new().guarantee.epsilon, new().guarantee.rounds) == (1.0, 2)
    monthly = new(max_rounds_per_user=30, per=MONTH).guarantee
    assert (monthly.epsilon, monthly.rounds, monthly.period) == (15.0, 30, MONTH)
    assert "in one period of 30 days" in str(monthly)


def test_counts_outlive_the_process_and_do_not_show_names(tmp_path):
    path = tmp_path / "run.db"
    with new(path=path) as bandit:
        bandit.ask(user="Ada Lovelace")
        bandit.ask(user="Ada Lovelace")
    with Bandit.open(path) as bandit:
        assert bandit.rounds_of("Ada Lovelace") == 2
        with pytest.raises(UserLimitReached):
            bandit.ask(user="Ada Lovelace")
        bandit.ask(user="Bob")
        assert bandit.guarantee.rounds == 2
    with new(path=tmp_path / "other.db") as other:
        other.ask(user="Ada Lovelace")
        digest = [users[:12] for _, users in other._run._store.rows.usage.values()]
    content = path.read_bytes()
    assert b"Ada" not in content
    assert not any(each in content for each in digest), "each run hashes with its own key"


def test_a_period_renews_the_rounds_and_forgets_the_earlier_ones(tmp_path):
    for place in ({}, {"path": tmp_path / "run.db"}):
        bandit = new(per=DAY, **place)
        clock = with_clock(bandit)
        bandit.ask(user="Ada")
        bandit.ask(user="Ada")
        with pytest.raises(UserLimitReached, match="2 rounds in this period of 1 day, which is"):
            bandit.ask(user="Ada")
        clock.now += 86_400
        assert bandit.rounds_of("Ada") == 0
        bandit.ask(user="Ada")
        assert bandit.rounds_of("Ada") == 1
        ((window, users),) = bandit._run._store.rows.usage.values()
        assert (window, len(users)) == (int(clock.now // 86_400), 16)
        bandit.close()


def test_the_period_never_goes_back(tmp_path):
    path = tmp_path / "run.db"
    bandit = new(per=DAY, path=path)
    clock = with_clock(bandit)
    for user in ("Ada", "Ada", "Bob"):
        bandit.ask(user=user)
    clock.now -= 10 * 86_400
    served = [bandit.ask(user="Eve", at_limit="serve").learns for _ in range(3)]
    assert served == [True, True, False]
    with pytest.raises(UserLimitReached):
        bandit.ask(user="Ada")
    bandit.close()
    bandit = Bandit.open(path)
    with_clock(bandit).now -= 10 * 86_400
    assert [bandit.rounds_of(user) for user in ("Ada", "Bob", "Eve")] == [2, 1, 2]
    bandit.close()


def test_an_id_alone_is_refused_where_a_power_loss_could_give_it_again(tmp_path):
    with new(path=tmp_path / "run.db") as bandit:
        decision = bandit.ask(user="Ada")
        with pytest.raises(DiscreetError, match="decision is the id 0, but this run counts its"):
            bandit.tell(decision.id, reward=1.0)
        bandit.tell(type(decision)(*decision), reward=1.0)
    bandit = new()
    bandit.tell(bandit.ask(user="Ada").id, reward=1.0)


def test_a_ledger_is_charged_for_all_rounds_of_a_user():
    ledger = Ledger(1.0)
    new(ledger=ledger).ask(user="Ada")
    assert ledger.spent.epsilon == 1.0
    ledger = Ledger(1.0, per=MONTH)
    monthly = new(ledger=ledger, per=MONTH)
    monthly.ask(user="Ada")
    assert ledger.spent.epsilon == 1.0
    with pytest.raises(DiscreetError, match="the budget is epsilon"):
        new(ledger=ledger).ask(user="Ada")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ledger": lambda: Ledger(9.0, max_rounds_per_user=2)}, "give one of the two"),
        ({"ledger": lambda: Ledger(9.0), "per": MONTH}, "the ledger's budget is for all time"),
        ({"ledger": lambda: Ledger(9.0, per=DAY), "per": MONTH}, "budget is for 1 day"),
        ({"max_rounds_per_user": None, "per": MONTH}, "per is given, but max_rounds_per_user is"),
        ({"max_rounds_per_user": 0}, "max_rounds_per_user is 0, but must be"),
        ({"per": 30}, "per is 30, but must be a timedelta from a minute to a century"),
        ({"per": timedelta.max}, "a timedelta from a minute to a century"),
    ],
)
def test_limits_that_contradict_each_other_are_refused(options, words, tmp_path):
    if "ledger" in options:
        options = options | {"ledger": options["ledger"]()}
    with pytest.raises(DiscreetError, match=words):
        new(path=tmp_path / "run.db", **options)
    assert not (tmp_path / "run.db").exists()


def test_ask_needs_a_user_and_only_there():
    with pytest.raises(
        DiscreetError, match="ask needs the user: the run allows each user at most 2 ro"
    ):
        new().ask()
    with pytest.raises(DiscreetError, match="this run does not limit the rounds of a user"):
        new(max_rounds_per_user=None).ask(user="Ada")
    with pytest.raises(DiscreetError, match="this run does not count users"):
        new(max_rounds_per_user=None).rounds_of("Ada")


def test_a_copy_counts_from_the_start(tmp_path):
    bandit = new()
    bandit.ask(user="Ada")
    bandit.snapshot(tmp_path / "copy.db")
    with Bandit.open(tmp_path / "copy.db") as copied:
        assert copied.rounds_of("Ada") == 0
        assert copied.guarantee.rounds == 2


def test_a_count_that_was_edited_is_refused(tmp_path):
    path = tmp_path / "run.db"
    with new(path=path) as bandit:
        bandit.ask(user="Ada")
    with sqlite3.connect(path) as file:
        ((users,),) = file.execute("SELECT users FROM usage")
        file.execute("UPDATE usage SET users = ?", (users[:-1] + bytes([users[-1] ^ 1]),))
    file.close()
    with pytest.raises(DiscreetError, match="was modified by another program"):
        Bandit.open(path)


@every_kind
def test_a_user_at_the_limit_is_served_by_every_class_and_nothing_changes(kind):
    store = MemoryStore()
    face = make(kind, max_rounds_per_user=1, store=store)
    tell(face, ask(face, user="Ada"))
    for asked in range(3):  # in the middle of a batch, and where the learner would act
        before, served = rows_of(face), [ask(face, user="Ada", at_limit="serve") for _ in range(4)]
        for decision in served:
            assert (decision.learns, decision.id) == (False, -1)
            tell(face, decision)  # discarded
        assert rows_of(face) == before
        fresh = ask(face, user=f"user {asked}", at_limit="serve")
        assert (fresh.learns, fresh.id) == (True, asked + 1)
        assert type(fresh) is type(served[0])
        tell(face, fresh)
    with pytest.raises(UserLimitReached):
        ask(face, user="Ada")


def test_served_decisions_have_the_law_of_ordinary_ones():
    """5 standard deviations of 4,000 draws: a false alarm has a probability below 2e-6."""
    bandit = new(arms=4, algorithm="noisy-exp2", simulation=True, seed=1, max_rounds_per_user=400)
    for _ in range(400):
        decision = bandit.ask(user="Ada")
        bandit.tell(decision, reward=1.0 if decision.arm == 2 else 0.0)
    learner = bandit._run._engine.private.learner
    state = bandit._run._engine.learner_state.tobytes()
    draws = Counter()
    for _ in range(4_000):
        draws[learner.act(0, bandit._run._rng)[0]] += 1
        bandit._run._engine.learner_state[:] = state
    served = Counter(bandit.ask(user="Ada", at_limit="serve").arm for _ in range(4_000))
    for arm in range(4):
        assert abs(served[arm] - draws[arm]) <= 5 * (2 * 4_000 / 4) ** 0.5


def test_a_seeded_simulation_is_the_same_whether_or_not_somebody_is_served():
    def arms(serving):
        bandit = new(simulation=True, seed=3, max_rounds_per_user=1)
        played = []
        for number in range(40):
            decision = bandit.ask(user=number)
            played.append(decision.arm)
            bandit.tell(decision, reward=0.5)
            if serving:
                bandit.ask(user=number, at_limit="serve")
        return played

    assert arms(True) == arms(False)


def test_a_ledger_that_limits_users_serves_too():
    ledger = Ledger(3.0, max_rounds_per_user=1)
    bandit = new(ledger=ledger, max_rounds_per_user=None)
    assert bandit.ask(user="Ada", at_limit="serve").learns
    served = bandit.ask(user="Ada", at_limit="serve")
    assert not served.learns
    bandit.tell(served, reward=1.0)
    bandit.tell(served.id, reward=1.0)
    assert (ledger.rounds_of("Ada"), bandit.state().open) == (1, 1)


def test_where_every_action_costs_nobody_is_served():
    bandit = new(algorithm="exp3-tau", simulation=True, delta=1e-6)
    with pytest.raises(DiscreetError, match="every decision costs privacy: use 'refuse'"):
        bandit.ask(user="Ada", at_limit="serve")
    with pytest.raises(DiscreetError, match="at_limit is 'wait', but must be one of refuse, serve"):
        new().ask(user="Ada", at_limit="wait")


def test_users_are_served_with_the_arms_that_are_available():
    bandit = new(arms=["a", "b", "c"], algorithm="batched-exp3", batch_size=4, capacity=4)
    bandit.ask(user="Ada", available=["a", "b"])
    first = bandit.ask(user="Ada").arm
    before = rows_of(bandit)
    for arms in (["a"], ["b"], ["c"], ["b", "c"]):
        served = bandit.ask(user="Ada", available=arms, at_limit="serve")
        assert (served.arm in arms, served.learns) == (True, False)
    assert bandit.ask(user="Ada", at_limit="serve").arm == first
    assert rows_of(bandit) == before


def test_a_served_decision_is_of_its_own_run():
    one, other = new(), new()
    one.ask(user="Ada")
    one.ask(user="Ada")
    served = one.ask(user="Ada", at_limit="serve")
    with pytest.raises(DiscreetError, match="decision -1 does not belong to this run"):
        other.tell(served, reward=1.0)
    with pytest.raises(DiscreetError, match="the reward is outside the declared range"):
        one.tell(served, reward=3.0)


def test_another_ledger_that_limits_users_is_refused(tmp_path):
    """It would begin to count from zero, and the guarantee would be false."""
    ledger = Ledger(3.0, max_rounds_per_user=2)
    place = {"path": tmp_path / "run.db", "key": tmp_path / "key"}
    with Bandit(2, 100, 0.1, ledger=ledger, **place) as bandit:
        bandit.ask(user="Ada")
    for other in (Ledger(3.0), Ledger(3.0, max_rounds_per_user=3)):
        with pytest.raises(DiscreetError, match="open it with the same ledger"):
            Bandit.open(ledger=other, **place)
    with pytest.raises(DiscreetError, match="not the one that counted this run's"):
        Bandit.open(ledger=Ledger(3.0, max_rounds_per_user=2), **place)
    with Bandit.open(ledger=ledger, **place) as bandit:
        bandit.ask(user="Ada")
        with pytest.raises(UserLimitReached):
            bandit.ask(user="Ada")


@pytest.mark.parametrize("letter", "\u2065\ufff0\U000e0fff\U00016fe4\u2800\U0001d159")
def test_characters_that_show_nothing_make_no_second_user(letter):
    assert user_name(f"Ada{letter}") == "Ada"
