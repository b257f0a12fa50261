"""Releases of a live run: their rows in a file and in memory, and estimates from them."""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3

import numpy as np
import pytest
from makers import MAKERS, ask, make, tell

from discreet import Bandit, DiscreetError
from discreet.live import release_log
from discreet.live.release_log import ReleaseLog, ReleaseRow, summed
from discreet.live.study_report import report_on


def play(bandit, rounds, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        decision = bandit.ask()
        bandit.tell(decision, reward=float(rng.random() < 0.5))
    return bandit


SEEDED = {"simulation": True, "seed": 3, "horizon": 400, "epsilon": 1.0}


@pytest.mark.parametrize("algorithm", ["batched-exp3", "one-bit-tsallis-inf", "tracking-ucb"])
def test_a_run_in_memory_keeps_the_rows_that_a_file_has(algorithm, tmp_path):
    options = {"arms": ["A", "B"], "algorithm": algorithm, **SEEDED}
    memory = play(Bandit(**options), 120)
    file = play(Bandit(**options, path=tmp_path / "run.db"), 120)
    rows = [[row._replace(at=0.0) for row in bandit._run.releases()] for bandit in (memory, file)]
    assert rows[0] == rows[1]
    assert memory._run.release_sums() == file._run.release_sums() != []
    assert memory.estimates().arms == file.estimates().arms
    assert len(rows[0]) == memory.state().released
    assert sum(row.size for row in rows[0]) <= 120
    assert {row.choice for row in rows[0]} == {0, 1}
    file.close()
    with Bandit.open(tmp_path / "run.db", unprotected=True) as again:
        assert again.estimates().arms == memory.estimates().arms


@pytest.mark.parametrize("name", MAKERS)
def test_every_live_class_has_rows_without_disturbing_anything(name, tmp_path):
    run = make(name, path=tmp_path / "run.db")
    for _ in range(8):
        tell(run, ask(run))
    rows = run._run.releases()
    assert len(rows) == run.state().released > 0
    for row in rows:
        assert row.size >= 1
        assert row.value is not None
        assert row.choice >= 0 or type(run).__name__ not in ("Bandit", "BestArmSearch")
    run.close()


def test_a_row_has_the_time_of_its_release(tmp_path):
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, algorithm="batched-exp3", batch_size=2)
    bandit._run._clock = lambda: 123.5
    play(bandit, 2)
    (row,) = bandit._run.releases()
    assert (row.batch, row.size, row.at) == (0, 2, 123.5)


def test_values_of_a_channel_that_is_not_private_are_never_stored(tmp_path):
    with pytest.warns(UserWarning, match="is not private"):
        bandit = Bandit(arms=2, horizon=100, epsilon=1.0, algorithm="exp3")
    play(bandit, 5)
    assert bandit._run.releases() == []
    with pytest.raises(DiscreetError, match="this run is not private, and non-private values"):
        bandit.estimates()


def test_a_snapshot_has_releases_of_its_own(tmp_path):
    bandit = play(Bandit(arms=2, horizon=400, epsilon=1.0), 50)
    bandit.snapshot(tmp_path / "copy.db")
    with Bandit.open(tmp_path / "copy.db") as copy:
        assert copy._run.releases() == []
        unknown = copy.estimates().arms[0]
        assert unknown[1:4] == (0.0, 1.0, 0)
        assert math.isnan(unknown.mean)
        assert math.isnan(copy.estimates().difference(0, 1).mean)
        assert json.loads(copy.estimates().to_json())["arms"][0]["mean"] is None


def test_the_log_in_memory_folds_old_rows_into_sums(monkeypatch):
    monkeypatch.setattr(release_log, "KEPT", 5)
    log, rows = ReleaseLog(), []
    for batch in range(33):
        facts = (batch % 2, 1 + batch % 3, None if batch % 4 else 0.5, float(batch))
        for _ in range(2):  # the second time, after an interrupt, changes nothing
            log.add(batch, facts, 0.25 * batch)
        rows.append(ReleaseRow(batch, *facts, 0.25 * batch))
    kept = list(log.rows())
    assert 5 <= len(kept) <= 10
    assert kept == rows[-len(kept) :]
    assert log.sums() == summed(rows)
    log.add(99, (-1, 1, None, 0.0), 1.0)
    log.add(99, (0, 1, None, 0.0), np.zeros(3))
    log.add(99, (0, 1, None, 0.0), None)
    assert log.sums() == summed(rows)


def test_an_interrupted_release_is_logged_once():
    """The commit in memory is repeated after an interrupt halfway: the row must not be."""
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, algorithm="noisy-exp2")
    play(bandit, 1)
    rows = bandit._run._store.rows
    (batch, *facts, value) = bandit._run.releases()[0]
    told = (rows.counters, 0, None, None, batch, value, None, None, None)
    rows._told = (*told, facts)
    rows.complete()
    assert len(bandit._run.releases()) == 1


REFUSED = {
    "clip": ({"clip": True}, r"the run has clip=True, so only the mean of clipped"),
    "selection": (
        {"algorithm": "exp3-tau", "simulation": True, "delta": 1e-6},
        "private only through its random choice of arms",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_there_is_no_valid_interval_one_sentence_says_so(name):
    options, words = REFUSED[name]
    bandit = Bandit(**{"arms": 2, "horizon": 1000, "epsilon": 1.0} | options)
    with pytest.raises(DiscreetError, match=words) as refusal:
        bandit.estimates()
    assert str(refusal.value).count(". ") == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"level": 1.0}, r"level is 1\.0, but must be above 0 and below 1"),
        ({"kind": "exact"}, r"kind is 'exact', but must be one of anytime, holdout, final"),
        ({"outcomes": "gains"}, r"outcomes is 'gains', but must be one of rewards, losses"),
        ({"kind": "holdout"}, r"kind is holdout, but this run"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(DiscreetError, match=words):
        Bandit(arms=2, horizon=100, epsilon=1.0).estimates(**arguments)


def test_clipped_means_are_estimated_if_that_is_meant():
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, clip=True, wait=60.0, default_loss=0.5)
    found = bandit.estimates(clipped=True)
    assert any("clipped" in note for note in found.notes)
    assert any("default" in note for note in found.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "noisy-exp2"},
        {"algorithm": "exp3", "noise": "response"},
        {"algorithm": "batched-tsallis-inf", "noise": "optimal", "batch_size": 4},
        {"algorithm": "batched-ucb"},
    ],
    ids=lambda options: options["algorithm"],
)
def test_every_kind_of_noise_has_an_interval(options):
    """Outcomes of 2 to 4 in a range of 1 to 5; with 600 rounds all intervals hold but for 1e-6."""
    bandit = Bandit(arms=["A", "B"], horizon=600, epsilon=2.0, low=1.0, high=5.0, **options)
    rng = np.random.default_rng(7)
    for _ in range(600):
        bandit.tell(bandit.ask(), reward=float(rng.uniform(2.0, 4.0)))
    found = bandit.estimates(level=1.0 - 1e-6)
    for each in found.arms.values():
        assert 1.0 <= each.low <= 3.0 <= each.high <= 5.0
        assert each.rounds >= each.releases > 0
    best = max(found.arms.values(), key=lambda each: each.rounds)
    assert best.half_width < 2.0
    gap = found.difference("A", "B")
    assert gap.low <= 0.0 <= gap.high


def test_rewards_and_losses_are_two_views_of_one_estimate():
    bandit = play(Bandit(arms=["A", "B"], horizon=400, epsilon=1.0, low=-1.0, high=2.0), 200)
    rewards, losses = bandit.estimates(), bandit.estimates(outcomes="losses")
    for arm in "AB":
        one, other = rewards.arms[arm], losses.arms[arm]
        assert one[:3] == pytest.approx((1.0 - other.mean, 1.0 - other.high, 1.0 - other.low))
    one, other = rewards.difference("A", "B"), losses.difference("A", "B")
    assert one[:3] == pytest.approx((-other.mean, -other.high, -other.low))
    with pytest.raises(DiscreetError, match=r"one is 'C', but must be one of 'A', 'B'"):
        rewards.difference("C", "A")
    with pytest.raises(DiscreetError, match=r"other is 'A', but must differ from one"):
        rewards.difference("A", "A")


def test_an_older_file_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.db"
    Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        (mark,) = file.execute("PRAGMA application_id").fetchone()
        assert mark % 256 == ord("6")
        file.execute(f"PRAGMA application_id = {mark - 1}")
    with pytest.raises(DiscreetError, match="was written by an older version of discreet"):
        Bandit.open(path)


def test_arms_that_come_later_have_estimates(tmp_path):
    path = tmp_path / "run.db"
    options = {"horizon": 400, "epsilon": 1.0, "algorithm": "batched-ucb", "capacity": 4}
    with Bandit(arms=["A", "B"], path=path, **options) as bandit:
        play(bandit, 20)
        bandit.add_arm("C")
        bandit.retire_arm("A")
        play(bandit, 20)
        found = bandit.estimates()
        assert list(found.arms) == ["A", "B", "C"]
        assert found.arms["C"].rounds > 0
        report = report_on(path)
    assert report.estimates.arms == found.arms
    assert [each.arm for each in report.allocation] == ["A", "B", "C"]
    assert sum(each.rounds for each in report.allocation) == 40
