"""The command simulate: results, files, tables, options, and going on where it stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from discreet.cli.interrupts import FEW_HANDLES

SMALL = ("--rounds", 1000, "--trials", 3, "--quiet")


def test_simulate_prints_json_with_the_fixed_keys(call):
    code, text, _ = call("simulate", "batched-exp3", "exp3", *SMALL, "--json", "--seed", 5)
    assert code == 0
    results = json.loads(text)["results"]
    keys = {
        "algorithm",
        "regret_mean",
        "regret_low",
        "regret_high",
        "regret_median_of_means",
        "rounds",
        "trials",
    }
    assert keys | {"seconds"} <= set(results[0])
    assert [row["algorithm"] for row in results] == ["batched-exp3", "exp3"]
    assert results[0]["regret_low"] <= results[0]["regret_mean"] <= results[0]["regret_high"]
    again = json.loads(
        call("simulate", "batched-exp3", "exp3", *SMALL, "--json", "--seed", 5, "--workers", 1)[1]
    )
    assert again["results"][0]["regret_mean"] == results[0]["regret_mean"]


@pytest.mark.slow
def test_searches_are_simulated_too(call, tmp_path):
    words = (
        "simulate",
        "track-and-stop",
        "--arms",
        3,
        "--set",
        "means=0.2,0.6,0.7",
        "--trials",
        8,
        "--quiet",
    )
    code, text, _ = call(*words, "--set", "errors=0.02", "--seed", 3, "--output", tmp_path / "run")
    assert code == 0
    assert text.startswith(
        "Samples until the best arm of 3 is found, stochastic losses, error at most 0.1, 8 trials"
    )
    assert " track-and-stop, error 0.02 " in text
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "manifest.json",
        "results.parquet",
        "samples.png",
    ]
    (row,) = json.loads(call(*words, "--seed", 3, "--json")[1])["results"]
    assert {"samples_mean", "samples_q50", "error_rate", "error_high", "cut_off", "wrong"} <= set(
        row
    )
    code, text, _ = call(*words, "--rounds", 20)
    assert code == 0
    assert (
        "track-and-stop: 8 trials of 8 had no answer after 20 rounds, so there is no mean." in text
    )


def test_simulate_marks_bounds_that_say_nothing_and_names_the_twin(call):
    text = call("simulate", "batched-exp3", "exp3", "uniform", *SMALL)[1]
    marked = [line for line in text.splitlines() if " * " in line]
    assert len(marked) == 3
    assert "* vacuous: uniform play has regret " in text
    assert "vs. non-private: regret divided by that of its non-private counterpart (exp3)." in text
    assert " ×" in next(line for line in text.splitlines() if line.startswith(" batched-exp3"))
    text = call("simulate", "exp3", *SMALL)[1]
    assert "*" not in text
    assert "non-private:" not in text


@pytest.mark.slow
def test_simulate_writes_results_manifest_and_plot(call, tmp_path):
    target = tmp_path / "run"
    code, text, _ = call("simulate", "tsallis-inf", *SMALL, "--output", target)
    assert code == 0
    assert sorted(path.name for path in target.iterdir()) == [
        "manifest.json",
        "regret.png",
        "results.parquet",
    ]
    assert (target / "regret.png").read_bytes().startswith(b"\x89PNG")
    assert f"Written to {target}" in text
    code, _, complaint = call("simulate", "tsallis-inf", *SMALL, "--output", target)
    assert code == 2
    assert "exists already" in complaint
    assert call("simulate", "tsallis-inf", *SMALL, "--output", target, "--overwrite")[0] == 0


def test_simulate_plays_a_file(call, tmp_path):
    path = tmp_path / "losses.csv"
    path.write_text("x,y\n" + "0,1\n" * 50)
    code, text, _ = call(
        "simulate", "exp3", "--environment", "table", "--losses", path, "--json", "--quiet"
    )
    assert code == 0
    assert json.loads(text)["results"][0]["rounds"] == 50


def test_options_reach_every_algorithm_that_has_them(call):
    for names in (("exp3", "uniform"), ("uniform", "exp3")):
        assert call("simulate", *names, *SMALL, "--set", "learning_rate=0.5")[0] == 0


def test_the_table_is_printed_even_if_writing_fails(call, tmp_path):
    (tmp_path / "run" / "regret.png").mkdir(parents=True)
    code, text, complaint = call(
        "simulate", "exp3", *SMALL, "--output", tmp_path / "run", "--overwrite"
    )
    assert code == 2
    assert "exp3" in text
    assert "is a folder and cannot be replaced by a file" in complaint
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["regret.png"]


def test_clip_says_how_many(call, tmp_path):
    path = tmp_path / "losses.npy"
    np.save(path, np.array([[0.0, 3.0], [-1.0, 1.0], [0.5, 0.5]]))
    table = ("simulate", "exp3", "--environment", "table", "--losses", path, "--quiet")
    code, _, complaint = call(*table)
    assert code == 2
    assert "row 1, column 2: the loss is 3" in complaint
    code, text, _ = call(*table, "--clip")
    assert code == 0
    assert "Clipped: 2 numbers outside 0 to 1." in text


@pytest.mark.slow
def test_simulate_goes_on_where_it_stopped(call, tmp_path):
    words = ("simulate", "exp3", *SMALL, "--output", tmp_path / "run")
    code, first, _ = call(*words, "--resume")
    assert code == 0, "nothing is there: it begins"
    assert f"Written to {tmp_path / 'run'}: results.parquet, manifest.json, regret.png\n" in first
    part = tmp_path / "run" / "results.parquet" / "part-000000.parquet"
    before = part.stat().st_mtime_ns
    assert call(*words, "--resume")[:2] == (0, first), "all is there: nothing is played"
    assert part.stat().st_mtime_ns == before
    code, text, complaint = call(*words, "--resume", "--seed", 3)
    assert (code, text) == (2, "")
    assert complaint.startswith(
        f"discreet: seed was 0 when {tmp_path / 'run'} was started, but is 3 now: resume with"
    )
    assert "resume it with --resume, overwrite it with --overwrite" in call(*words)[2]
    assert call(*words, "--overwrite", "--seed", 3)[0] == 0
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["seed"] == 3
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "manifest.json",
        "regret.png",
        "results.parquet",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("simulate", "exp3", "--resume"), "--resume needs --output without --overwrite."),
        (
            ("simulate", "track-and-stop", "--resume", "--output", "x"),
            "--resume does not work for searches.",
        ),
        (("simulate", "exp3", "--on", "moon"), "'moon' is not one of 'threads', 'ray'."),
        (("warm", "expo3"), "unknown algorithm 'expo3': did you mean 'exp3'?"),
        (("warm", "--problem", "arm"), "unknown problem 'arm': did you mean 'arms'?"),
        (("warm", "exp3", "--workers", 0), "workers is 0, but must be a whole number"),
    ],
)
def test_what_is_refused_of_going_on_and_warming(call, words, sentence):
    code, text, complaint = call(*words)
    assert (code, text) == (2, "")
    assert sentence in complaint


def said_by(command, **environment):
    """Return the exit code of a command line, and what it says."""
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))} | environment,
    )
    return done.returncode, done.stderr


def test_a_plot_backend_that_is_none_is_one_sentence(tmp_path):
    command = f"'{sys.executable}' -m discreet simulate exp3 --rounds 20 --trials 2 --quiet"
    code, said = said_by(f"{command} --output '{tmp_path}/x'", MPLBACKEND="nonsense")
    assert code == 2
    assert said.startswith("discreet: matplotlib cannot load a backend (MPLBACKEND is")
    assert said.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("handles", [4, 5])
def test_too_few_file_handles_are_one_sentence(handles):
    """Without site packages (-S): some of them stop Python itself, before anything is imported."""
    code, said = said_by(f"ulimit -n {handles}; '{sys.executable}' -S -m discreet list")
    assert (code, said) == (2, f"{FEW_HANDLES}\n")
