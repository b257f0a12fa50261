"""The help of commands: examples, sections, and parameters of problems."""

from __future__ import annotations

from dataclasses import fields

import pytest

from discreet.cli.commands import BUILT_IN, cli
from discreet.cli.options import known_problems


@pytest.mark.parametrize("command", sorted({*BUILT_IN, *cli.commands}))
def test_help_shows_an_example_that_works(call, command):
    code, text, _ = call(command, "--help")
    assert code == 0
    assert "Example:" in text


def test_help_of_stress_has_the_sections_of_simulate(call):
    text = call("stress", "--help")[1]
    places = [
        text.index(part)
        for part in (
            *("Game:", "--arms", "--rounds", "--set", "Privacy:", "--epsilon", "--delta", "Run:"),
            *("--tries", "--trials", "--seed", "Output:", "--losses FILE", "--quiet", "--json"),
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("flag", ["--loss-set", "--loss_set"])
def test_a_parameter_has_a_hyphen_and_its_name_in_python_is_accepted(call, flag):
    assert "--loss-set TEXT " in call("simulate", "--help")[1]
    assert "--loss_set" not in call("simulate", "--help")[1]
    words = ("--domain", "k-sets(4,2)", "--rounds", "100", flag, "ball")
    code, text, _ = call("describe", "private-ftrl-set", *words)
    assert code == 0
    assert "2-norm of a loss vector is at most high" in " ".join(text.split())


def test_a_description_says_what_parameters_are(call):
    text = call("describe", "joint-linucb")[1]
    assert text.count("\n  noise ") == 1
    assert "\n  running sum " in text
    assert "(of confidence bounds at the last fit)" in text


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize("command", ["simulate", "describe", "audit"])
def test_help_gives_a_parameter_the_meaning_that_it_has_in_each_problem(
    call, command, width, monkeypatch
):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call(command, "--help")[1].splitlines()
    assert max(map(len, lines)) <= width
    heads = [line for line in lines if line.endswith("):")]
    alone = {
        "Best-arm search:",
        "Semi-bandit:",
    }  # headings that would repeat themselves in brackets
    assert alone < set(lines)
    assert len(heads) + len(alone) == len(known_problems())
    text = " ".join("\n".join(lines).split())
    for problem in known_problems():
        for each in fields(problem):
            default = "none" if each.default == "" else each.default
            assert f"{each.metadata['help']} [default: {default}]" in text
    assert text.count("--dimension INTEGER") == 2
    assert text.count("--arms INTEGER") == 4
