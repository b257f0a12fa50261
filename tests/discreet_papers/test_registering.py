"""Reproductions, errata and commands register from outside, as those of the papers do."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import pytest

from discreet.plugins import VARIABLE, load_plugins, plugin_commands

PLUGIN = '''
from discreet.plot import new_figure
from discreet_papers.errata import register_erratum
from discreet_papers.reproduce import Findings, Reproduction, register_reproduction

register_reproduction(
    Reproduction(
        name="my-figure",
        title="one of mine",
        trials=3,
        rounds=100,
        sweep=lambda rounds: (rounds, 2 * rounds),
        play=lambda cells, plan: [cell * plan.trials for cell in cells],
        analyse=lambda played: Findings(
            tables={"my-figure": [{"played": each} for each in played]}, text="It works."
        ),
        draw=lambda found: {"my-figure": new_figure(1.0, 1.0)},
    )
)


@register_erratum(
    paper="A. Nobody 1999", place="page 1", printed="1", ours="2", verdict="slip"
)
def one_and_one() -> str:
    """Add."""
    return f"1 + 1 is {1 + 1}."
'''


@pytest.fixture
def discreet(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)

    def run(*arguments, code=""):
        command = ["-c", code] if code else ["-m", "discreet", *arguments]
        environment = os.environ | {VARIABLE: str(path)}
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_a_reproduction_of_one_s_own_runs_by_name(discreet, tmp_path):
    folder = tmp_path / "out"
    said = discreet("reproduce", "my-figure", "--output", str(folder), "--trials", "2", "--quiet")
    assert said.startswith("It works.\n")
    rows = list(csv.DictReader((folder / "my-figure.csv").read_text().splitlines()))
    assert rows == [{"played": "200"}, {"played": "400"}]
    assert (folder / "my-figure.png").stat().st_size > 0
    assert "my-figure" in discreet("reproduce", "--help")


@pytest.mark.slow
def test_an_erratum_of_one_s_own_is_among_the_others(discreet):
    code = (
        "import json; from discreet_papers.errata import errata; print(json.dumps([(each.paper, "
        "each.place) for each in errata()]))"
    )
    found = json.loads(discreet(code=code))
    assert found[0] == ["A. Nobody 1999", "page 1"]
    assert len(found) > 40


@pytest.mark.parametrize("name", ["reproduce", "errata", "counters"])
def test_the_list_of_commands_says_what_each_says_itself(name):
    load_plugins()
    command = plugin_commands()[name]
    assert command.load().get_short_help_str(limit=200) == command.short_help
