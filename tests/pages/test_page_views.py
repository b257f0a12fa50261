"""What pages say about runs: the numbers of the run, and nothing that is not public."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pages_host
import pytest
from pages_host import START, FakeHost, add, play

import discreet
from discreet.service.pages.charts import COLOURS, Column
from discreet.service.pages.view_operations import operations_view
from discreet.service.pages.view_privacy import budget_view, privacy_view
from discreet.service.pages.view_results import (
    EstimateOptions,
    EstimatesCache,
    estimates_of,
    results_view,
)
from discreet.service.pages.views import columns_of, gathered, run_lines, run_view, series_of

FEATURES = {"arms": ["sports", "politics"], "context": 1}
PROBLEMS = {
    "bandit": {"arms": ["A", "B"], "algorithm": "batched-exp3", "batch_size": 4},
    "best-arm": {"arms": ["A", "B"], "batch_size": 4},
    "experts": {"experts": ["A", "B"]},
    "optimizer": {"domain": "ball(3)", "delta": 1e-6},
    "vector-optimizer": {"geometry": "cube", "dimension": 3, "delta": 1e-6},
    "slates": {"items": ["A", "B", "C"], "shown": 2},
    "advice": {"arms": ["A", "B"], "experts": 3},
    "contexts": {"features": FEATURES, "delta": 1e-6},
}


def hosting(problem="bandit", rounds=40, **options):
    host = FakeHost()
    add(host, "run", problem, **{"horizon": 400, "epsilon": 1.0} | PROBLEMS[problem] | options)
    play(host, "run", rounds, lambda _: 0.5)
    return host


def results(host, name="run", **options):
    run = run_view(host, name, START + 1000.0)
    return results_view(host, run, EstimateOptions(**options), EstimatesCache())


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_problem_has_every_view(problem):
    host = hosting(problem)
    run = run_view(host, "run", START + 1000.0)
    live = host.get("run").live
    assert run.state == live.state()
    assert run.guarantee == live.guarantee
    assert str(live.guarantee) == privacy_view(host, run, whole=True).formal
    assert operations_view(host, run, whole=True).peak > 0.0
    found = results(host)
    assert {arm.name: arm.overall for arm in found.arms if arm.overall} == {
        str(label): share for label, share in live.state().shares.items()
    }
    assert (found.estimates.reason == "") == (problem in ("bandit", "best-arm"))
    ((line,), refused) = run_lines(host, ["run"], START + 1000.0)
    assert refused == {}
    assert sum(sum(column.counts) for column in line.columns) == live.state().round


def test_choices_for_people_with_features_are_not_shown():
    """Also if a history had them by mistake."""
    host = hosting("contexts")
    hosted = host.get("run")
    hosted.labels = list(FEATURES["arms"])
    for counts in hosted.buckets.values():
        counts += [counts[0], 0]
    found = results(host)
    assert (found.arms, found.columns, found.series) == ((), [], [])
    assert "joint model" in found.no_shares


def test_means_and_differences_are_those_of_the_run():
    host = hosting(rounds=200)
    live = host.get("run").live
    found = results(host).estimates
    exact = live.estimates()
    assert [row.found for row in found.means] == list(exact.arms.values())
    assert [row.found for row in found.differences] == [exact.difference("A", "B")]
    losses = results(host, outcomes="losses", level="0.99").estimates
    assert [row.found for row in losses.means] == list(
        live.estimates(0.99, outcomes="losses").arms.values()
    )


def test_intervals_that_hold_together_share_the_error():
    """Two means and one difference: a third of the error for each."""
    host = hosting(rounds=100)
    run = run_view(host, "run")
    assert estimates_of(run, EstimateOptions(together=True)).level == pytest.approx(1 - 0.05 / 3)


def test_many_arms_are_compared_with_one():
    host = hosting(arms=list("ABCDEFGHIJ"), horizon=2000, rounds=200, batch_size=2)
    found = results(host).estimates
    known = [row.place for row in found.means if row.found.releases]
    best = max(known, key=lambda place: found.means[place].found.mean)
    assert found.versus == best
    assert len(found.differences) == len(known) - 1
    assert {row.other for row in found.differences} == {"ABCDEFGHIJ"[best]}
    chosen = results(host, versus=known[0]).estimates
    assert chosen.versus == known[0]


def test_estimates_are_computed_again_when_there_was_a_release(monkeypatch):
    host, calls = hosting(rounds=40), []
    live, estimator = host.get("run").live, EstimatesCache()
    kept = live.estimates
    monkeypatch.setattr(
        "discreet.live.arms.ArmsClient.estimates", lambda *a, **b: calls.append(1) or kept()
    )
    monkeypatch.setattr("discreet.service.pages.view_results.SHARE", 1e9)

    def look():
        return estimator.view(run_view(host, "run"), EstimateOptions(), {})

    assert look() == look()
    assert len(calls) == 1
    play(host, "run", 40, lambda _: 0.5)
    look()
    assert len(calls) == 2


def test_estimates_that_take_long_are_computed_seldom(monkeypatch):
    """They take a second, so they may be 20 seconds old."""
    host, calls, now = hosting(rounds=40), [], [0.0]
    made = results(host).estimates

    def compute(*_):
        calls.append(now[0])
        now[0] += 1.0
        return made

    monkeypatch.setattr("discreet.service.pages.view_results.estimates_view", compute)
    monkeypatch.setattr("discreet.service.pages.view_results.time.monotonic", lambda: now[0])
    estimator = EstimatesCache()
    for at in (0.0, 5.0, 20.0, 22.0):
        now[0] = max(at, now[0])
        estimator.view(run_view(host, "run"), EstimateOptions(), {})
        play(host, "run", 8, lambda _: 0.5)
    assert calls == [0.0, 22.0]


def test_refused_estimates_say_why():
    found = results(hosting(), kind="final").estimates
    assert found.reason.startswith("kind is final, but this run has no final release")


def test_an_answer_is_shown():
    host = FakeHost()
    add(
        host, "run", "best-arm", arms=["A", "B"], epsilon=1.0, horizon=5000, simulation=True, seed=1
    )
    while not host.get("run").live.finished:
        play(host, "run", 1, lambda decision: 0.9 if decision.arm == "B" else 0.1)
    assert results(host).answer == "B"
    assert run_view(host, "run").status.words == "Answer found"


def test_statuses():
    host = hosting(rounds=0)
    assert run_view(host, "run").status.words == "No decision yet"
    play(host, "run", 10, lambda _: 0.5)
    assert run_view(host, "run").status.words == "Running"
    host.get("run").closed = True
    assert run_view(host, "run").status.words == "Closed"
    assert run_view(hosting(horizon=20, rounds=20), "run").status.words == "All rounds used"


def test_a_run_without_a_decision_has_pages():
    host = hosting(rounds=0)
    found, run = results(host), run_view(host, "run")
    assert found.columns == []
    assert [row.found.releases for row in found.estimates.means] == [0, 0]
    assert operations_view(host, run, whole=True).columns == []
    assert privacy_view(host, run, whole=True).budget is None


def test_what_must_not_be_overlooked():
    host = FakeHost()
    with pytest.warns(UserWarning, match="not private"):
        add(host, "run", "bandit", arms=2, horizon=100, epsilon=1.0, algorithm="tsallis-inf")
    run = run_view(host, "run")
    assert run.badge == "no privacy"
    assert run.warnings == ("This run has no privacy protection: nothing limits what it reveals.",)
    assert privacy_view(host, run, whole=True).promise == "No privacy protection"
    weak = run_view(hosting(epsilon=12.0, simulation=True, seed=1), "run").warnings
    assert [words.split(":")[0] for words in weak] == ["Epsilon is 12", "This is a simulation"]


def test_users_at_their_limit_are_counted():
    host = hosting(rounds=0, max_rounds_per_user=2, per=timedelta(days=30))
    play(host, "run", 30, lambda _: 0.5, user=lambda n: f"user {n // 2}" if n < 20 else f"v{n}")
    run = run_view(host, "run")
    found = privacy_view(host, run, whole=True)
    assert found.at_limit == 10
    assert found.limit == "At most 2 rounds per user in each period of 30 days"
    assert (
        found.promise
        == "2-differential privacy for up to 2 rounds of a person in one period of 30 days"
    )
    assert privacy_view(hosting(), run_view(hosting(), "run"), whole=True).at_limit is None


def test_users_at_their_limit_in_a_file(tmp_path):
    """Ten users with two rounds, ten with one; after the period nobody is at the limit."""
    options = {"arms": 2, "horizon": 100, "epsilon": 1.0, "max_rounds_per_user": 2}
    with discreet.Bandit(**options, path=tmp_path / "run.db", key=tmp_path / "key") as bandit:
        for number in range(30):
            bandit.ask(user=number % 20)
        assert bandit.users_at_limit() == 10
        bandit._run._clock = lambda: 4e9
        assert bandit.users_at_limit() == 10
    with discreet.Bandit.open(tmp_path / "run.db", key=tmp_path / "key") as bandit:
        assert bandit.users_at_limit() == 10
    renewed = discreet.Bandit(**options, per=timedelta(days=1))
    for number in range(30):
        renewed.ask(user=number % 20)
    assert renewed.users_at_limit() == 10
    renewed._run._clock = lambda: 4e9
    assert renewed.users_at_limit() == 0


def test_the_budget_is_the_ledgers():
    ledger = discreet.Ledger(3.0)
    host = FakeHost(ledger)
    for name in ("one", "two"):
        add(host, name, "bandit", arms=2, horizon=100, epsilon=0.75, ledger=ledger)
        play(host, name, 1, lambda _: 0.5)
    run = run_view(host, "two")
    found = privacy_view(host, run, whole=True).budget
    assert (found.spent, found.epsilon, found.left) == (1.5, 3.0, 1.5)
    assert [charge.own for charge in found.charges] == [False, True]
    assert [charge.label for charge in found.charges] == [e.label for e in ledger.entries()]
    assert host.get("two").live.charge_label == ledger.entries()[1].label
    assert privacy_view(host, run, whole=False).budget is None
    assert budget_view({"budget": None, "entries": []}) is None
    timed = {
        "number": 1,
        "label": "x",
        "epsilon": 1.0,
        "delta": 0.0,
        "time": "2026-02-02T02:40:00+00:00",
    }
    cost = {"epsilon": 3.0, "delta": 0.0}
    given = {"budget": cost, "spent": cost, "remaining": cost, "entries": [timed]}
    assert budget_view(given).charges[0].at == START
    assert budget_view(given).charges[0].name == "x"
    timed["run"] = "shop"
    assert budget_view(given).charges[0].name == "shop"


def test_deadlines_are_shown_with_wait_only():
    host = hosting(rounds=5, wait=1000.0, default_reward=0.0)
    found = operations_view(host, run_view(host, "run"), whole=True)
    assert 990.0 < found.deadline <= 1000.0
    assert operations_view(hosting(), run_view(hosting(), "run"), whole=True).deadline is None


def test_errors_of_all_runs_are_for_those_who_may_read_all():
    host = hosting()
    host.traffic.kinds["invalid"] = 3
    run = run_view(host, "run")
    assert operations_view(host, run, whole=True).errors == (("invalid", 3),)
    assert operations_view(host, run, whole=False).errors is None


def test_columns_are_as_wide_as_needed():
    """1,000 decisions, one a second: 17 buckets of a minute; then nothing for a day."""
    host = hosting(horizon=2000, rounds=1000)
    history = host.history("run")
    soon = columns_of(history, run_view(host, "run", START + 1000.0))
    assert soon[0].start == START
    assert soon[-1].end == START + 1000.0
    later = columns_of(history, run_view(host, "run", START + 86400.0))
    assert len(later) <= 120
    assert later[-1].end == START + 86400.0
    for found in (soon, later):
        assert sum(sum(column.counts) for column in found) == 1000
        assert all(a.end == b.start for a, b in itertools.pairwise(found))
    host.get("run").closed = True
    closed = columns_of(history, run_view(host, "run", START + 86400.0))
    assert closed[-1].end < START + 1200.0


def test_arms_that_came_later_have_counts():
    host = hosting(rounds=40)
    hosted = host.get("run")
    hosted.labels.append("C")
    assert all(len(c.counts) == 3 for c in columns_of(host.history("run"), run_view(host, "run")))


def test_the_arms_chosen_most_often_have_a_colour_of_their_own():
    columns = [Column(0.0, 1.0, tuple(range(50)))]
    found = series_of([f"arm {k}" for k in range(50)], columns)
    own = {each.name: each.colour for each in found if each.colour < COLOURS - 1}
    assert sorted(own) == sorted(f"arm {k}" for k in range(43, 50))
    assert sorted(own.values()) == list(range(7))
    drawn, named = gathered(columns, found)
    assert len(named) == 8
    assert named[-1].name == "43 other arms"
    assert sum(drawn[0].counts) == sum(range(50))
    few = series_of(["a", "b"], [Column(0.0, 1.0, (0, 1))])
    assert [each.colour for each in few] == [0, 1]
    assert gathered([], few) == ([], list(few))


def test_options_of_a_request():
    assert EstimateOptions.of({}) == EstimateOptions()
    odd = {"level": "nan", "kind": "<", "outcomes": "x", "together": "no", "versus": "²"}
    assert EstimateOptions.of(odd) == EstimateOptions()
    asked = {
        "level": "0.99",
        "kind": "final",
        "outcomes": "losses",
        "together": "yes",
        "versus": "3",
    }
    found = EstimateOptions.of(asked)
    assert found == EstimateOptions("0.99", "final", "losses", True, 3)
    assert found.query == "level=0.99&kind=final&outcomes=losses&together=yes&versus=3"


def test_the_fake_is_the_problems_of_the_pages():
    assert set(pages_host.MAKERS) == set(PROBLEMS)
