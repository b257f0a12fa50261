"""discreet simulate --plot: figures and curves from the command line, and what they compare."""

from __future__ import annotations

import csv
import json

import pytest

GAME = ("simulate", "exp3", "tsallis-inf", "--rounds", 300, "--trials", 3, "--quiet")


@pytest.mark.parametrize(("ending", "starts"), [("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_a_figure_is_drawn_to_a_file(ending, starts, call, tmp_path):
    path = tmp_path / f"regret.{ending}"
    code, text, _ = call(*GAME, "--plot", path, "--log-axes", "x", "--size", "3.3x2.4")
    assert code == 0
    assert text.endswith(f"Written to {path}\n")
    assert path.read_bytes().startswith(starts)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_curves_are_written_as_csv(call, tmp_path):
    code, _, _ = call(*GAME, "--plot", tmp_path / "regret.csv")
    assert code == 0
    rows = list(csv.DictReader((tmp_path / "regret.csv").read_text().splitlines()))
    assert {row["label"] for row in rows} == {"exp3", "tsallis-inf"}


def test_searches_are_drawn_too(call, tmp_path):
    path = tmp_path / "samples.pdf"
    game = ("simulate", "track-and-stop", "--trials", 2, "--rounds", 2000, "--quiet")
    assert call(*game, "--plot", path)[0] == 0
    assert path.read_bytes().startswith(b"%PDF")


def test_differences_and_switches_are_shown(call):
    code, text, _ = call(*GAME, "--switches", 2, "--differences", "exp3")
    assert code == 0
    assert "against the best sequence of 4 arms with at most 2 switches" in text
    assert "tsallis-inf - exp3" in text
    code, text, _ = call(*GAME, "--switches", 2, "--differences", "exp3", "--json")
    found = json.loads(text)
    assert found["switches"] == 2
    assert found["differences"][0]["minus"] == "exp3"


BAD = [
    (("--plot", "x.doc"), "must end in one of .pdf, .svg, .png, or in .csv to write the curves."),
    (("--plot", "nowhere/x.pdf"), "--plot is nowhere/x.pdf, but there is no folder nowhere."),
    (("--size", "3x2"), "--size needs --plot."),
    (("--log-axes", "x"), "--log-axes needs --plot."),
    (("--plot", "x.pdf", "--size", "3"), "--size is '3', but must be a width and a height"),
    (("--plot", "x.pdf", "--size", "0.1x3"), "width is 0.1, but must be between 1 and 100."),
    (("--switches", "-1"), "switches is -1, but must be a whole number of at least 0."),
    (("--switches", "1", "--output", "run"), "--switches does not work here: files hold regret"),
    (("--differences", "exp4"), "unknown algorithm or label 'exp4': did you mean 'exp3'?"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=lambda each: " ".join(each)[:30])
def test_bad_options_of_figures_are_refused(arguments, sentence, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, complaint = call(*GAME, *arguments)
    assert code != 0
    assert sentence in complaint
    assert list(tmp_path.iterdir()) == []
