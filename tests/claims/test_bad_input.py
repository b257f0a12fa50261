"""Bad input gets one sentence: the argument, its value and what is allowed; and nothing happens."""

from __future__ import annotations

import shlex
import sys

import bad_commands
import bad_games
import bad_live
import bad_parts
import bad_sets
import numpy as np
import pytest

import discreet
from discreet import channels, checks, learners, mechanisms, problems
from discreet.cli import main
from discreet.environments import environment
from discreet.learners.wrapping import Wrapping
from discreet.sets import Box


def sim(*algorithms, **arguments):
    return discreet.simulate(*algorithms, **{"rounds": 50, "trials": 1} | arguments)


def private(arms=4):
    channel = channels.Batch.laplace(size=10, epsilon=0.5, bounds=discreet.Range(0.0, 1.0))
    return discreet.Private(channel, learners.Exp3.start(arms=arms, learning_rate=0.01))


NAMES = {
    name: value
    for module in (channels, learners, mechanisms, problems)
    for name, value in vars(module).items()
}
NAMES |= {name: getattr(discreet, name) for name in discreet.__all__}
NAMES |= {name: getattr(checks, name) for name in checks.__all__}
NAMES |= {"np": np, "sim": sim, "environment": environment, "Wrapping": Wrapping, "Box": Box}
NAMES |= bad_sets.NAMES
NAMES |= {
    "C": discreet.Contender,
    "P": private,
    "R": discreet.Range(0.0, 1.0),
    "G": discreet.Guarantee(epsilon=1.0, delta=0.0, model="central", status="proved", source="x"),
    "GD": discreet.Guarantee(epsilon=1.0, delta=1e-6, model="central", status="proved", source="x"),
}

CALLS = [*bad_parts.CALLS, *bad_games.CALLS, *bad_live.CALLS, *bad_sets.CALLS]
COMMANDS = [*bad_commands.COMMANDS, *bad_sets.COMMANDS]


@pytest.fixture(scope="module")
def results():
    return discreet.simulate("uniform", rounds=20, trials=1)


def test_there_are_many():
    assert len(set(CALLS)) + len(set(COMMANDS)) >= 300


@pytest.mark.filterwarnings("ignore:.* is not private")
@pytest.mark.parametrize(("call", "sentence"), CALLS)
def test_a_call_is_refused_in_one_sentence(call, sentence, results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(discreet.DiscreetError) as refusal:
        eval(call, NAMES | {"RESULTS": results})
    said = str(refusal.value)
    assert sentence in said
    assert said.endswith((".", "?"))
    assert "\n" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "sentence"), COMMANDS)
def test_a_command_is_refused_in_one_sentence(command, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("not a table")
    with pytest.raises(SystemExit) as end:
        main(shlex.split(command))
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("discreet: ")
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_without_pandas_one_sentence_says_how_to_get_it(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        discreet.DiscreetError, match=r"to_pandas needs pandas: pip install 'discreet\[pandas\]'"
    ):
        results.to_pandas()
