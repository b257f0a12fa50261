"""The program that runs a plan: one line, or with users a whole program."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from discreet.errors import count
from discreet.guarantee import round_up

if TYPE_CHECKING:  # findings.py imports the words of a plan, which import this module
    from discreet.planning.findings import Plan

PROGRAM = '''\
from pathlib import Path

import discreet

# {limit}
# for all of them together. That is the budget, and the run is charged to it once.
ledger = discreet.Ledger({budget}, path="ledger.db")
if Path("run.db").exists():
    run = discreet.{client}.open("run.db", ledger=ledger)
else:
    run = discreet.{client}(
{arguments}        ledger=ledger,
        path="run.db",
    )


def decide(user):
    """Return a decision; the run does not learn from those for users at the limit."""
    return run.ask(user=user, at_limit="serve")


def report(decision, {outcome}):
    """Record the outcome of a decision; store the decision until then."""
    run.tell(decision, {outcome}={outcome})
'''
ROOM = 1e-6  # share of epsilon


def code(plan: Plan) -> str:
    """Return the line of Python that starts the recommended algorithm."""
    return f"discreet.{_client(plan)}({', '.join(_arguments(plan))})"


def program(plan: Plan) -> str:
    """Return the whole program: with users, their limit, a budget, and files."""
    question = plan.question
    if question.rounds_per_user == 1:
        return f"import discreet\n\nrun = {code(plan)}\n"
    user = plan.guarantee(plan.epsilon, user=True)
    budget = f"epsilon={user.epsilon!r}"
    if user.delta:  # exact noise may cost a little more or less than the noise of a plan
        epsilon = round_up(user.epsilon * (1.0 + ROOM), digits=6)
        budget = f"epsilon={epsilon!r}, delta={user.delta!r}"
    rounds = count(question.rounds_per_user, "round")
    outcome = "reward" if question.better == "higher" else "loss"
    if question.sees_all:
        outcome = f"{outcome}s" if outcome == "reward" else "losses"
    return PROGRAM.format(
        limit=f"Each user has at most {rounds}, and {user.short}",
        budget=budget,
        client=_client(plan),
        arguments="".join(f"        {each},\n" for each in _arguments(plan)),
        outcome=outcome,
    )


def program_words(plan: Plan, width: int) -> str:
    """Return how to run a plan, for people."""
    if plan.question.rounds_per_user == 1:
        return textwrap.fill(
            f"To run it: {code(plan)}", width, break_long_words=False, break_on_hyphens=False
        )
    return "To run it:\n\n" + textwrap.indent(program(plan), "    ").rstrip()


def _client(plan: Plan) -> str:
    return "Experts" if plan.question.sees_all else "Bandit"


def _arguments(plan: Plan) -> list[str]:
    question = plan.question
    options = "experts" if question.sees_all else "arms"
    names = question.arms if question.outcomes is None else list(question.outcomes.labels)
    given = [f"{options}={names}", f"horizon={question.rounds}", f"epsilon={plan.epsilon:g}"]
    given += [f"delta={question.delta:g}"] if question.delta else []
    given += [f"low={question.low:g}", f"high={question.high:g}"]
    given.append(f'algorithm="{plan.recommended}"')
    if question.rounds_per_user > 1:
        given.append(f"max_rounds_per_user={question.rounds_per_user}")
    return given
