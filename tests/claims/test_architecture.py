"""The shape of the code: layers, size, what is public, what is typed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import discreet

PACKAGE = Path(discreet.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def test_imports_follow_the_layers(root):
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_are_small_and_say_what_they_are(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(text))


def test_the_file_to_read_first_is_short():
    assert len((PACKAGE / "private.py").read_text().splitlines()) <= 60


def test_only_channels_touch_raw_feedback():
    """In learners, nothing is even called feedback."""
    for path in (PACKAGE / "learners").rglob("*.py"):
        names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        names |= {node.arg for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.arg)}
        assert "feedback" not in names, path


def test_everything_public_exists_and_is_typed():
    for name in discreet.__all__:
        assert hasattr(discreet, name)
    assert (PACKAGE / "py.typed").exists()
