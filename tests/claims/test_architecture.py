"""The shape of the code: layers, size, what is public, what is typed."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

from common import ROOT

import discreet

PACKAGE = Path(discreet.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))  # of all three packages
BESIDE = sorted(
    path for folder in ("tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
)


def name(path):
    return str(path.relative_to(PACKAGE if path in MODULES else ROOT))


def test_imports_follow_the_layers(root):
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_modules_are_small_and_say_what_they_are():
    texts = {name(path): path.read_text() for path in (*SOURCES, *BESIDE)}
    assert [each for each, text in texts.items() if len(text.splitlines()) > 400] == []
    assert [each for each, text in texts.items() if not ast.get_docstring(ast.parse(text))] == []


def test_the_file_to_read_first_is_short():
    assert len((PACKAGE / "private.py").read_text().splitlines()) <= 60


def test_only_channels_touch_raw_feedback():
    """In learners, nothing is even called feedback."""
    for path in (PACKAGE / "learners").rglob("*.py"):
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
        }
        names |= {
            node.arg for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.arg)
        }
        assert "feedback" not in names, path


def test_everything_public_exists_and_is_typed():
    for name in discreet.__all__:
        assert hasattr(discreet, name)
    assert (PACKAGE / "py.typed").exists()


# objects that are not ours, or of which no more is known than that they may be named tuples
FOREIGN = {
    "auditing/runs.py": {"hasattr(part, '_make')"},
    "guarantee.py": {"getattr(self, name)"},  # the fields of a dataclass
    "ledger/inputs.py": {"getattr(error, 'sqlite_errorcode', None)"},
    "problems/base.py": {"getattr(self, each.name)"},  # the fields of a dataclass
    "simulation/executors.py": {"hasattr(os, 'sched_getaffinity')"},
}


def asked_for(tree):
    """Return all that a module asks for by getattr and hasattr."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return {ast.unparse(call) for call in calls if call.func.id in ("hasattr", "getattr")}


def test_nothing_of_ours_is_asked_whether_it_has_an_attribute():
    """Abilities are declared in contracts."""
    found = {name(path): asked_for(ast.parse(path.read_text())) for path in MODULES}
    assert {module: asked for module, asked in found.items() if asked} == FOREIGN


def test_modules_are_modules():
    """No function hides the module of its name: ``import a.b as c`` gives a module."""
    for package in ("componentjit", "discreet", "discreet_papers"):
        folder = Path(importlib.import_module(package).__file__).parent
        for path in folder.rglob("*.py"):
            dotted = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
            if path.name in ("__init__.py", "__main__.py"):
                continue
            importlib.import_module(dotted)
            parent, _, leaf = dotted.rpartition(".")
            assert isinstance(vars(sys.modules[parent])[leaf], ModuleType), dotted


def defined_in(path):
    """Return the names of all classes of a module, and of types that it names (``Clock = ...``)."""
    tree = ast.parse(path.read_text())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    aliases = {
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and "TypeVar" not in ast.unparse(node.value)
    }
    return names | {each for each in aliases if each[0].isupper() and not each.isupper()}


# the same type on both sides of a border that imports do not cross
SHARED = {"Role": {"client/connection.py", "service/tokens.py"}}


def test_a_name_means_one_thing():
    """No two classes or types have the same name, so that a name can be searched for."""
    modules = defaultdict(set)
    for path in MODULES:
        for each in defined_in(path):
            modules[each].add(name(path))
    assert {each: found for each, found in modules.items() if len(found) > 1} == SHARED
