"""The papers use only the public interface of discreet, as any plugin can."""

from __future__ import annotations

import ast
import importlib
import sys

import pytest
from common import ROOT

PACKAGE = ROOT / "src" / "discreet_papers"
FILES = sorted(PACKAGE.rglob("*.py"))
OURS = ("discreet", "componentjit")


def imported(path):
    """Yield (module, name) for everything that a file imports; name is empty for whole modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_public_names_are_imported(path):
    """A name is public if discreet, or a module or package directly in it, has it in __all__."""
    for module, name in imported(path):
        if module.split(".")[0] not in OURS:
            continue
        assert module.count(".") <= 1, (
            f"{module} lies too deep: use the package that exports {name}"
        )
        assert name, f"import names from {module}, not {module} itself"
        assert name in importlib.import_module(module).__all__, f"{module} does not export {name}"


def test_nothing_private_is_reached_through_an_attribute():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                assert node.attr == "_replace", f"{path}:{node.lineno} uses {node.attr}"


def test_discreet_imports_nothing_of_the_papers():
    for path in sorted((ROOT / "src" / "discreet").rglob("*.py")):
        assert not any(module.split(".")[0] == "discreet_papers" for module, _ in imported(path))


def test_the_check_finds_what_it_should(tmp_path):
    deep, private = tmp_path / "deep.py", tmp_path / "private.py"
    deep.write_text("from discreet.plot.canvas import save\n")
    private.write_text("from discreet.plugins import _lock\n")
    for path in (deep, private):
        with pytest.raises(AssertionError):
            test_only_public_names_are_imported(path)


def test_importing_the_plugin_is_cheap(run_python):
    heavy = ("matplotlib", "sklearn", "lifelines", "pandas", "click", "discreet_papers.reproduce")
    code = (
        f"import sys, discreet_papers; print([name for name in {heavy!r} if name in sys.modules])"
    )
    assert run_python(code).strip() == "[]"


@pytest.fixture
def run_python():
    import subprocess

    def run(code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
