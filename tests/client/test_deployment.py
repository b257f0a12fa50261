"""Deployment files can be read, say what was tried, and name commands and options that exist."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import click
import pytest
import yaml
from common import ROOT

from discreet.cli.commands import cli

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
NAMES = ["Dockerfile", "compose.yaml", "discreet.service"]
NAMES += ["kubernetes-postgresql.yaml", "kubernetes-sqlite.yaml"]


def documents(name):
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def container(name):
    (deployment,) = (each for each in documents(name) if each["kind"] == "Deployment")
    (found,) = deployment["spec"]["template"]["spec"]["containers"]
    return deployment, found


def commands():
    """Return every use of ``discreet`` in these files, as lists of words."""
    docker = (DEPLOY / "Dockerfile").read_text()
    yield [word.strip('" ') for word in re.search(r"ENTRYPOINT \[(.*)\]", docker)[1].split(",")]
    unit = (DEPLOY / "discreet.service").read_text()
    yield shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1])
    yield container("kubernetes-sqlite.yaml")[1]["command"]
    (script,) = documents("compose.yaml")[0]["services"]["service"]["command"]
    (other,) = container("kubernetes-postgresql.yaml")[1]["args"]
    for text in (script, other):
        yield shlex.split(text[text.index("discreet serve") :])


def test_all_files_are_tested_and_say_what_was_tried():
    assert [path.name for path in FILES] == NAMES
    for path in FILES:
        head = re.match(r"(?:#.*\n)+", path.read_text())[0]
        assert "# Tried: " in head, path.name


def test_commands_exist_and_take_these_options():
    found = list(commands())
    assert len(found) == 5
    for words in found:
        program, name, *arguments = words
        assert program.endswith("discreet")
        command = cli.get_command(click.Context(cli), name)
        assert name == "serve"
        command.make_context(name, arguments)  # which parses them, and runs nothing


def test_the_shell_of_a_container_ends_as_the_service():
    """Without exec, SIGTERM would reach the shell only."""
    for words in commands():
        assert words[1:3] == ["serve", "/var/lib/discreet/service"]
    for name in ("compose.yaml", "kubernetes-postgresql.yaml"):
        assert re.search(r"exec (env \S+\s+)?discreet serve", (DEPLOY / name).read_text())


def test_one_process_has_a_sqlite_database():
    deployment, found = container("kubernetes-sqlite.yaml")
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert "--database" not in found["command"]


def test_no_password_is_on_a_command_line():
    for words in commands():
        for word in words:
            assert not re.search(r"postgresql://[^@/]*:[^@/]*@", word)


def test_the_unit_is_valid(tmp_path):
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed (Debian: systemd)")
    text = (DEPLOY / "discreet.service").read_text()
    place = tmp_path / "discreet.service"
    place.write_text(text.replace("/opt/discreet/bin/discreet", shutil.which("true")))
    done = subprocess.run([program, "verify", place], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        [program, "security", "--offline=true", "--no-pager", place],
        capture_output=True,
        text=True,
        check=True,
    )
    exposure = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)[1])
    assert exposure <= 2.0
    assert f"exposure {exposure:g}" in text


def test_the_page_for_devices_names_no_address_but_localhost():
    for path in (ROOT / "clients" / "js" / "example").iterdir():
        for address in re.findall(r"https?://[^\s'\"&;]+", path.read_text()):
            assert address.startswith("http://localhost"), path.name
