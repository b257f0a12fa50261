"""Examples run as they are, each in a process of its own: some of them register what is theirs.

A tutorial that is about an example shows output of it, which is compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict

import pytest
from common import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = [path for path in EXAMPLES if "--quick" in path.read_text(encoding="utf-8")]
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def shown_outputs():
    """Return the output blocks of tutorials by the example that they say they are about."""
    found = defaultdict(list)
    for page in sorted((ROOT / "docs" / "site" / "tutorials").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
        if blocks:
            found[re.search(r"program is `examples/(\w+\.py)`", text)[1]] += blocks
    return dict(found)


SHOWN = shown_outputs()


def words_of(line):
    return NUMBER.sub("#", line).split()


def check_shown(block, printed):
    """Compare with the lines printed: words are the same, numbers may differ by 15 %."""
    shown, lines = block.rstrip("\n").splitlines(), printed.splitlines()
    wanted = [words_of(line) for line in shown]
    places = range(len(lines) - len(shown) + 1)
    start = next(
        (at for at in places if [words_of(line) for line in lines[at:][: len(shown)]] == wanted),
        None,
    )
    assert start is not None, f"not printed:\n{block}"
    for now, then in zip(lines[start:], shown, strict=False):
        numbers = [
            [float(each.replace(",", "")) for each in NUMBER.findall(line)] for line in (now, then)
        ]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.15), then


def run(path, *options):
    done = subprocess.run(
        [sys.executable, path, *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return done.stdout


def test_outputs_are_of_examples_that_are_run_in_full():
    assert set(SHOWN) <= {path.name for path in EXAMPLES} - {path.name for path in LONG}
    assert sum(map(len, SHOWN.values())) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.long
def test_examples_run(path):
    printed = run(path, *(["--quick"] if path in LONG else []))
    for block in SHOWN.get(path.name, ()):
        check_shown(block, printed)


@pytest.mark.full
@pytest.mark.parametrize("path", LONG, ids=lambda path: path.name)
def test_long_examples_run_as_they_are(path):
    run(path)
