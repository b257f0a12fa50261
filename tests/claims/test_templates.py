"""Templates work as they are: each is a plugin of one file, about ten lines besides its texts."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest
from common import ROOT

from discreet import algorithm, audit, simulate
from discreet.algorithms.registry import _algorithms
from discreet.checks import check_channel, check_environment, check_learner
from discreet.environments import environment
from discreet.environments.registry import _environments
from discreet.plugins import VARIABLE, load_plugin

TEMPLATES = sorted((ROOT / "examples" / "templates").glob("*.py"))


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load all templates, and forget them: other tests go through all that is registered."""
    before, others, path = dict(_algorithms), dict(_environments), list(sys.path)
    for template in TEMPLATES:
        load_plugin(str(template))
    yield
    for known, kept in ((_algorithms, before), (_environments, others)):
        known.clear()
        known.update(kept)
    sys.path[:] = path
    for template in TEMPLATES:
        del sys.modules[template.stem]


def test_the_document_shows_what_is_in_the_template():
    shown = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8").split("```python\n")[1]
    assert shown.split("```")[0] in TEMPLATES[0].read_text(encoding="utf-8")


def statements(path):
    """Count statements besides imports and texts."""
    skipped = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, skipped)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_is_short(path):
    assert statements(path) <= 16


def test_there_is_one_for_each_part():
    names = {path.stem for path in TEMPLATES}
    assert names == {"own_algorithm", "own_arms", "own_channel", "own_contexts"}


def test_the_algorithm_keeps_its_contract_and_learns():
    built = algorithm("greedy").build()
    check_learner(built.private.learner)
    assert built.guarantee.short == "1-differential privacy"
    assert built.regret_bound is None
    results = simulate(
        ["greedy", "uniform"], environment="deterministic", rounds=3000, trials=4, seed=1
    )
    greedy, uniform = (row["regret_mean"] for row in results.summary())
    assert greedy < 0.6 * uniform


def test_the_channel_keeps_its_contract_and_its_guarantee():
    """The audit has a confidence of 99 %, and its seed is fixed."""
    built = algorithm("exp3-clipped").build()
    check_channel(type(built.private.channel).example())
    found = audit("exp3-clipped", trials=4000, seed=1)
    assert not found.violated
    assert found.lower_bound > 0.5


@pytest.mark.parametrize("name", ["weekends", "two-tastes"])
def test_environments_keep_their_contract(name):
    check_environment(environment(name))


def test_environments_are_played():
    assert simulate("exp3", environment="weekends", rounds=200, trials=2).rounds == 200
    played = simulate("uniform-contexts", environment="two-tastes", rounds=100, trials=2)
    assert played.problem.arms == 10


@pytest.mark.slow
def test_the_command_line_finds_a_template():
    path = ROOT / "examples" / "templates" / "own_arms.py"
    command = ["-m", "discreet", "simulate", "uniform", "--environment", "weekends"]
    done = subprocess.run(
        [sys.executable, *command, "--rounds", "100", "--trials", "2", "--quiet"],
        capture_output=True,
        text=True,
        env=os.environ | {VARIABLE: str(path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "weekends losses" in done.stdout
