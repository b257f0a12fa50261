"""Errors of the command line name options, and extras are asked for only where they are needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from discreet import Bandit


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan"], "--rounds is missing: give the number of decisions."),
        (
            ["plan", "--arms", "2", "--rounds", "90", "--missing", "0.1"],
            "--missing is 0.1, but there is no default for missing outcomes: give "
            "--default-outcome.",
        ),
        (["serve", "FOLDER", "--budget", "-1"], "--budget is -1.0, but must be"),
        (["serve", "FOLDER", "--budget-delta", "0.1"], "--budget-delta needs --budget."),
        (["serve", "FOLDER", "--database", "mysql://x/y"], "--database has the scheme 'mysql'"),
        (["serve", "FOLDER", "--witness", "mysql://x/y"], "--witness has the scheme 'mysql'"),
        (["serve", "FOLDER", "--origin", "foo"], "--origin is 'foo', but must look like"),
        (["serve", "FILE"], "/file, which is a file, not a folder."),
        (
            ["plan", "--epsilon", "1,0.5"],
            "'1,0.5' is not a valid float; repeat --epsilon for several values.",
        ),
        (["simulate", "exp3", "--epsilon", "x"], "'x' is not a valid float."),
        (["simulate", "exp3", "--rounds", "0"], "--rounds is 0, but must be"),
    ],
)
def test_errors_name_options(call, tmp_path, arguments, said):
    (tmp_path / "file").touch()
    places = {"FOLDER": str(tmp_path / "folder"), "FILE": str(tmp_path / "file")}
    code, _, error = call(*(places.get(each, each) for each in arguments))
    assert code == 2
    assert said in error


def test_another_budget_is_refused_by_the_name_of_the_option(call, tmp_path):
    from discreet.service.host import Budget
    from discreet.service.server import open_host
    from discreet.service.settings import ServiceFolder

    open_host(ServiceFolder.make(tmp_path), budget=Budget(4.0))[0].close()
    code, _, error = call("serve", tmp_path, "--budget", "2")
    assert code == 2
    assert error.startswith("discreet: --budget is 2.0, but the ledger in ")


def without(missing, *arguments):
    """Call the command line without some packages."""
    code = "import sys\n" + "".join(f"sys.modules[{each!r}] = None\n" for each in missing)
    code += f"from discreet.cli import run\nsys.exit(run({[*map(str, arguments)]!r}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_curves_need_no_matplotlib(tmp_path):
    game = ("simulate", "uniform", "--rounds", 100, "--trials", 2, "--quiet")
    done = without(["matplotlib"], *game, "--plot", tmp_path / "a.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.csv").stat().st_size
    done = without(["matplotlib"], *game, "--plot", tmp_path / "a.pdf")
    assert "plots need matplotlib" in done.stderr


def test_a_report_says_what_it_needs(tmp_path):
    Bandit(arms=2, horizon=1000, epsilon=1.0, path=str(tmp_path / "run.db")).close()
    done = without(["opendp"], "report", tmp_path / "run.db")
    assert done.returncode == 2
    assert "a report needs opendp, with which it computes the guarantee of the run" in done.stderr
