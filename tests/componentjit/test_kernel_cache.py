"""A disk cache of what is compiled, which notices every edit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import componentjit
import discreet

PROGRAM = """
import numpy as np
import componentjit
from discreet import Setting, algorithm
from discreet.problems import Arms
from discreet.environments import environment
from componentjit import Component, Raw
from discreet.learners.arms.draws import Draw
from discreet.randomness import streams
from discreet.simulation.loop import Player
game = environment("stochastic", arms=3).deal(0, 1000, np.random.default_rng(0))
player = Player(algorithm("exp3").build(Setting(Arms(3))).private, streams(1))
loss = player.play(game, np.array([1000]))[0]
stats = [v.stats for d in componentjit.compiling._dispatchers.values() for v in d.versions.values()]
hits, misses = (sum(sum(getattr(s, k).values()) for s in stats) for k in ("cache_hits", "cache_misses"))
print(loss, hits, misses)
"""


@pytest.mark.slow
def test_a_second_process_does_not_compile_again(python, tmp_path):
    first = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    second = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first[1:] == ["0", "1"]
    assert second == [first[0], "1", "0"]


@pytest.mark.slow
def test_a_user_component_is_cached_by_its_own_source(python, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from componentjit import Component\n"
        "class Mine(Component):\n"
        "    size: int\n"
        "    def only_mine(self, value):\n"
        "        return 1.0 * value\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    program = (
        "import mine; from componentjit import compile_for\n"
        "f = compile_for(mine.run, mine.Mine(1)); found = f(mine.Mine(1), 3.0)\n"
        "print(found, "
        "sum(sum(version.stats.cache_hits.values()) for "
        "version in "
        "f.versions.values()))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0 0"
    assert python(program, **here) == "3.0 1"
    (tmp_path / "mine.py").write_text(
        (tmp_path / "mine.py").read_text().replace("1.0 * value", "2.0 * value")
    )
    assert python(program, **here) == "6.0 0"


def test_without_a_writable_cache_it_still_runs(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    with pytest.warns(UserWarning, match="is not writable: compiled code will not be kept"):
        root = componentjit.compiling.cache_root()
    assert root.is_dir()


def test_importing_discreet_does_not_import_the_compiler(python):
    assert (
        python(
            "import sys; from discreet import *; "
            "print('numba' in "
            "sys.modules, "
            "'matplotlib' in "
            "sys.modules)"
        )
        == "False False"
    )


@pytest.mark.slow
def test_an_edit_of_any_source_is_seen_by_the_next_process_and_by_none_that_had_imported_it(
    python, tmp_path
):
    copy = tmp_path / "src" / "discreet"
    shutil.copytree(Path(discreet.__file__).parent, copy)
    here = {"PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    old, *compiled = python(PROGRAM, **here).split()
    learner = str(copy / "learners" / "arms" / "exp3.py")
    edit = (
        "from discreet import *; import pathlib; p = "
        f"pathlib.Path({learner!r}); t = "
        "p.read_text()\n"
        "p.write_text(t.replace('self.learning_rate * "
        "released', "
        "'50.0 * "
        "self.learning_rate * "
        "released'))\n"
    )
    during = python(edit + PROGRAM, **here).split()
    after = python(PROGRAM, **here).split()
    assert during[0] == old
    assert after[0] != old, "the edited copy must behave differently"
    assert compiled == after[1:] == ["0", "1"], "and must be compiled anew"


@pytest.mark.slow
def test_a_changed_helper_or_constant_of_another_file_is_seen(python, tmp_path):
    (tmp_path / "tools.py").write_text(
        "from componentjit import helper\nFACTOR = "
        "1.0\n@helper\ndef "
        "scaled(x):\n    "
        "return 3.0 "
        "* x\n"
    )
    (tmp_path / "mine.py").write_text(
        "from componentjit import Component\n"
        "from tools import FACTOR, scaled\n"
        "class Mine(Component):\n"
        "    size: int\n"
        "    def only_mine(self, value):\n"
        "        return FACTOR * scaled(value)\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    program = (
        "import mine; from componentjit import "
        "compile_for "
        "as c; "
        "print(c(mine.run, "
        "mine.Mine(1))(mine.Mine(1), "
        "1.0))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0"
    (tmp_path / "tools.py").write_text(
        (tmp_path / "tools.py").read_text().replace("3.0 * x", "50.0 * x")
    )
    assert python(program, **here) == "50.0"
    (tmp_path / "tools.py").write_text(
        (tmp_path / "tools.py").read_text().replace("FACTOR = 1.0", "FACTOR = 20.0")
    )
    assert python(program, **here) == "1000.0"


@pytest.mark.slow
def test_two_fields_that_change_places_are_seen(python, tmp_path):
    """Numba's own key has the types of fields, not their names: both orders have the same."""
    text = (
        "from componentjit import Component\n"
        "class Mine(Component):\n"
        "    first: float\n"
        "    second: float\n"
        "    def only_mine(self, value):\n"
        "        return self.first * value\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    (tmp_path / "mine.py").write_text(text)
    program = (
        "import mine; from componentjit import compile_for as c\n"
        "it = mine.Mine(first=3.0, second=300.0); "
        "print(c(mine.run, "
        "it)(it, "
        "1.0), "
        "it.only_mine(1.0))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0 3.0"
    (tmp_path / "mine.py").write_text(
        text.replace("first: float", "x")
        .replace("second", "first")
        .replace("x\n", "second: float\n", 1)
    )
    assert python(program, **here) == "3.0 3.0"
