"""The page of attacks lists all of them, and what it says can be printed again."""

from __future__ import annotations

import subprocess
import sys

import pytest
from common import ROOT


def printed(*arguments):
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "live" / "attack_report.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]


@pytest.mark.full
def test_the_page_has_a_row_for_every_attack_and_no_fault():
    """Durations are not measured here: what they show depends on the machine."""
    rows = printed("--scale", "0.02", "--without-times")[2:]
    page = (ROOT / "docs" / "attacks.md").read_text()
    assert len(rows) >= 20
    for row in rows:
        assert row[4].strip() in ("0", "–")
        assert f"|{row[1]}|{row[2]}|" in page, f"missing: {row[1]}"
