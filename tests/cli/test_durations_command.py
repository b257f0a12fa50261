"""discreet audit --durations: a live run of any algorithm; fields are tested, not times."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from discreet import Bandit, DiscreetError, list_algorithms
from discreet.auditing import DurationAudit
from discreet.auditing.durations import neighbours_of
from discreet.cli.durations import live_client, show_durations
from discreet.problems import Contexts
from discreet.problems.base import Problem

TRIALS = ("--trials", "200")


@pytest.mark.long
def test_it_reports_what_a_duration_shows(call):
    code, text, _ = call("audit", "--durations", "batched-exp3", *TRIALS)
    assert code == 0
    facts = {line.split()[0]: line for line in text.splitlines()[2:] if line.startswith("  ")}
    assert set(facts) >= {"found", "attack", "medians", "trials", "verdict"}
    assert text.startswith("batched-exp3: EXP3 on noisy means of batches")
    assert "epsilon at least" in facts["found"]
    assert "99 % confidence" in text
    assert facts["verdict"].endswith(": the limit is 0.05")


@pytest.mark.long
def test_json_has_every_field(call):
    words = ("--json", "--confidence", "0.9", "--seed", "3", "--rounds", "500", "--arms", "2")
    code, text, _ = call("audit", "--durations", "one-bit-tsallis-inf", *TRIALS, *words)
    found = json.loads(text)
    assert code == 0
    assert found["name"] == "Bandit with one-bit-tsallis-inf"
    assert (found["seed"], found["confidence"], found["limit"]) == (3, 0.9, 0.05)
    assert found["leaks"] is (found["lower_bound"] > 0.05)
    assert 30 <= found["trials"] <= 200
    assert 0.0 <= found["lower_bound"] <= found["reach"]
    assert len(found["medians"]) == 2


@pytest.mark.long
def test_a_leak_is_exit_code_1_if_asked_for(call, monkeypatch):
    words = ("audit", "--durations", "batched-exp3", *TRIALS)
    monkeypatch.setattr("discreet.auditing.durations.DurationAudit.leaks", True)
    assert call(*words)[0] == 0
    code, text, _ = call(*words, "--check")
    assert code == 1
    assert "LEAKS: the limit is 0.05" in text


def test_left_out_trials_and_the_attack_are_in_words(capsys):
    found = DurationAudit(
        name="Bandit",
        lower_bound=0.0,
        reach=3.0,
        confidence=0.99,
        trials=228,
        left_out=272,
        attack="its tell",
        medians=(1.0, 2.0),
        seed=1,
        seconds=1.0,
    )
    show_durations("guarded-ucb", found)
    text = " ".join(capsys.readouterr().out.split())
    assert "trials 228 with each of two neighbouring inputs; 272 more left out, because th" in text
    assert found.as_dict()["left_out"] == 272
    show_durations("guarded-ucb", replace(found, left_out=0))
    assert "left out" not in capsys.readouterr().out
    each = next(neighbours_of(Bandit(arms=2, horizon=900, epsilon=1.0), None))
    assert each.text == "the first outcome of a batch is the upper or the lower end of the range"


LIVE = [
    name for name, known in list_algorithms().items() if not isinstance(known.problem, Contexts)
]
REASONS = ("sampling", "bound is", "delta", "curvature", "smooth", "cannot be used live")


@pytest.mark.parametrize("name", LIVE)
def test_every_algorithm_has_a_live_run_or_says_why_not(name):
    known = list_algorithms()[name]
    problem = known.problem_with(**known.problem.for_audit()[0].parameters())
    terms = {"horizon": 10_000, "epsilon": 1.0, "delta": 1e-6}
    try:
        found = live_client(name, problem, terms).algorithm
    except DiscreetError as refusal:
        found = str(refusal)
    refused = found.endswith(".") and any(word in found for word in REASONS)
    assert found == name or refused, found


def test_problems_without_a_live_run_say_so():
    class Other(Problem):
        title = "another problem"

        def parameters(self):
            return {}

    for problem, title in ((Contexts(2, 2), "contextual bandit"), (Other(), "another problem")):
        with pytest.raises(DiscreetError, match=rf"x has no live run \({title}\), so there are no"):
            live_client("x", problem, {})
