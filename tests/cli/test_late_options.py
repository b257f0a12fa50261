"""The commands take late outcomes, and say what they were."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from discreet.cli.commands import cli
from discreet.errors import DiscreetError

SMALL = ["--rounds", "60", "--trials", "2", "--workers", "1", "--quiet"]


def run(*words):
    return CliRunner().invoke(cli, words, catch_exceptions=False)


def test_simulate_says_how_late_outcomes_are_and_why_no_bound_is_shown():
    late = ["--delay", "uniform(2,6)", "--group", "3"]
    shown = run("simulate", "tsallis-inf", "uniform", *late, *SMALL).stdout
    assert (
        "Outcomes arrive 2 to 6 rounds late (uniform), in groups of 3. Proved bounds do not cover "
        "this: none is shown." in shown
    )
    assert "nobody learns" not in shown
    shown = run("simulate", "uniform", "--delay", "60", *SMALL).stdout
    assert "No outcome is known within 60 rounds: nobody learns." in shown
    facts = json.loads(run("simulate", "tsallis-inf", "--delay", "4", "--json", *SMALL).stdout)
    assert facts["results"][0]["regret_bound"] is None


def test_missing_outcomes_and_deadlines_are_options():
    for default in (["--default-loss", "1"], ["--default-reward", "0"]):
        done = run("simulate", "ucb", "--missing", "0.1", "--wait", "5", *default, *SMALL)
        assert "Every outcome is used after 5 rounds" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "ucb", "--missing", "0.1"], "give --default-reward or --default-loss"),
        (["simulate", "ucb", "--delay", "later"], "--delay is 'later'"),
        (["simulate", "lucb", "--delay", "3"], "delay is not a parameter of the game of lucb"),
        (
            ["plan", "--arms", "2", "--difference", "0.1", "--missing", "0.1"],
            "give --default-outcome",
        ),
    ],
)
def test_what_is_unclear_is_refused_on_the_command_line(words, said):
    with pytest.raises(DiscreetError, match=said):
        run(*words, "--rounds", "60", "--trials", "8", "--quiet")


@pytest.mark.parametrize("command", ["simulate", "plan"])
def test_help_has_a_section(command):
    shown = run(command, "--help").stdout
    assert "Late outcomes:" in shown
    assert "--delay TEXT" in shown
