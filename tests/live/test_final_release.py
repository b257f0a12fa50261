"""The final release: one sum for each arm, once, with a budget of its own, and then the end."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import Bandit, DiscreetError, Ledger
from discreet.live.rows import FINAL
from discreet.live.study_report import report_on

LARGE = 4000.0  # an epsilon for which the noise on a sum is below 0.005, but for 1e-8


def make(**options):
    usual = {"arms": ["A", "B", "C"], "horizon": 200, "epsilon": 1.0, "final": LARGE}
    return Bandit(**usual | {"algorithm": "batched-exp3", "batch_size": 3} | options)


def play(bandit, rounds, seed=1):
    """Return the outcomes of each arm."""
    rng, told = np.random.default_rng(seed), {}
    for _ in range(rounds):
        decision = bandit.ask()
        reward = float(rng.random())
        told.setdefault(decision.arm, []).append(reward)
        bandit.tell(decision, reward=reward)
    return told


def check(found, told):
    for arm, rewards in told.items():
        assert found.arms[arm].rounds == len(rewards)
        assert found.arms[arm].mean == pytest.approx(np.mean(rewards), abs=0.01)
        assert found.arms[arm].low <= np.mean(rewards) <= found.arms[arm].high


ALGORITHMS = [
    {},
    {"algorithm": "one-bit-tsallis-inf", "batch_size": 2},
    {"algorithm": "noisy-exp2", "batch_size": None},
    {"algorithm": "batched-ucb", "batch_size": None},
]


@pytest.mark.parametrize("options", ALGORITHMS, ids=str)
def test_all_outcomes_are_in_the_sums(options, tmp_path):
    """Also those of the last, incomplete batch, and those told before the run was opened again."""
    options = {name: value for name, value in options.items() if value is not None}
    if "algorithm" in options and "batch_size" not in options:
        bandit = Bandit(
            arms=["A", "B", "C"],
            horizon=200,
            epsilon=1.0,
            final=LARGE,
            path=tmp_path / "run.db",
            **options,
        )
    else:
        bandit = make(path=tmp_path / "run.db", **options)
    told = play(bandit, 20)
    bandit.close()
    bandit = Bandit.open(tmp_path / "run.db")
    for arm, rewards in play(bandit, 20, seed=2).items():
        told.setdefault(arm, []).extend(rewards)
    found = bandit.finish()
    check(found, told)
    assert found.kind == "final"
    bandit.close()
    with Bandit.open(tmp_path / "run.db") as again:
        assert again.finish().arms == found.arms
    assert report_on(tmp_path / "run.db", kind="final").estimates.arms == found.arms


def test_the_guarantee_and_the_ledger_have_both_epsilons():
    ledger = Ledger(epsilon=3.0)
    bandit = make(final=0.5, ledger=ledger)
    assert bandit.guarantee.epsilon == 1.5
    assert "a final release of epsilon 0.5" in bandit.guarantee.source
    assert "1.5-differential privacy" in repr(bandit)
    bandit.ask()
    assert ledger.spent.epsilon == 1.5
    bandit.finish()
    assert ledger.spent.epsilon == 1.5
    with pytest.raises(DiscreetError):
        make(final=0.5, ledger=Ledger(epsilon=1.2)).ask()


def test_afterwards_the_run_is_over(tmp_path):
    for bandit in (make(), make(path=tmp_path / "run.db")):
        open_one = bandit.ask()
        play(bandit, 10)
        bandit.finish()
        for change in (
            bandit.ask,
            lambda run=bandit, one=open_one: run.tell(one, reward=0.5),
            bandit.release_due,
            lambda run=bandit, one=open_one: run.give_up(one),
        ):
            with pytest.raises(DiscreetError, match="the run is over: its final release was made"):
                change()
        assert bandit.state().open == bandit.state().waiting == 0
        assert bandit.estimates(kind="anytime").arms.keys() == {"A", "B", "C"}
        rows = [row for row in bandit._run.releases() if row.batch == FINAL]
        assert len(rows) <= 1  # a run in memory keeps it elsewhere
        assert bandit.finish().arms == bandit.finish().arms


@pytest.mark.parametrize("stored", [False, True])
def test_a_failure_after_the_draw_does_not_draw_again(stored, tmp_path, monkeypatch):
    bandit = make(final=0.1, **({"path": tmp_path / "run.db"} if stored else {}))
    play(bandit, 20)
    run, drawn = bandit._run, []
    hold, commit = run._commit_draw, run._commit_tell

    def keep(one):
        hold(one)
        drawn.append(one.value.copy())

    def fail(*_, **__):
        raise RuntimeError("no disk")

    monkeypatch.setattr(run, "_commit_draw", keep)
    monkeypatch.setattr(run, "_commit_tell", fail)
    with pytest.raises(RuntimeError):
        bandit.finish()
    monkeypatch.setattr(run, "_commit_tell", commit)
    with pytest.raises(DiscreetError, match="the run is over"):
        bandit.ask()  # which completes the release first
    sums = [each.total for each in run.finish()]
    assert len(drawn) == 1
    assert sums == drawn[0][:3].tolist()


def test_a_failure_of_the_learner_loses_no_outcome(tmp_path, monkeypatch):
    """The sums are stored with the release that the learner did not get."""
    bandit = make(path=tmp_path / "run.db")
    told = play(bandit, 5)
    decision = bandit.ask()
    private = bandit._run._engine.private
    with monkeypatch.context() as patch:
        patch.setattr(
            type(private), "deliver", lambda *_: (_ for _ in ()).throw(RuntimeError("learner"))
        )
        with pytest.raises(RuntimeError):
            bandit.tell(decision, reward=0.25)
    told.setdefault(decision.arm, []).append(0.25)
    bandit.close()
    with Bandit.open(tmp_path / "run.db") as again:
        for arm, rewards in play(again, 7, seed=3).items():
            told.setdefault(arm, []).extend(rewards)
        check(again.finish(), told)


def test_with_a_wait_the_run_ends_when_the_wait_is_over():
    bandit = make(wait=60.0, default_reward=0.0)
    now = [1e9]
    bandit._run._clock = lambda: now[0]
    told = play(bandit, 10)
    silent = bandit.ask()
    told.setdefault(silent.arm, []).append(0.0)
    with pytest.raises(
        DiscreetError,
        match=r"finish the run after the last deadline, at 2001-09-09 01:47:40 \(UTC\)\.$",
    ):
        bandit.finish()
    now[0] += 61.0
    check(bandit.finish(), told)


def test_sums_are_raw_until_they_are_released(tmp_path):
    path = tmp_path / "run.db"
    bandit = make(path=path)
    play(bandit, 10)
    raw = bandit._run._store.rows.stream
    largest = np.frombuffer(raw, np.float64)[:3].max().tobytes()  # an arm may have no rounds
    assert sum(map(bool, largest)) > 4
    stored = b"".join(each.read_bytes() for each in tmp_path.iterdir() if each.is_file())
    assert largest not in stored
    bandit.finish()
    assert np.frombuffer(bandit._run._store.rows.stream, np.float64)[:6].max() == 0.0
    bandit.close()


def test_a_snapshot_has_sums_of_its_own(tmp_path):
    bandit = make()
    play(bandit, 12)
    bandit.snapshot(tmp_path / "copy.db")
    with Bandit.open(tmp_path / "copy.db") as copy:
        check(copy.finish(), {})
        assert sum(each.rounds for each in copy._run.final_sums()) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"final": 0.0}, "final is 0.0, but must be"),
        ({"horizon": None}, "final is given, but the horizon is None"),
    ],
)
def test_bad_declarations_are_refused(options, words):
    with pytest.raises(DiscreetError, match=words):
        make(**options)
    with pytest.raises(DiscreetError, match="exp3 is not private"):
        Bandit(arms=2, horizon=100, epsilon=1.0, algorithm="exp3", final=1.0)


def test_without_a_declaration_there_is_no_final_release():
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0)
    with pytest.raises(DiscreetError, match="this run has no final release: start the run"):
        bandit.finish()
    with pytest.raises(DiscreetError, match="kind is final, but this run has no final release"):
        bandit.estimates(kind="final")
    bandit.tell(bandit.ask(), reward=1.0)  # and nothing has changed


def test_a_seeded_simulation_gives_the_same_sums_from_memory_and_a_file(tmp_path):
    places = ({}, {"path": tmp_path / "run.db"})
    runs = [make(simulation=True, seed=4, final=1.0, **place) for place in places]
    for run in runs:
        play(run, 20)
    assert runs[0].finish().arms == runs[1].finish().arms
