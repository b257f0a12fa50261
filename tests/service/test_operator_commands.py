"""discreet run and discreet token: on a folder, and over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from serving import BANDIT, PUBLIC, serving

from discreet.cli import run as command
from discreet.service.remote_operator import RemoteOperator


@pytest.fixture
def folder(tmp_path):
    with serving(tmp_path / "service"):
        pass
    (tmp_path / "spec.json").write_text(json.dumps(BANDIT | PUBLIC))
    return tmp_path / "service"


def test_runs_and_tokens_of_a_folder(folder, capsys):
    spec, here = str(folder.parent / "spec.json"), ["--folder", str(folder)]
    assert command(["run", "create", "r", spec, *here]) == 0
    assert "1-differential privacy" in capsys.readouterr().out
    assert command(["run", "show", *here]) == 0
    assert capsys.readouterr().out == "r\n"
    assert command(["run", "show", "r", "--json", *here]) == 0
    assert json.loads(capsys.readouterr().out)["problem"] == "bandit"
    assert command(["run", "close", "r", *here]) == 0
    assert "yes" in capsys.readouterr().out
    assert command(["run", "restored", "r", *here]) == 2
    assert "is not an old copy" in capsys.readouterr().err
    assert command(["token", "create", "decide", "--run", "r", *here]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("dsc_")
    identity = err.split(":")[0]
    assert command(["token", "list", *here]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    (row,) = (row for row in rows if row.lstrip().startswith(identity))
    assert row.split()[1:3] == ["decide", "r"]
    assert row.index("decide") == head.index("role")
    assert "never" in row
    assert command(["token", "revoke", identity, *here]) == 0
    assert command(["token", "revoke", identity, *here]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "show", "none"], "there is no run with that name."),
        (["run", "create", "r", "BAD"], "SPEC is not valid JSON."),
        (["run", "create", "a b", "SPEC"], "a name must have 1 to 64 letters"),
        (["run", "show", "r", "--folder", "/nowhere"], "it has no service"),
        (["run", "show", "r", "--url", "http://127.0.0.1:9"], "no token was sent: give --token"),
        (["run", "show", "r", "--url", "http://127.0.0.1:9", "--token", "x"], "does not answer"),
        (["run", "show", "r", "--url", "what", "--token", "x"], "--url is 'what', but must be"),
        (["run", "show", "a b", "--url", "http://127.0.0.1:9", "--token", "x"], "a name must have"),
        (["run", "list"], "unknown command 'list': discreet run show, without a name, lists all"),
        (["run", "sow"], "did you mean 'show'?"),
        (["token", "create", "read", "--expires", "soon"], "--expires is 'soon', but must be h"),
        (["token", "create", "read", "--expires", "2020-01-31"], "expires is in the past"),
        (["token", "create", "read", "--run", "a b"], "a name must have"),
    ],
)
def test_bad_input_gets_one_sentence(folder, capsys, monkeypatch, arguments, said):
    monkeypatch.delenv("DISCREET_TOKEN", raising=False)
    spec = str(folder.parent / "spec.json")
    bad = folder.parent / "bad.json"
    bad.write_text("{")
    given = [{"SPEC": spec, "BAD": str(bad)}.get(each, each) for each in arguments]
    given += [] if "--folder" in given else ["--folder", str(folder)]
    assert command(given) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_named_goes_before_an_address_of_the_environment(
    folder, capsys, monkeypatch
):
    spec = str(folder.parent / "spec.json")
    monkeypatch.setenv("DISCREET_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("DISCREET_TOKEN", "dsc_x")
    assert command(["run", "create", "r", spec, "--folder", str(folder)]) == 0
    capsys.readouterr()
    assert command(["run", "show", "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == "r\n"
    assert command(["run", "show"]) == 2
    assert "http://127.0.0.1:9 does not answer" in capsys.readouterr().err


def test_a_folder_that_a_service_has_is_refused(tmp_path, capsys):
    with serving(tmp_path / "service"):
        assert command(["run", "show", "--folder", str(tmp_path / "service")]) == 2
    assert capsys.readouterr().err.startswith("discreet: ")


def test_the_same_over_http(tmp_path, capsys, monkeypatch):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(BANDIT | PUBLIC))
    with serving(tmp_path / "service") as client:

        def request(method, url, *, headers, content, timeout):
            path = url.removeprefix("http://service")
            return client.wait(client.http.request(method, path, headers=headers, content=content))

        import httpx

        monkeypatch.setattr(httpx, "request", request)
        there = ["--url", "http://service/", "--token", client.token]
        assert command(["run", "create", "r", str(spec), *there]) == 0
        assert command(["run", "show", *there]) == 0
        assert command(["run", "show", "r", *there]) == 0
        assert command(["run", "close", "r", *there]) == 0
        assert command(["run", "restored", "r", *there]) == 2
        assert command(["token", "create", "read", "--run", "r", *there]) == 0
        assert "no run" not in capsys.readouterr().err
        assert command(["token", "create", "read", "--run", "s", "--expires", "12h", *there]) == 0
        assert "there is no run 's' yet." in capsys.readouterr().err
        assert command(["token", "list", *there]) == 0
        remote = RemoteOperator("http://service", client.token)
        remote.revoke_token(remote.list_tokens()[-1]["id"])
        assert command(["run", "show", "none", *there]) == 2
        assert "there is no run with that name." in capsys.readouterr().err
        there[-1] = "dsc_wrong"
        assert command(["run", "show", *there]) == 2
        said = "discreet: the token is unknown: check --token or DISCREET_TOKEN.\n"
        assert capsys.readouterr().err == said


def test_a_run_before_its_first_decision(folder, capsys):
    spec, here = str(folder.parent / "spec.json"), ["--folder", str(folder)]
    assert command(["run", "create", "r", spec, *here]) == 0
    text = capsys.readouterr().out
    assert re.search(r"open +0 decisions, 0 batches\n", text)
    assert re.search(r"shares +none yet\n", text)


def test_a_token_for_an_unknown_run_expires(folder, capsys):
    here = ["--folder", str(folder)]
    given = ["token", "create", "decide", "--run", "later", "--expires", "30d", *here]
    assert command(given) == 0
    assert "there is no run 'later' yet." in capsys.readouterr().err
    assert command(["token", "create", "read", "--expires", "2999-01-31", *here]) == 0
    assert "no run" not in capsys.readouterr().err
    assert command(["token", "list", *here]) == 0
    assert "2999-01-31 00:00" in capsys.readouterr().out


def test_a_running_service_needs_only_the_client(folder):
    blocked = "import sys\nfor name in ('uvicorn', 'starlette', 'jinja2', 'opendp'):\n"
    blocked += "    sys.modules[name] = None\nfrom discreet.cli import run\n"
    for given, said in (
        (["--url", "http://127.0.0.1:9", "--token", "x"], "does not answer"),
        (["--folder", str(folder)], "the service needs "),
    ):
        code = f"{blocked}sys.exit(run({['token', 'list', *given]!r}))"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert said in done.stderr
