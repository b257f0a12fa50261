"""docs/service.md is run: its commands in a shell, its programs, and its list of metrics."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from common import ROOT

TEXT = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Start the service with the command of the document, on a free port."""
    start = SHELL[0].splitlines()[1].split("#")[0].replace("&", "").split()
    assert start[:2] == ["discreet", "serve"]
    folder = tmp_path_factory.mktemp("document")
    process = subprocess.Popen(
        [sys.executable, "-m", *start, "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    url, token = (process.stdout.readline().split()[-1] for _ in range(2))
    try:
        yield {"DISCREET_URL": url, "DISCREET_TOKEN": token}
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
        process.stdout.close()


def in_a_shell(script, running):
    here = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-ec", script],
        env=os.environ | running | {"PATH": f"{here}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_first_commands_lead_to_a_decision_and_its_outcome(running):
    install, serve, export, *others = SHELL[0].splitlines()
    commands = [line for line in others if not line.startswith(" ")]  # the rest continues one
    assert len(commands) == 3  # the last one prints nothing: the outcome is accepted
    assert install == "pip install 'discreet[serve]'"
    assert serve.startswith("discreet serve ")
    assert re.match(r"export DISCREET_URL=\S+ DISCREET_TOKEN=dsc_", export)
    printed = in_a_shell("\n".join(others), running)
    decision = json.loads(printed.splitlines()[-1])
    assert decision["arm"] in ("A", "B", "C")
    assert decision["id"] == 0
    state = json.loads(in_a_shell("discreet run show banner --json", running))["state"]
    assert (state["round"], state["open"]) == (1, 1)  # until the deadline


@pytest.mark.slow
def test_programs_run_as_they_are(running, monkeypatch, capsys):
    monkeypatch.setenv("DISCREET_TOKEN", running["DISCREET_TOKEN"])
    names: dict[str, object] = {}
    for block in PYTHON:
        code = block.replace("http://localhost:8000", running["DISCREET_URL"])
        assert code != block
        exec(compile(code, "docs/service.md", "exec"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("Progress(round=")
    assert printed.endswith("1-differential privacy\n")


@pytest.mark.slow
def test_tokens_are_made_as_shown(running):
    (block,) = (each for each in SHELL if "token create" in each)
    assert "dsc_" in in_a_shell(block, running)


@pytest.mark.slow
def test_metrics_are_those_of_the_service(running):
    asked = urllib.request.Request(
        f"{running['DISCREET_URL']}/metrics",
        headers={"Authorization": f"Bearer {running['DISCREET_TOKEN']}"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        served = set(re.findall(r"^# TYPE (\w+)", answer.read().decode(), re.MULTILINE))
    section = TEXT[TEXT.index("## Monitoring") :]
    shown = set(re.findall(r"`(discreet_\w+)", section.split("Watch the")[0]))
    assert shown == served
