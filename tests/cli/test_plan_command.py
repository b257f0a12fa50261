"""discreet plan: from the options to the text, to JSON, to files, and again."""

from __future__ import annotations

import json
import shlex

import pytest

from discreet.cli import main

ASKED = shlex.split(
    "--arms 3 --rounds 400 --high 10 --difference 3 --spread 2 --epsilon 0.1 --epsilon 2 --trials 8"
)


@pytest.fixture
def call(capsys):
    """Run a command and return its exit code, output and error output."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["plan", *map(str, arguments)])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.mark.long
def test_a_plan_is_printed_written_and_repeated(call, tmp_path):
    code, text, progress = call(*ASKED, "--output", tmp_path / "new")
    assert code == 0
    assert "With 400 rounds, epsilon 0.1 " in text
    assert text.endswith("plan.json, plan.txt, plan.png\n")
    assert "smallest number of rounds" in progress
    saved = tmp_path / "new" / "plan.json"
    code, again, _ = call("--repeat", saved, "--quiet", "--workers", 1)
    assert code == 0
    assert again.endswith(f"The figures are the same as in {saved}.\n")
    assert again.split("\n\nThe figures")[0] == text.split("\n\nWritten")[0]


@pytest.mark.slow
def test_a_plan_with_other_figures_is_told_apart(call, tmp_path):
    code, printed, _ = call(
        *shlex.split("--arms 3 --rounds 50 --difference 0.4 --epsilon 5 --trials 8 --json --quiet")
    )
    facts = json.loads(printed)
    facts["figures"]["recommended"] = "exp3"
    saved = tmp_path / "plan.json"
    saved.write_text(json.dumps(facts))
    code, printed, complaint = call("--repeat", saved, "--quiet", "--json")
    assert code == 1
    assert json.loads(printed)["figures"]["recommended"] != "exp3"
    assert complaint.startswith(
        f"The figures differ from those in {saved}, which was made by discreet "
    )


@pytest.mark.long
def test_a_file_of_past_outcomes_is_planned_with(call, tmp_path):
    path = tmp_path / "past.csv"
    path.write_text(
        "text,clicked\n"
        + "\n".join(f"{'AB'[i % 2]},{int(i % 10 < 5 * (i % 2))}" for i in range(60))
    )
    columns = ["--arm-column", "text", "--outcome-column", "clicked"]
    code, printed, _ = call(
        "--outcomes", path, *columns, "--rounds", 200, "--epsilon", 1, "--trials", 8, "--json"
    )
    facts = json.loads(printed)
    assert code == 0
    assert facts["question"]["arms"] == 2
    assert facts["question"]["outcomes"]["labels"] == ["A", "B"]
    assert f"from the past outcomes in {path}" in facts["model"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "--rounds is missing: give the number of decisions."),
        (["--rounds", "100"], "--arms is missing: give the number of options to choose from."),
        (
            ["--rounds", "100", "--arms", "3"],
            "--difference is missing: give the smallest difference between the best arm",
        ),
        (
            ["--rounds", "many", "--arms", "3"],
            "Invalid value for '--rounds': 'many' is not a valid integer.",
        ),
        (
            [*ASKED, "--better", "x"],
            "Invalid value for '--better': 'x' is not one of 'higher', 'lower'.",
        ),
        (
            [*ASKED, "--experts", "3"],
            "--experts is 3, but the value of advice depends on what the experts say",
        ),
        (
            [*ASKED, "--outcomes", "nothing.csv"],
            "--outcomes is 'nothing.csv', but there is no file: past outcomes come from a CSV",
        ),
        (
            ["--repeat", "nothing.json"],
            "cannot read or write nothing.json: no such file or directory.",
        ),
        (
            ["--repeat", "x.json", "--rounds-per-user", "2"],
            "--rounds-per-user is given, but so is --repeat, which takes it",
        ),
        (
            ["--repeat", "pyproject.toml"],
            "pyproject.toml is not a plan.json that discreet plan wrote.",
        ),
    ],
)
def test_bad_input_gets_one_sentence_and_writes_nothing(
    call, arguments, sentence, root, tmp_path, monkeypatch
):
    monkeypatch.chdir(root)
    code, text, complaint = call(*arguments, "--output", tmp_path / "new")
    assert (code, text) == (2, "")
    assert complaint.startswith(f"discreet: {sentence}")
    assert complaint.count("\n") == 1
    assert not list(tmp_path.iterdir())
