"""Arms that come and go in a live run: availability, new and retired arms, files, priors."""

from __future__ import annotations

import contextlib
import sqlite3
import warnings

import numpy as np
import pytest
from makers import Clock

from discreet import Bandit, DiscreetError, Ledger
from discreet.live.run import LiveRun

PATTERN = [("A", "B"), ("B", "C"), ("A", "C"), ("C",)]


def new(name="batched-exp3", **options):
    usual = {"arms": ["A", "B", "C"], "horizon": 4000, "epsilon": 1.0, "algorithm": name}
    if name == "batched-exp3":
        usual["batch_size"] = 3
    return Bandit(**usual | {"simulation": True, "seed": 1} | options)


def groups_of(bandit):
    """Return which batch each open decision is of."""
    return {ticket.id: ticket.group for ticket in bandit._run._store.rows.tickets()}


@pytest.mark.parametrize(
    "name",
    ["batched-exp3", "one-bit-tsallis-inf", "batched-htinf", "batched-ucb", "tracking-ucb"],
)
def test_only_available_arms_are_played(name):
    bandit = new(name)
    for turn in range(400):
        available = PATTERN[turn // 3 % 4]
        decision = bandit.ask(available=available)
        assert decision.arm in available
        bandit.tell(decision, reward={"A": 0.2, "B": 0.9, "C": 0.5}[decision.arm])
    assert bandit.ask().arm in ("A", "B", "C")


def test_a_batch_is_paused_and_goes_on_with_the_length_it_had():
    bandit = new(batch_size=4)
    first = bandit.ask()
    others = [arm for arm in bandit.arms if arm != first.arm]
    away = [bandit.ask(available=others) for _ in range(2)]
    back = [bandit.ask(available=[first.arm]) for _ in range(3)]
    groups = groups_of(bandit)
    assert {groups[one.id] for one in back} == {groups[first.id]}
    assert {groups[one.id] for one in away} == {groups[away[0].id]} != {groups[first.id]}
    for one in (first, *back):
        assert bandit.state().released == 0
        bandit.tell(one, reward=0.5)
    assert bandit.state().released == 1
    assert groups_of(bandit) == {one.id: away[0].id for one in away}
    assert bandit.ask(available=[away[0].arm]).arm == away[0].arm
    assert set(groups_of(bandit).values()) == {away[0].id}


def test_batches_have_their_length_however_arms_come_and_go():
    """And outcomes may come in any order: all batches but those in progress are complete."""
    bandit = new(horizon=3000)
    members, rng, late = {}, np.random.default_rng(5), []
    for turn in range(700):
        decision = bandit.ask(available=PATTERN[int(rng.integers(4))])
        late.append(decision)
        members.setdefault(groups_of(bandit)[decision.id], []).append(decision.id)
        if turn % 3 == 2:
            rng.shuffle(late)
            bandit.tell(late.pop(), loss=0.5)
    assert all(len(each) <= 3 for each in members.values())
    assert sum(len(each) < 3 for each in members.values()) <= 3
    assert bandit.state().lost == 0


@pytest.mark.parametrize("name", ["batched-exp3", "batched-ucb"])
def test_a_new_arm_is_found_and_a_retired_one_is_never_played_again(name):
    bandit = new(name, arms=["A", "B"], capacity=4)
    for turn in range(1500):
        if turn == 300:
            bandit.add_arm("C")
        if turn == 600:
            bandit.retire_arm("A")
        decision = bandit.ask()
        assert decision.arm in bandit.arms
        assert turn < 600 or decision.arm != "A"
        bandit.tell(decision, reward=1.0 if decision.arm == "C" else 0.3)
    assert bandit.arms == ("B", "C")
    assert bandit.state().shares["C"] > 0.5
    assert repr(bandit).startswith("Bandit(2 arms")


def test_the_batch_of_a_retired_arm_is_lost_and_late_outcomes_are_dropped():
    bandit = new()
    first = bandit.ask()
    bandit.retire_arm(first.arm)
    assert bandit.state().lost == 1
    assert [one.choice for one in bandit.open_decisions] == [first.arm]
    bandit.tell(first, reward=1.0)
    assert (bandit.state().open, bandit.state().waiting, bandit.state().released) == (0, 0, 0)
    with pytest.raises(DiscreetError, match="told already"):
        bandit.tell(first, reward=1.0)


def test_a_paused_batch_of_a_retired_arm_is_lost():
    bandit = new()
    first = bandit.ask()
    bandit.ask(available=[arm for arm in bandit.arms if arm != first.arm])
    bandit.retire_arm(first.arm)
    assert bandit.state().lost == 1
    assert bandit._run.slots.paused == ()


def test_a_complete_batch_of_a_retired_arm_is_still_released():
    bandit = new()
    batch = [bandit.ask() for _ in range(3)]
    bandit.retire_arm(batch[0].arm)
    for one in batch:
        bandit.tell(one, reward=0.5)
    assert (bandit.state().released, bandit.state().lost) == (1, 0)


def test_slots_of_retired_arms_are_not_used_again():
    bandit = new(arms=["A", "B"], capacity=3)
    bandit.retire_arm("A")
    bandit.add_arm("C")
    with pytest.raises(DiscreetError, match="all 3 slots are in use"):
        bandit.add_arm("D")
    with pytest.raises(DiscreetError, match="'A', which is or was an arm of this run"):
        bandit.add_arm("A")
    bandit.retire_arm("B")
    with pytest.raises(DiscreetError, match="the last arm, and a run needs one"):
        bandit.retire_arm("C")


@pytest.mark.parametrize("name", ["batched-exp3", "batched-ucb"])
def test_epochs_begin_with_the_arms_that_are_there(name):
    bandit = new(name, horizon=None, arms=["A", "B"], capacity=3)
    bandit.retire_arm("A")
    for turn in range(1200):
        if turn == 500:
            bandit.add_arm("C")
        decision = bandit.ask(available=["B"] if turn % 5 == 0 else None)
        assert decision.arm in ("B", "C")
        bandit.tell(decision, reward=0.5)
    assert bandit._run._store.rows.epoch[0] == 1


def play(bandit, rounds, start=0):
    """Let arms come and go; return the arms that were played."""
    arms, late = [], []
    for turn in range(start, start + rounds):
        if turn == 40:
            bandit.add_arm("D")
        if turn == 80:
            bandit.retire_arm("A")
        available = [arm for arm in (*PATTERN[turn % 4], "D") if arm in bandit.arms]
        late.append(bandit.ask(available=available if turn % 2 else None))
        arms.append(late[-1].arm)
        if turn % 3 == 2:
            for one in late:
                bandit.tell(one, reward=0.25 if one.arm == "B" else 0.75)
            late = []
    for one in late:
        bandit.tell(one, reward=0.5)
    return arms


@pytest.mark.parametrize("name", ["batched-exp3", "tracking-ucb"])
def test_a_file_goes_on_with_the_same_arms_and_the_same_numbers(name, tmp_path):
    """Closed and opened after every 24 rounds, a simulation plays what it plays in memory."""
    whole, path = new(name, capacity=5), tmp_path / "run.db"
    wanted = [arm for start in range(0, 96, 24) for arm in play(whole, 24, start)]
    bandit, arms = new(name, capacity=5, path=path), []
    for start in range(0, 96, 24):
        arms += play(bandit, 24, start)
        bandit.close()
        bandit = Bandit.open(path, unprotected=True)
    assert arms == wanted
    assert (bandit.arms, bandit.state()) == (whole.arms, whole.state())
    assert bandit._run.slots == whole._run.slots
    bandit.snapshot(tmp_path / "copy.db")
    copy = Bandit.open(tmp_path / "copy.db", unprotected=True)
    assert (copy.arms, copy._run.slots.paused) == (bandit.arms, ())
    assert copy.ask().arm in copy.arms


def test_labels_are_authenticated(tmp_path):
    path = tmp_path / "run.db"
    bandit = new(path=path, capacity=4, simulation=False, seed=None)
    bandit.add_arm("D")
    bandit.close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        (text,) = file.execute("SELECT slots FROM run").fetchone()
        file.execute("UPDATE run SET slots = ?", (text.replace("D", "E"),))
        file.commit()
    with pytest.raises(DiscreetError, match="was modified by another program"):
        Bandit.open(path)


def test_a_label_that_a_file_cannot_hold_is_refused(tmp_path):
    bandit = new(path=tmp_path / "run.db", capacity=5)
    with pytest.raises(DiscreetError, match="neither text nor a number"):
        bandit.add_arm(("a", "pair"))
    bandit.add_arm(7)
    assert bandit.arms == ("A", "B", "C", 7)
    in_memory = new(capacity=4)
    in_memory.add_arm(("a", "pair"))
    assert in_memory.arms[-1] == ("a", "pair")


def test_a_failure_in_between_changes_nothing(tmp_path):
    bandit = new(path=tmp_path / "run.db", capacity=4)
    first = bandit.ask()
    run: LiveRun = bandit._run
    others = [arm for arm in bandit.arms if arm != first.arm]
    for method in ("_commit", "_commit_ask"):
        real = getattr(run, method)

        def fail(*arguments, real=real):
            real(*arguments)
            raise KeyboardInterrupt

        before = bandit.state().round
        setattr(run, method, fail)
        with pytest.raises(KeyboardInterrupt):
            bandit.ask(available=others)
        setattr(run, method, real)
        assert bandit.state().round == before + (method == "_commit_ask")
    assert bandit.ask(available=others).arm in others
    assert bandit.ask(available=[first.arm]).arm == first.arm
    last = bandit.ask(available=[first.arm])
    assert groups_of(bandit)[last.id] == first.id


def test_with_deadlines_a_paused_batch_waits():
    bandit, clock = new(wait=10.0, default_reward=0.0), Clock()
    bandit._run._clock = clock
    first = bandit.ask()
    others = [arm for arm in bandit.arms if arm != first.arm]
    clock.now += 100.0
    bandit.ask(available=others)
    clock.now += 100.0
    assert (bandit.release_due(), bandit.state().open) == (0, 0)
    for _ in range(2):
        assert bandit.ask(available=[first.arm]).arm == first.arm
    clock.now += 100.0
    assert bandit.release_due() == 1


def test_probabilities_are_not_known_where_arms_come_and_go():
    """Which batch goes on depends on more than one draw; also in a batch that is under way."""
    bandit = new()
    first = bandit.ask()
    assert first.probability == pytest.approx(1.0 / 3.0)
    assert bandit.ask(available=[first.arm]).probability is None
    assert bandit.ask().probability is None


def test_the_guarantee_says_on_which_condition():
    ledger = Ledger(1.0)
    bandit = new(simulation=False, seed=None, ledger=ledger)
    before = bandit.guarantee
    bandit.ask(available=["A", "B"])
    after = bandit.guarantee
    assert (after.epsilon, after.delta, ledger.spent.epsilon) == (before.epsilon, 0.0, 1.0)
    assert "the availability of arms does not depend on outcomes" in after.source
    assert "which arms are available" not in before.source


REFUSED = [
    ("proved", {}, 'algorithm="proved" chooses by a bound that holds only if all arms'),
    ("batched-ftpl", {}, "batched-ftpl needs all of its arms: use batched-ucb, or start a new run"),
    ("dp-successive-elimination", {}, "needs all of its arms"),
    ("exp3-tau", {}, "exp3-tau needs all of its arms"),
    ("tracking-ucb", {"guard": True}, "tracking-ucb with guard=True needs all of its arms"),
]


@pytest.mark.parametrize(("name", "options", "words"), REFUSED)
def test_where_it_cannot_be_one_sentence_says_what_to_do(name, options, words):
    bandit = new(name, **options)
    for use in (
        lambda: bandit.ask(available=["A"]),
        lambda: bandit.retire_arm("A"),
        lambda: new(name, capacity=4, **options),
    ):
        with pytest.raises(DiscreetError, match=words):
            use()
    assert bandit.ask().arm in ("A", "B", "C")


def test_after_reopening_it_is_still_known_that_a_bound_was_asked_for(tmp_path):
    new("proved", path=tmp_path / "run.db").close()
    with pytest.raises(DiscreetError, match='algorithm="proved"'):
        Bandit.open(tmp_path / "run.db", unprotected=True).ask(available=["A"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("A", "available is 'A', but must be a list of labels of arms"),
        (3, "available is 3, but must be a list"),
        ([], "available is empty, but at least one arm must be available"),
        (["A", "Z"], "available has 'Z', which is not an arm: add_arm adds one"),
        ([["A"]], "which is not an arm"),
        (["B"], "available has 'B', an arm that is already retired"),
    ],
)
def test_bad_availability_is_refused(given, words):
    bandit = new()
    bandit.retire_arm("B")
    with pytest.raises(DiscreetError, match=words):
        bandit.ask(available=given)
    assert bandit.ask(available={"A": 1, "C": 2}).arm in ("A", "C")


def test_a_prior_from_another_run_is_used_and_the_run_is_charged_anew():
    ledger = Ledger(2.0)
    old = new("batched-ucb", arms=["A", "B"], simulation=False, seed=None, ledger=ledger)
    for _ in range(600):
        decision = old.ask()
        old.tell(decision, reward=0.9 if decision.arm == "A" else 0.1)
    later = Bandit(
        ["A", "B", "C"], 1000, 1.0, algorithm="best", prior=old, ledger=ledger, low=-1.0, high=1.0
    )
    decisions = [later.ask() for _ in range(3)]
    assert decisions[0].arm == "C", "nothing is known of it"
    assert ledger.spent.epsilon == 2.0
    kept = later._recipe["prior"]
    assert kept[0] == pytest.approx(0.9, abs=0.1)
    assert kept[4:] == [None, None]


def test_a_prior_is_kept_in_the_file(tmp_path):
    path = tmp_path / "run.db"
    known = {"A": (0.9, 500), "B": (0.2, 500), "C": (0.3, 500)}
    new("batched-ucb", prior=known, path=path).close()
    bandit = Bandit.open(path, unprotected=True)
    assert [bandit.ask().arm for _ in range(5)] == ["A"] * 5


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (3, "prior is 3, but must be a Bandit, its estimates"),
        ({"A": 0.5}, "prior of 'A' is 0.5, but must be a mean reward and the number of rounds"),
        ({"A": (0.5, 0)}, "number of rounds it is worth"),
        ({"A": (float("nan"), 5)}, "must be a mean reward"),
        ({"Z": (0.5, 5)}, "prior has none of the arms"),
    ],
)
def test_a_bad_prior_is_refused(prior, words):
    with pytest.raises(DiscreetError, match=words):
        new("batched-ucb", prior=prior)


def test_a_prior_needs_means_and_no_bound():
    with pytest.raises(DiscreetError, match="batched-exp3 keeps no mean per arm: use"):
        new(prior={"A": (0.5, 5)})
    with pytest.raises(DiscreetError, match='prior is given, but algorithm="proved"'):
        new("proved", prior={"A": (0.5, 5)})
    with pytest.raises(DiscreetError, match="prior has none of the arms"):
        new("batched-ucb", prior=new())


def test_a_run_without_privacy_is_no_prior():
    with warnings.catch_warnings(action="ignore"):
        old = new("exp3")
    with pytest.raises(DiscreetError, match="prior is a run of exp3, which is not private"):
        new("batched-ucb", prior=old)


@pytest.mark.parametrize("name", ["one-bit-tsallis-inf", "batched-exp3"])
def test_estimates_are_a_prior_worth_the_rounds_of_their_intervals(name):
    old = new(name, arms=["A", "B"], horizon=2000)
    for _ in range(2000):
        decision = old.ask()
        old.tell(decision, reward=0.8 if decision.arm == "A" else 0.2)
    found = old.estimates()
    later = new("batched-ucb", prior=old)
    assert later._recipe["prior"] == new("batched-ucb", prior=found)._recipe["prior"]
    mean, worth = later._recipe["prior"][:2]
    half = (found.arms["A"].high - found.arms["A"].low) / 2.0
    assert mean == pytest.approx(found.arms["A"].mean)
    assert worth == pytest.approx(np.log(40.0) / (2.0 * half**2))
    assert worth < found.arms["A"].rounds
    as_losses = old.estimates(outcomes="losses")
    assert new("batched-ucb", prior=as_losses)._recipe["prior"][0] == pytest.approx(mean)


def test_without_privacy_arms_may_come_and_go_too():
    with warnings.catch_warnings(action="ignore"):
        bandit = new("exp3")
    assert bandit.ask(available=["C"]).arm == "C"
    assert "which arms are available" not in bandit.guarantee.source
