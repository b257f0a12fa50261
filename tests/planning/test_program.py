"""The program that a plan prints is complete: it runs as it is, with limit, budget and files."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace

import pytest

import discreet
from discreet.algorithms import algorithm
from discreet.planning.program import program
from discreet.planning.question import Question

STUDY = {"arms": 3, "rounds": 400, "difference": 0.3, "epsilons": (0.5,), "rounds_per_user": 4}


def planned(name, **changes):
    """Return what a program needs of a plan, without its simulations."""
    question = Question(**STUDY | changes)
    built = algorithm(name).build(question.setting(0.5)).private.guarantee

    def guarantee(epsilon, *, user=False):
        return built.for_user(rounds=question.rounds_per_user) if user else built

    return SimpleNamespace(question=question, recommended=name, epsilon=0.5, guarantee=guarantee)


def check(text, plan, tmp_path, monkeypatch, outcome):
    assert max(map(len, text.splitlines())) <= 96
    monkeypatch.chdir(tmp_path)
    for learning in (4, 0):  # the second time it continues
        names = {}
        exec(compile(text, "program", "exec"), names)
        decisions = [names["decide"]("Ada") for _ in range(5)]
        assert sum(decision.learns for decision in decisions) == learning
        for decision in decisions:
            names["report"](decision, outcome)
        run, ledger = names["run"], names["ledger"]
        assert ledger.spent.epsilon == run.guarantee.epsilon
        assert ledger.budget.epsilon == pytest.approx(run.guarantee.epsilon, rel=1e-5)
        assert ledger.spent.delta == run.guarantee.delta
        assert (run.algorithm, run.guarantee.rounds) == (plan.recommended, 4)
        run.close()


@pytest.mark.parametrize(
    ("name", "changes", "outcome"),
    [
        ("one-bit-tsallis-inf", {}, 1.0),
        ("batched-exp3", {"better": "lower"}, 0.0),
        ("private-ftrl-experts", {"sees_all": True, "delta": 1e-6}, [0.0, 0.5, 1.0]),
        ("private-ftrl-experts", {"sees_all": True, "better": "lower"}, [0.0, 0.5, 1.0]),
    ],
)
def test_programs_run(name, changes, outcome, tmp_path, monkeypatch):
    plan = planned(name, **changes)
    check(program(plan), plan, tmp_path, monkeypatch, outcome)


@pytest.mark.slow
def test_the_program_of_a_plan_runs_as_it_is_printed(tmp_path, monkeypatch):
    plan = discreet.plan(
        arms=3, rounds=100, difference=0.4, epsilon=[1.0], trials=8, rounds_per_user=4, seed=1
    )
    printed = str(plan).split("To run it:\n")[1].split("\n\nFor an ethics board")[0]
    assert textwrap.dedent(printed).strip() == program(plan).strip()
    assert plan.to_json()["recommendation"]["program"] == program(plan)
    check(textwrap.dedent(printed), plan, tmp_path, monkeypatch, 1.0)


def test_without_limits_the_program_needs_no_users(tmp_path, monkeypatch):
    plan = planned("one-bit-tsallis-inf", rounds_per_user=1)
    assert "user" not in program(plan)
    monkeypatch.chdir(tmp_path)
    for rounds in (1, 2):
        names = {}
        exec(program(plan), names)
        names["report"](names["decide"](), 1.0)
        assert names["run"].state().round == rounds
        assert names["run"].algorithm == "one-bit-tsallis-inf"
        assert names["ledger"].spent.epsilon == names["ledger"].budget.epsilon == 0.5
        names["run"].close()


@pytest.mark.parametrize(
    ("changes", "rounds", "default"),
    [
        ({"missing": 0.1, "default_outcome": 0.125, "delay": 60}, 60, "default_reward=0.125"),
        ({"wait": 90, "default_outcome": 0.0, "better": "lower"}, 90, "default_loss=0"),
        ({"missing": 0.1, "default_outcome": 1 / 3}, 1, f"default_reward={1 / 3!r}"),
    ],
)
def test_deadlines_and_defaults_are_in_the_program(changes, rounds, default, tmp_path, monkeypatch):
    plan = planned("batched-exp3", **{"rounds_per_user": 1} | changes)
    text = program(plan)
    assert f"with a margin. The plan waits {rounds} round" in text
    assert default in text
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(text, names)
    run = names["run"]
    names["report"](names["decide"](), 1.0)
    assert run.plan.wait == names["WAIT"].total_seconds() == 30 * 86_400
    loss = run.plan.default if "loss" in default else 1.0 - run.plan.default
    assert loss == pytest.approx(changes["default_outcome"])
    run.close()


def test_numbers_are_not_rounded():
    plan = planned("batched-exp3", low=1 / 3, high=1234567.0, difference=1e5)
    assert f"low={1 / 3!r},\n        high=1234567.0,\n" in program(plan)
