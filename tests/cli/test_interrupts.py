"""Ctrl-C ends every command within 2 seconds: one sentence, exit code 130, nothing half-written."""

from __future__ import annotations

import json
import sys

import pytest
from common import in_full

from discreet_papers.reproduce import reproductions

# Seconds on a machine that is busy with eight other things; commands here would run for minutes.
AT_ONCE = 40.0
NOTHING = "discreet: interrupted; nothing was written.\n"
# FOLDER is a new one, FILE a file in it
LONG = ("--trials", "1000000", "--quiet", "--output", "FOLDER")
COMMANDS = {
    "list": ["list"],
    "describe": ["describe", "private-ftrl-experts", "--rounds", "10000000"],
    "simulate": ["simulate", "exp3", "--rounds", "100000000", *LONG],
    "plan": [
        "plan",
        "--arms",
        "3",
        "--rounds",
        "1000000",
        "--difference",
        "0.1",
        "--trials",
        "100000",
        *LONG[2:],
    ],
    "counters": ["counters", "--horizon", "1048576", "--copies", "100000", "--output", "FILE.png"],
    "errata": ["errata", "--output", "FILE.md"],
    "audit": ["audit", "--all", "--quiet"],
}
REPRODUCTIONS = {name: ["reproduce", name, "--rounds", "2048", *LONG] for name in reproductions()}
ONE = "faster-rates-table-1"  # all of them are one command; the others are interrupted by make full
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="moments are read from /proc"),
]


def placed(words, folder):
    return [
        word.replace("FOLDER", str(folder / "new" / "run")).replace("FILE", str(folder / "file"))
        for word in words
    ]


def ends_cleanly(ended, folder):
    assert (ended.code, ended.text, ended.complaint) == (130, "", NOTHING)
    assert ended.seconds < AT_ONCE
    assert not list(folder.iterdir())


@pytest.mark.parametrize("command", [*COMMANDS, "tossou-figure-1"])
def test_during_imports(command, tmp_path, interrupt):
    arguments = placed((COMMANDS | REPRODUCTIONS)[command], tmp_path)
    ends_cleanly(interrupt(*arguments, when="_multiarray_umath"), tmp_path)


@pytest.mark.parametrize("after", [0.0, 0.02, 0.1, 0.3])
def test_as_soon_as_there_is_something_to_interrupt(after, tmp_path, interrupt):
    """This library is among the first that a command loads."""
    ends_cleanly(interrupt("list", when="_random", after=after), tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        *("simulate", "audit", in_full("plan"), in_full("counters"), in_full("errata")),
        *(name if name == ONE else in_full(name) for name in REPRODUCTIONS),
    ],
)
def test_while_compiling_and_playing(command, tmp_path, interrupt):
    arguments = placed((COMMANDS | REPRODUCTIONS)[command], tmp_path)
    ends_cleanly(interrupt(*arguments, when="libllvmlite", after=0.5), tmp_path)


# Programs that stop at a chosen moment, and leave a marker there for whoever wants to interrupt
# them.
STOPPING = """
import os, pathlib, signal, sys, time

def stop(seconds):
    pathlib.Path("MARKER").touch()
    time.sleep(seconds)
"""
HALF_A_FIGURE = """
import matplotlib.figure
def half(self, path, **_):
    pathlib.Path(path).write_text("half")
    stop(30)

matplotlib.figure.Figure.savefig = half
"""
HALF_A_DOCUMENT = """
import discreet_papers.cli.errata
sys.modules["discreet_papers.cli.errata"].known_errata = list
pathlib.Path.write_text = lambda self, *_, **__: (self.touch(), stop(30))
"""
FIRST_TRIAL = """
from discreet.cli import interrupts
keep = interrupts.keep_finished
interrupts.keep_finished = lambda: (keep(), stop(0))
"""
SAVING = """
from discreet.simulation import experiment
write = experiment.write_manifest
experiment.write_manifest = lambda path, manifest: (stop(0.5), write(path, manifest))
"""
SAVING_AFTER_AN_INTERRUPT = """
from discreet.simulation import experiment
def interrupted(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)
    stop(30)

experiment.write_manifest = interrupted
"""


@pytest.fixture
def stopped(tmp_path, interrupt):
    """Interrupt a command at a chosen moment; return how it ended, and its output folder."""
    marker, folder = tmp_path / "now", tmp_path / "output"
    folder.mkdir()

    def run(words, moment):
        prelude = (STOPPING + moment).replace("MARKER", str(marker))
        return interrupt(*placed(words, folder), when=marker, prelude=prelude), folder

    return run


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        (
            [
                "reproduce",
                "faster-rates-figure-1",
                "--rounds",
                "1000",
                "--quiet",
                "--output",
                "FOLDER",
            ],
            HALF_A_FIGURE,
        ),
        (["counters", "--horizon", "64", "--quiet", "--output", "FILE.png"], HALF_A_FIGURE),
        (["errata", "--quiet", "--output", "FILE.md"], HALF_A_DOCUMENT),
    ],
    ids=["reproduce", "counters", "errata"],
)
def test_while_writing(words, moment, stopped):
    ended, folder = stopped(words, moment)
    ends_cleanly(ended._replace(text=""), folder)  # what was printed before is no harm


def test_finished_trials_are_kept_and_counted(stopped):
    ended, folder = stopped(["simulate", "exp3", "--rounds", "200", *LONG], FIRST_TRIAL)
    assert ended.code == 130
    assert ended.seconds < AT_ONCE
    finished = json.loads((folder / "new" / "run" / "manifest.json").read_text())["trials"][
        "finished"
    ]
    assert 0 < finished < 1_000_000
    assert (
        ended.complaint
        == f"Interrupted: {finished} of 1000000 trials were finished; resume with --resume.\n"
    )
    assert f"{finished:,} trial" in ended.text
    assert {path.name for path in (folder / "new").iterdir()} == {"run"}, "no hidden folder stays"


def test_an_interrupt_after_the_last_trial_is_told(stopped):
    """All trials are there and saved, and the exit code says that there was an interrupt."""
    words = [
        "simulate",
        "exp3",
        "--rounds",
        "200",
        "--trials",
        "2",
        "--quiet",
        "--output",
        "FOLDER",
    ]
    ended, folder = stopped(words, SAVING)
    assert ended.code == 130
    assert ended.complaint == "Interrupted: 2 of 2 trials were finished.\n"
    assert (folder / "new" / "run" / "regret.png").exists()


def test_a_second_interrupt_ends_at_once(stopped):
    """The trials that are complete stay, for a run that goes on."""
    words = [
        "simulate",
        "exp3",
        "--rounds",
        "200",
        "--trials",
        "2",
        "--quiet",
        "--output",
        "FOLDER",
    ]
    ended, folder = stopped(words, SAVING_AFTER_AN_INTERRUPT)
    assert (ended.code, ended.complaint) == (
        130,
        "discreet: interrupted; all files written are complete.\n",
    )
    assert ended.seconds < AT_ONCE
    files = {path.name for path in (folder / "new" / "run").rglob("*")}
    assert files == {"results.parquet", "part-000000.parquet", "_progress.jsonl"}
