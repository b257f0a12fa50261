"""The complete program that runs a plan: budget, file, deadlines, and limits for users."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from discreet.errors import count
from discreet.guarantee import round_up

if TYPE_CHECKING:  # findings.py imports the words of a plan, which import this module
    from discreet.planning.findings import Plan

PROGRAM = '''\
{imports}from pathlib import Path

import discreet

{wait}# {limit}
# {charge}
ledger = discreet.Ledger({budget}, path="ledger.db")
if Path("run.db").exists():
    run = discreet.{client}.open("run.db", ledger=ledger)
else:
    run = discreet.{client}(
{arguments}        ledger=ledger,
        path="run.db",
    )


def decide({user}):
    """Return a decision{served}."""
    return run.ask({asked})


def report(decision, {outcome}):
    """Record the outcome of a decision; store the decision until then."""
    run.tell(decision, {outcome}={outcome})
'''
WAIT = """\
# An outcome that comes later than this is discarded and counts as the default. Set a time
# by which nearly all outcomes have come, with a margin. The plan waits {rounds}.
WAIT = timedelta(days=30)

"""
ROOM = 1e-6  # share of epsilon


def program(plan: Plan) -> str:
    """Return the complete program; only the waiting time, if there is one, must be filled in."""
    question, many = plan.question, plan.question.rounds_per_user
    user = plan.guarantee(plan.epsilon, user=True)
    budget = f"epsilon={user.epsilon!r}"
    if user.delta:  # exact noise may cost slightly more or less than the noise of a plan
        epsilon = round_up(user.epsilon * (1.0 + ROOM), digits=6)
        budget = f"epsilon={epsilon!r}, delta={user.delta!r}"
    outcome = "reward" if question.better == "higher" else "loss"
    if question.sees_all:
        outcome = f"{outcome}s" if outcome == "reward" else "losses"
    limit = f"{user.short} for each outcome. That is the budget, and the run is"
    charge = "charged to it once."
    if many > 1:
        limit = f"Each user has at most {count(many, 'round')}, and {user.short}"
        charge = "for all of them together. That is the budget, and the run is charged to it once."
    waits = program_waits(plan)
    return PROGRAM.format(
        imports="from datetime import timedelta\n" if waits else "",
        wait=WAIT.format(rounds=count(waits, "round")) if waits else "",
        limit=limit,
        charge=charge,
        budget=budget,
        client="Experts" if question.sees_all else "Bandit",
        arguments="".join(f"        {each},\n" for each in _arguments(plan)),
        user="user" if many > 1 else "",
        served="; the run does not learn from those for users at the limit" * (many > 1),
        asked='user=user, at_limit="serve"' if many > 1 else "",
        outcome=outcome,
    )


def program_words(plan: Plan) -> str:
    """Return the program with its heading, indented."""
    return "To run it:\n\n" + textwrap.indent(program(plan), "    ").rstrip()


def program_waits(plan: Plan) -> int:
    """Return the rounds after which a missing outcome takes the default; 0 if none is missing."""
    arrivals = plan.question.arrivals
    if arrivals is None or arrivals.absent is None:
        return 0
    return max(1, int(arrivals.waits.max()))


def _arguments(plan: Plan) -> list[str]:
    question = plan.question
    options = "experts" if question.sees_all else "arms"
    names = question.arms if question.outcomes is None else list(question.outcomes.labels)
    given = [f"{options}={names}", f"horizon={question.rounds}", f"epsilon={_exact(plan.epsilon)}"]
    given += [f"delta={_exact(question.delta)}"] if question.delta else []
    given += [f"low={_exact(question.low)}", f"high={_exact(question.high)}"]
    given.append(f'algorithm="{plan.recommended}"')
    if question.rounds_per_user > 1:
        given.append(f"max_rounds_per_user={question.rounds_per_user}")
    if program_waits(plan) and question.default_outcome is not None:
        name = "default_reward" if question.better == "higher" else "default_loss"
        given += ["wait=WAIT", f"{name}={_exact(question.default_outcome)}"]
    return given


def _exact(number: float) -> str:
    """Return the shortest text that represents the number exactly."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))
