"""What tests share."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from common import ROOT
from hypothesis import settings

# NumPy's threads would wait for each other beside another test process, which takes longer
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# tests leave none in the user's folder
os.environ["DISCREET_KEYS"] = tempfile.mkdtemp(prefix="keys-")
# the same examples in every run
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for garbage neither while tests are collected nor, later, in what is there by then.

    That is a million objects, which every search for garbage would go through.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Begin with slow modules: quick ones fill the gaps, so that both processes end together."""
    slow, all_of = Counter(), Counter()
    for item in items:
        all_of[item.path] += 1
        slow[item.path] += item.get_closest_marker("slow") is not None
    items.sort(key=lambda item: slow[item.path] / all_of[item.path], reverse=True)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


def heed_interrupts():
    """Let a child process be interrupted, even if this one runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


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
            preexec_fn=heed_interrupts,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def call(capsys):
    """Call the command line; return its exit code, what it printed, and what it complained."""
    from discreet.cli import main

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return end.value.code, printed.out, printed.err

    return run


class Interrupted(NamedTuple):
    """What an interrupted command left behind."""

    code: int
    text: str
    complaint: str
    seconds: float  # from Ctrl-C to the end


@pytest.fixture
def interrupt():
    """Run a command and press Ctrl-C ``after`` seconds from when a library or file appears.

    A library is named by a part of the name of its file, and is there once it is loaded.
    ``prelude`` is run before.
    """

    def run(
        *arguments: str, when: str | Path = "", after: float = 0.0, prelude: str = ""
    ) -> Interrupted:
        program = [
            sys.executable,
            "-c",
            f"{prelude}\nfrom discreet.cli import main; main()",
            *map(str, arguments),
        ]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            program, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed_interrupts
        ) as process:
            maps = Path(f"/proc/{process.pid}/maps")
            try:
                while process.poll() is None:
                    if when.exists() if isinstance(when, Path) else when in maps.read_text():
                        break
                    time.sleep(0.002)
                time.sleep(after)
                start = time.perf_counter()
                process.send_signal(signal.SIGINT)
                text, complaint = process.communicate(timeout=60)
                seconds = time.perf_counter() - start
            finally:
                process.kill()  # whatever happens, nothing goes on playing
        return Interrupted(process.returncode, text, complaint, seconds)

    return run


@pytest.fixture
def legible():
    """Check that no two texts of a figure overlap, and that all of them are inside of it."""
    from matplotlib.text import Text

    def ticks(axis):
        low, high = sorted(axis.get_view_interval())
        every = (*axis.get_major_ticks(), *axis.get_minor_ticks())
        return [tick.label1 for tick in every if low <= tick.get_loc() <= high]

    def check(figure):
        figure.draw_without_rendering()
        shown = [axes for axes in figure.axes if axes.axison]
        texts = [
            text
            for axes in shown
            for axis in (axes.xaxis, axes.yaxis)
            for text in (*ticks(axis), axis.label)
        ]
        texts += [text for axes in figure.axes for text in (axes.title, *axes.texts)]
        boxed = [axes.get_legend() for axes in figure.axes] + figure.legends
        texts += [text for legend in boxed if legend is not None for text in legend.get_texts()]
        texts += [text for text in figure.get_children() if isinstance(text, Text)]
        boxes = {}
        for text in texts:
            if text.get_visible() and text.get_text().strip():
                # of the text alone, without the line to what it names
                boxes[text] = Text.get_window_extent(text)
        inside = figure.bbox.padded(1.0)
        for text, box in boxes.items():
            assert inside.x0 <= box.x0 <= box.x1 <= inside.x1, text
            assert inside.y0 <= box.y0 <= box.y1 <= inside.y1, text
        for (one, first), (other, second) in itertools.combinations(boxes.items(), 2):
            assert not first.padded(-0.75).overlaps(second.padded(-0.75)), (one, other)
        return [text.get_text() for text in boxes]

    return check


def pytest_terminal_summary(terminalreporter):
    """Say in one line each why tests were left out."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason in sorted({str(report.longrepr[2]) for report in skipped}):
        terminalreporter.write_line(f"left out: {reason.removeprefix('Skipped: ')}")


def pytest_unconfigure():
    """Let everything be garbage at the end: some libraries complain of what is left then."""
    gc.unfreeze()
