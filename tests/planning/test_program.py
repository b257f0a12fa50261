"""The program that a plan prints is complete: it runs as it is, with limit, budget and files."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace

import pytest

import discreet
from discreet.algorithms import algorithm
from discreet.planning.program import code, program
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


def test_without_several_rounds_per_user_one_line_is_enough():
    plan = planned("one-bit-tsallis-inf", rounds_per_user=1)
    assert "max_rounds_per_user" not in code(plan)
    assert program(plan) == f"import discreet\n\nrun = {code(plan)}\n"
    names = {}
    exec(program(plan), names)
    assert names["run"].algorithm == "one-bit-tsallis-inf"
