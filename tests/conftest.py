"""What tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

settings.register_profile("fixed", derandomize=True, deadline=None)  # the same examples in every run
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def python():
    """Run a program in another process and return what it printed."""

    def run(program: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
