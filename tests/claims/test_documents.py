"""What documents show is what happens: console blocks are run (examples: test_examples.py)."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import tomllib

import pytest
from click.testing import CliRunner
from common import ROOT

from discreet.cli.commands import cli
from discreet.environments import environments

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def blocks():
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for block in re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL):
            command, _, output = block.partition("\n")
            if command.startswith("$ make test"):
                continue  # it is what runs this
            yield pytest.param(
                command.removeprefix("$ "), output.rstrip(), id=f"{path.name}: {command[2:42]}"
            )


def run_shown(command):
    """Run a command as shown, in this process, where much is compiled already."""
    if command == "make demo":
        recipe = re.search(
            r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE
        )[1]
        lines = recipe.replace("\\\n", " ").strip().splitlines()
        echo, command = lines[0].strip().removeprefix("@echo ").strip('"'), lines[1].strip()
        command = command.removeprefix("@$(BIN)/")
        return [echo, *run_shown(command)]
    words = shlex.split(command)
    assert words[0] == "discreet"
    done = CliRunner().invoke(cli, words[1:], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), list(blocks()))
@pytest.mark.long
def test_a_console_block_shows_what_the_command_prints(command, shown, tmp_path, monkeypatch):
    """Words are the same; numbers may differ by 15 % between machines; seconds are not compared."""
    monkeypatch.chdir(tmp_path)
    printed = run_shown(command)
    expected = shown.splitlines()
    # the bar goes to the error stream
    expected = [line for line in expected if not line.startswith("trials ")]
    seconds = expected and any(line.rstrip().endswith("seconds") for line in expected)
    assert len(printed) == len(expected)
    for now, then in zip(printed, expected, strict=True):
        assert NUMBER.sub("#", now).split() == NUMBER.sub("#", then).split()
        numbers = [
            [float(n.replace(",", "")) for n in NUMBER.findall(line)] for line in (now, then)
        ]
        if seconds and now.startswith(" ") and numbers[0]:
            numbers = [each[:-1] for each in numbers]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.15)


def test_the_readme_s_first_screen_shows_both_commands():
    first = "\n".join((ROOT / "README.md").read_text().splitlines()[:48])
    assert "$ make demo" in first
    assert "$ make test" in first


def test_one_version_is_named_everywhere():
    """Installed metadata is compared in tests/release/smoke.py, after an installation."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    texts = {name: (ROOT / name).read_text() for name in ("CITATION.cff", "CHANGELOG.md")}
    assert re.search(r"^version: (.+)$", texts["CITATION.cff"], re.MULTILINE)[1] == version
    assert re.search(r"^## \[(\d.*)\] - \d{4}-", texts["CHANGELOG.md"], re.MULTILINE)[1] == version
    for path in sorted((ROOT / "deploy").glob("*.yaml")):
        assert set(re.findall(r"discreet:(\d[\w.]*)", path.read_text())) <= {version}, path.name


def test_every_environment_is_documented():
    text = (ROOT / "docs" / "environments.md").read_text()
    words = " ".join(text.split())  # lines may break anywhere
    # other tests register environments of their own
    packages = ("discreet.", "discreet_papers.")
    ours = [each for each in environments() if each.make.__module__.startswith(packages)]
    assert len(ours) > 20
    for each in ours:
        assert f"## {each.name}\n" in text
        if each.name != "table":
            definition = inspect.getdoc(each.make).split(">>>")[0].replace("``", "`")
            assert " ".join(definition.split()) in words, f"the definition of {each.name} changed"


# this machine, names that are kept for examples and tests, placeholders, the name of SVG
HARMLESS = re.compile(
    r"|\.*|localhost|127\.0\.0\.1|service|(.*\.)?(example(\.\w+)?|test)|www\.w3\.org"
)


def test_nothing_about_one_machine_stands_in_the_project():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for name in listed:
        if name.endswith((".png", ".lock")):
            continue
        text = (ROOT / name).read_text()
        hosts = {found[1] for found in re.finditer(r"https?://(?:[\w:]+@)?([\w.-]*)", text)}
        foreign = {host for host in hosts if not HARMLESS.fullmatch(host)}
        assert not foreign, f"{name} names an address"
