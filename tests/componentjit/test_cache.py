"""A disk cache of what is compiled, which notices every edit."""

from __future__ import annotations

from pathlib import Path

import pytest

import componentjit

PATH = Path(componentjit.__file__).parent.parent  # other processes import this very package


def surroundings(folder: Path) -> dict[str, str]:
    """Import from this folder and cache in it, and keep no bytecode.

    Python takes an edit of the same length within the same second for no edit.
    """
    return {
        "PYTHONPATH": f"{folder}:{PATH}",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.long
def test_a_user_component_is_cached_by_its_own_source(python, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from componentjit import Component\nclass Mine(Component):\n    size: int\n    def "
        "only_mine(self, value):\n        return 1.0 * value\ndef run(component, value):\n    "
        "return component.only_mine(value)\n"
    )
    program = (
        "import mine; from componentjit import compile_for\nf = compile_for(mine.run, "
        "mine.Mine(1)); found = f(mine.Mine(1), 3.0)\nprint(found, "
        "sum(sum(v.stats.cache_hits.values()) for v in f.versions.values()))"
    )
    here = surroundings(tmp_path)
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


@pytest.mark.long
def test_a_changed_helper_or_constant_of_another_file_is_seen(python, tmp_path):
    (tmp_path / "tools.py").write_text(
        "from componentjit import helper\nFACTOR = 1.0\n@helper\ndef scaled(x):\n    return 3.0 "
        "* x\n"
    )
    (tmp_path / "mine.py").write_text(
        "from componentjit import Component\nfrom tools import FACTOR, scaled\nclass "
        "Mine(Component):\n    size: int\n    def only_mine(self, value):\n        return FACTOR "
        "* scaled(value)\ndef run(component, value):\n    return component.only_mine(value)\n"
    )
    program = (
        "import mine; from componentjit import compile_for as c; print(c(mine.run, "
        "mine.Mine(1))(mine.Mine(1), 1.0))"
    )
    here = surroundings(tmp_path)
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
        "from componentjit import Component\nclass Mine(Component):\n    first: float\n    "
        "second: float\n    def only_mine(self, value):\n        return self.first * value\ndef "
        "run(component, value):\n    return component.only_mine(value)\n"
    )
    (tmp_path / "mine.py").write_text(text)
    program = (
        "import mine; from componentjit import compile_for as c\nit = mine.Mine(first=3.0, "
        "second=300.0); print(c(mine.run, it)(it, 1.0), it.only_mine(1.0))"
    )
    here = surroundings(tmp_path)
    assert python(program, **here) == "3.0 3.0"
    (tmp_path / "mine.py").write_text(
        text.replace("first: float", "x")
        .replace("second", "first")
        .replace("x\n", "second: float\n", 1)
    )
    assert python(program, **here) == "3.0 3.0"


def test_importing_it_does_not_import_the_compiler(python):
    program = (
        "import sys; import componentjit; import componentjit.lanes; print({!r} in sys.modules)"
    )
    assert python(program.format("numba")) == "False"
    assert python(program.format("llvmlite")) == "False"


@pytest.mark.slow
def test_a_component_that_a_method_makes_is_seen_too(python, tmp_path):
    text = (
        "from componentjit import Component\nclass Inner(Component):\n    size: float\n    def "
        "scaled_by(self, value):\n        return self.size * value\nclass Mine(Component):\n    "
        "size: float\n    def made(self, value):\n        return "
        "Inner(self.size).scaled_by(value)\ndef run(component, value):\n    return "
        "component.made(value)\n"
    )
    program = (
        "import mine; from componentjit import compile_for as c\nprint(c(mine.run, "
        "mine.Mine(2.0))(mine.Mine(2.0), 3.0))"
    )
    here = surroundings(tmp_path)
    (tmp_path / "mine.py").write_text(text)
    assert python(program, **here) == "6.0"
    (tmp_path / "mine.py").write_text(text.replace("self.size * value", "self.size + value"))
    assert python(program, **here) == "5.0"
