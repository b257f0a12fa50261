"""Every code block of the documents runs, or is of a kind that cannot, for a stated reason.

Blocks with prompts are doctests (pytest collects README.md and docs). Console blocks are run in
test_documents.py, output of examples is compared in test_examples.py. What is left is run here.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner
from common import ROOT
from log_files import context_log, write_csv

from discreet.cli.commands import cli

SITE = ROOT / "docs" / "site"
FENCE = re.compile(r"^( *)```+([^\n`]*)\n(.*?)^\1```+ *$", re.MULTILINE | re.DOTALL)
DIRECTIVES = ("{toctree}", "{table}", "{grid}", "{eval-rst}", "{math}", "{raw}", "{admonition}")
ELSEWHERE = {  # pages whose programs another test runs
    "docs/service.md": "tests/client/test_service_document.py",
    "docs/extending.md": "tests/claims/test_templates.py",
}
OUTPUT = {"docs/trial.md": "examples/trial.py with 32 trials takes minutes; make full runs it"}
NOT_RUN = {  # the first words of a command, and why it is not run
    "pip install": "it changes the environment; make wheels installs every extra's package",
    "docker": "no Docker where tests run",
    "ray start": "a cluster of machines",
    "curl": "tests/client/test_service_document.py runs it",
    "python tests/live/attack_report.py": "tests/live/test_attack_report.py runs it",
    "discreet serve": "it does not end; tests/service starts services",
    "discreet run": "it needs a service; tests/cli and tests/client run it",
    "discreet token": "it needs a service; tests/client/test_service_document.py runs it",
    "echo": "tests/client/test_service_document.py runs it",
}
SMALL = {"--rounds": "300", "--trials": "2"}  # simulations are run at this size
HERE = {"--on ray": "a cluster of machines"}  # checked, but not run


class Block(NamedTuple):
    """A fenced block of a document."""

    page: str
    line: int
    kind: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"


def read_blocks():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for path in pages:
        text, page = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        for found in FENCE.finditer(text):
            line = text[: found.start()].count("\n") + 1
            yield Block(page, line, found[2].strip(), found[3])


BLOCKS = list(read_blocks())
PROGRAMS = [each for each in BLOCKS if each.kind == "python" and ">>>" not in each.text]


def commands_of(block):
    """Return the words of each command of a shell block, without comments and exports."""
    found, begun = [], ""
    for line in block.text.replace("\\\n", " ").splitlines():
        begun += f"{line}\n"
        with contextlib.suppress(ValueError):  # a quotation goes on in the next line
            words = shlex.split(begun, comments=True)
            begun = ""
            if words and words[0] != "export":
                found.append(words)
    return found


def reason_against(command):
    line = " ".join(command)
    return next((NOT_RUN[start] for start in NOT_RUN if line.startswith(start)), None)


def shell_commands():
    for block in BLOCKS:
        if block.kind == "sh" and block.page != "docs/service.md":
            for command in commands_of(block):
                if reason_against(command) is None:
                    name = f"{block.page}: {' '.join(command)[:60]}"
                    yield pytest.param(block, command, id=name)


def test_every_block_is_of_a_known_kind():
    """A block without a language is one that nobody runs."""
    known = ("python", "sh", "console", "text", "{literalinclude}", *DIRECTIVES)
    odd = [each.name for each in BLOCKS if (each.kind.split() or [""])[0] not in known]
    assert odd == []
    assert len(BLOCKS) > 100


def test_every_program_is_run_somewhere():
    pages = {each.page for each in PROGRAMS}
    run_here = {"docs/logs.md", "docs/attacks.md", "docs/site/start/index.md"}
    assert pages == {*run_here, *ELSEWHERE}
    for page, test in ELSEWHERE.items():
        assert page.rsplit("/", 1)[1] in (ROOT / test).read_text(encoding="utf-8")


def test_every_output_is_that_of_an_example_which_is_run():
    pages = {each.page for each in BLOCKS if each.kind == "text"} - set(OUTPUT)
    assert all(page.startswith("docs/site/tutorials/") for page in pages)


def test_commands_that_are_not_run_have_a_reason_that_is_used():
    used = {
        start
        for block in BLOCKS
        if block.kind == "sh"
        for command in commands_of(block)
        for start in NOT_RUN
        if " ".join(command).startswith(start)
    }
    assert used == set(NOT_RUN)


def test_extras_that_are_named_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    for block in BLOCKS:
        for named in re.findall(r"(?:discreet|'\.)\[([\w,]+)\]", block.text):
            assert set(named.split(",")) <= known, block.name


@pytest.mark.parametrize(("block", "command"), list(shell_commands()))
def test_commands_can_be_read(block, command):
    """Every command, option and choice exists; nothing is computed."""
    assert command[0] == "discreet", f"{block.name} has a command that no test knows"
    name, *words = command[1:]
    found = cli.get_command(cli.make_context("discreet", [name]), name)
    assert found is not None
    if "--help" not in words:
        found.make_context(name, list(words), resilient_parsing=False)


def includes():
    for block in BLOCKS:
        if block.kind.startswith("{literalinclude}"):
            yield pytest.param(block, id=block.name)


@pytest.mark.parametrize("block", list(includes()))
def test_included_code_is_part_of_a_tested_file(block):
    place = block.kind.split()[1].lstrip("/")
    options = dict(re.findall(r"^:([\w-]+): (.*)$", block.text, re.MULTILINE))
    if place == "examples/page.js":  # tests/client/test_device_page.py opens it in a browser
        path = ROOT / "clients" / "js" / "example" / "page.js"
    else:  # test_examples.py or test_templates.py runs it
        path = ROOT / place
        assert path.parent in (ROOT / "examples", ROOT / "examples" / "templates")
    text = path.read_text(encoding="utf-8")
    if "pyobject" in options:
        names = {node.name for node in ast.parse(text).body if "name" in node._fields}
        assert options["pyobject"] in names
    for key in ("start-at", "end-before"):
        assert options.get(key, "").strip('"') in text


def small(command):
    """Return a command at a small size, as far as it has one."""
    words = list(command[1:])
    if words[0] in ("simulate", "stress"):
        of_a_file = "--log" in words or "--losses" in words  # which says how many rounds there are
        for name, value in SMALL.items():
            if name in words:
                words[words.index(name) + 1] = value
            elif name != "--rounds" or not of_a_file:
                words += [name, value]
    return words


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with what documents suppose to be there."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_csv(tmp_path / "log.csv", context_log(3000)[0])
    np.save(tmp_path / "worst.npy", np.random.default_rng(1).random((300, 4)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(block, command):
    exported = dict(re.findall(r"export (\w+)=(\S+)", block.text))
    if not exported:
        done = CliRunner().invoke(cli, small(command), catch_exceptions=False)
        assert done.exit_code == 0, f"{block.name}: {done.output}"
        return
    # plugins would stay registered here
    words = [sys.executable, "-m", "discreet", *small(command)]
    done = subprocess.run(
        words, env=os.environ | exported, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{block.name}: {done.stderr}"


@pytest.mark.full
@pytest.mark.parametrize(("block", "command"), list(shell_commands()))
def test_commands_run(block, command, folder):
    if not any(words in " ".join(command) for words in HERE):
        run(block, command)


@pytest.mark.parametrize("page", ["docs/logs.md", "docs/site/start/index.md"])
def test_programs_run(page, folder, capsys):
    names: dict[str, object] = {}
    for block in PROGRAMS:
        if block.page == page:
            exec(compile(block.text, block.name, "exec"), names)
    assert names


def test_the_attack_of_the_document_is_one(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "live"))
    import attack_report

    before = list(attack_report.ATTACKS)
    names: dict[str, object] = {}
    (block,) = (each for each in PROGRAMS if each.page == "docs/attacks.md")
    try:
        exec(compile(block.text, block.name, "exec"), names)
        assert len(attack_report.ATTACKS) == len(before) + 1
        assert names["my_attack"](7)[:2] == (7, [])
    finally:
        attack_report.ATTACKS[:] = before
        sys.modules.pop("attack_report", None)
