"""Examples run as they are, each in a process of its own: some of them register what is theirs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from common import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = [path for path in EXAMPLES if "--quick" in path.read_text(encoding="utf-8")]


def run(path, *options):
    done = subprocess.run(
        [sys.executable, path, *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path):
    run(path, *(["--quick"] if path in LONG else []))


@pytest.mark.full
@pytest.mark.parametrize("path", LONG, ids=lambda path: path.name)
def test_long_examples_run_as_they_are(path):
    run(path)
