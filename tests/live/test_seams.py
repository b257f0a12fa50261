"""The borders of live use: where feedback enters, and who knows which store there is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import discreet.live

FILES = sorted(Path(discreet.live.__file__).parent.rglob("*.py"))
OF_CHANNELS = {"take", "offer", "release"}


def direct_uses(source):
    """Return all places where a method of channels that takes or releases feedback is named."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in OF_CHANNELS
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_feedback_enters_through_the_private_learner_alone(path):
    """So that ``submit`` of Private is the only place where it does, as the proof there says."""
    assert direct_uses(path.read_text()) == []


def test_a_direct_use_would_be_found():
    mistake = "def tell(self, feedback):\n    give = self.channel.offer\n    give(feedback)"
    assert direct_uses(mistake) == ["self.channel.offer"]


def test_outcomes_reach_a_learner_only_through_submit_and_deliver():
    calls = [
        (function.name, node.func.attr)
        for path in FILES
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert [name for name, call in calls if call == "submit"] == ["hand_over", "_count"]
    assert [name for name, call in calls if call == "deliver"] == ["_learn"]
    # the server of devices learns from reports, which are private already
    assert [name for name, call in calls if call == "learn"] == ["_learn"]


def test_only_the_choice_of_stores_names_the_store_in_a_file():
    knowing = {path.stem for path in FILES if "FileStore" in path.read_text()}
    assert knowing == {"__init__", "file_store", "run_file", "stores"}
