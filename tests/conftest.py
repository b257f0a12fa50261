"""What tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

os.environ["DISCREET_KEYS"] = tempfile.mkdtemp(prefix="keys-")  # tests leave none in the user's folder
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


@pytest.fixture
def interrupt():
    """Run the command line, press Ctrl-C after some seconds; return the exit code and what was printed and complained."""

    def run(*arguments: str, after: float) -> tuple[int, str, str]:
        program = [sys.executable, "-c", "from discreet.cli import main; main()", *arguments]
        pipe, heed = subprocess.PIPE, lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored in the background
        with subprocess.Popen(program, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed) as process:
            try:
                time.sleep(after)
                process.send_signal(signal.SIGINT)
                text, complaint = process.communicate(timeout=60)
            finally:
                process.kill()  # whatever happens, nothing goes on playing
        return process.returncode, text, complaint

    return run
