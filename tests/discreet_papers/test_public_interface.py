"""Papers, examples and documents use only what docs/stability.md lists as public."""

from __future__ import annotations

import ast
import importlib
import re
import sys

import pytest
from common import ROOT

PACKAGE = ROOT / "src" / "discreet_papers"
FILES = sorted(PACKAGE.rglob("*.py"))
OURS = ("discreet", "componentjit")
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "site" / "tutorials").glob("*.md")),
]
IMPORT = re.compile(r"^(?:>>> )?((?:from|import) (?:discreet|componentjit)\b.*)$", re.MULTILINE)


def listed_modules():
    """Return the modules that docs/stability.md lists."""
    text = (ROOT / "docs" / "stability.md").read_text()
    section = text.split("\n## Public modules\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return frozenset(re.findall(r"`([\w.]+)`", "\n".join(rows)))


PUBLIC = listed_modules() | {"discreet"}


def imported(path):
    """Yield (module, name) for everything that a file imports; name is empty for whole modules."""
    yield from imported_by(path.read_text())


def imported_by(source):
    """Yield the same for a program."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def check_public(module, name):
    """Refuse a name of ours that is not public."""
    if module.split(".")[0] not in OURS:
        return
    assert module in PUBLIC, f"docs/stability.md does not list {module}, from which {name} comes"
    assert name in importlib.import_module(module).__all__, f"{module} does not export {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_public_names_are_imported(path):
    """A name is public if discreet, or a module that is listed, has it in __all__."""
    for module, name in imported(path):
        if module.split(".")[0] in OURS:
            assert name, f"import names from {module}, not {module} itself"
        check_public(module, name)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_import_public_names(path):
    for module, name in imported(path):
        if name or module not in PUBLIC:  # a whole module that is listed is fine
            check_public(module, name)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_documents_import_public_names(path):
    text = path.read_text()
    for line in IMPORT.findall(text):
        for module, name in imported_by(line):
            if name or module not in PUBLIC:
                check_public(module, name)


def test_listed_modules_say_what_they_export():
    for module in sorted(PUBLIC):
        assert importlib.import_module(module).__all__, module


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
