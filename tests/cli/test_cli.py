"""The command line, as a program would be called: lists, descriptions, help and bad input."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from types import ModuleType

import pytest
from common import ROOT

from discreet import list_algorithms
from discreet.cli.commands import BUILT_IN
from discreet.environments import environment_names
from discreet.problems import Contexts, Functions


def test_list_names_every_algorithm(call):
    code, text, _ = call("list")
    assert code == 0
    assert all(name in text for name in list_algorithms())
    rows = json.loads(call("list", "--json")[1])
    assert {row["name"] for row in rows} == set(list_algorithms())
    assert set(rows[0]) == {"name", "title", "problem", "feedback", "model", "status", "paper"}


def test_list_names_every_environment_with_its_options(call):
    code, text, _ = call("list", "--environments")
    assert code == 0
    assert all(name in text for name in environment_names())
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert "(--domain 'k-sets(10,3)'; options: gap=0.4)" in words
    assert "(options: gap, means, spread)" in words
    assert "is_table" not in text
    rows = {row["name"]: row for row in json.loads(call("list", "--environments", "--json")[1])}
    assert rows["completion"]["usual"] == {"domain": "nuclear(3,3)", "lipschitz": 1.5}
    assert rows["completion"]["options"] == {"scatter": 0.5}


@pytest.mark.parametrize("name", list_algorithms())
def test_describe_tells_everything(call, name):
    code, text, _ = call(
        "describe", name, "--json", "--epsilon", 0.5, "--set", "low=-1", "--set", "high=1"
    )
    assert code == 0
    facts = json.loads(text)
    assert facts["name"] == name
    assert set(facts["guarantee"]) - {"caveat", "curve", "datum", "seen"} == {
        "epsilon",
        "delta",
        "model",
        "unit",
        "rounds_per_user",
        "status",
        "source",
    }
    assert {"noise", "parameters", "regret_bound", "citation"} <= set(facts)
    if facts["noise"]:
        (noise,) = facts["noise"]
        assert "laplace" in noise["kind"] or noise["kind"] in (
            "randomised response",
            "randomised bit",
            "cap",
        )
        of_vectors = isinstance(list_algorithms()[name].problem, Functions | Contexts)
        has_scale = "laplace" in noise["kind"]
        if (
            "sums" not in facts["parameters"]
            and "batched-exp4" not in name
            and has_scale
            and not of_vectors
        ):
            assert noise["scale"] == pytest.approx(
                2.0 / (0.5 * facts["parameters"].get("batch_size", 1))
            )
        assert facts["guarantee"]["epsilon"] == 0.5
    code, text, _ = call("describe", name)
    assert code == 0
    assert "guarantee" in text
    assert list_algorithms()[name].problem.score in text


def test_describe_takes_options(call):
    facts = json.loads(
        call("describe", "batched-exp3", "--json", "--set", "batch_size=10", "--epsilon", 0.1)[1]
    )
    assert facts["parameters"]["batch_size"] == 10
    assert facts["noise"] == [{"kind": "laplace", "scale": pytest.approx(1.0)}]


def test_list_is_grouped_by_problem_and_fits_a_terminal(call):
    lines = call("list")[1].splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line and not line.startswith((" ", "Second"))]
    assert len(heads) == len(set(heads)) == 10
    assert heads[0] == "adversarial bandit (feedback: loss of the played arm)"
    assert any(line.split()[:2] == ["batched-exp3", "central"] for line in lines)
    assert any(line.split()[:2] == ["exp3", "-"] for line in lines)


def test_describe_says_what_is_not_used(call):
    assert (
        "delta 1e-06 (not used: the guarantee is pure)"
        in call("describe", "batched-exp3", "--delta", 1e-6)[1]
    )
    assert "epsilon 1 and delta 0 (neither is used)" in call("describe", "exp3")[1]
    gaussian = call("describe", "private-ftrl-experts", "--delta", 1e-6)[1]
    assert "not used" not in gaussian
    facts = [
        json.loads(call("describe", name, "--delta", 1e-6, "--json")[1])
        for name in ("exp3", "private-ftrl-ball")
    ]
    assert [each["uses_delta"] for each in facts] == [False, True]
    blind = call("describe", "batched-exp3", "--epsilon", 0.0001)[1]
    assert "(vacuous: uniform play has regret 75,000)" in " ".join(blind.split())


@pytest.mark.parametrize("name", list_algorithms())
def test_describe_plain_is_one_paragraph_with_the_right_numbers(call, name):
    code, text, _ = call("describe", name, "--plain", "--epsilon", 0.5, "--delta", 1e-6)
    assert code == 0
    assert max(map(len, text.splitlines())) <= 80
    assert "\n\n" not in text
    words = " ".join(text.split())
    guarantee = json.loads(call("describe", name, "--json", "--epsilon", 0.5, "--delta", 1e-6)[1])[
        "guarantee"
    ]
    if guarantee["status"] == "none":
        assert "has no privacy protection" in words
        return
    assert "e^" not in words
    assert guarantee["model"] in words
    if guarantee["epsilon"] > 0.0:
        factor = float(re.search(r"at most ([\d.]+) times more or less likely", words)[1])
        assert math.exp(guarantee["epsilon"]) <= factor <= 1.01 * math.exp(guarantee["epsilon"])
        assert ("plus a probability of at most" in words) == (guarantee["delta"] > 0.0)
        assert ("at most 62.3 % sure of either" in words) == (guarantee["delta"] == 0.0)
    else:
        assert "Nothing that an observer sees depends on any outcome" in words


def test_the_glossary_explains_every_word_and_is_the_document(call, tmp_path):
    code, text, _ = call("glossary")
    assert code == 0
    for word in ("regret", "central", "e^1 times as likely", "delta", "differential privacy"):
        assert f"{word}\n" in text
    assert call("glossary", "central", "model")[1].startswith("central\n")
    assert call("glossary", "Regrets")[1].startswith("regret\n")
    assert "2.72 times as likely" in " ".join(call("glossary", "e^1")[1].split())
    call("glossary", "--output", tmp_path / "glossary.md")
    assert (tmp_path / "glossary.md").read_text() == (ROOT / "docs" / "glossary.md").read_text()


def test_without_arguments_the_help_is_shown(call):
    code, text, _ = call()
    assert code == 0
    assert "Commands:" in text


@pytest.mark.slow
def test_reproduce_writes_its_files(call, tmp_path):
    target = tmp_path / "figure"
    code, text, _ = call(
        "reproduce", "faster-rates-figure-1", "--rounds", 20_000, "--output", target, "--quiet"
    )
    assert code == 0
    assert "Written to" in text
    assert sorted(path.name for path in target.iterdir()) == [
        "faster-rates-figure-1-curves.csv",
        "faster-rates-figure-1.csv",
        "faster-rates-figure-1.png",
    ]


BAD = [
    (("simulat", "exp3"), "unknown command 'simulat': did you mean 'simulate'?"),
    (("describe", "exp33"), "unknown algorithm 'exp33': did you mean 'exp3'?"),
    (("describe", "exp3", "--arms", 1), "arms is 1, but must be a whole number of at least 2."),
    (("describe", "exp3", "--rounds", 1), "rounds is 1, but must be a whole number of at least 2."),
    (
        ("describe", "batched-exp3", "--epsilon", 0),
        "epsilon is 0.0, but must be a finite number above 0.",
    ),
    (
        ("describe", "batched-exp3", "--epsilon", "nan"),
        "epsilon is nan, but must be a finite number above 0.",
    ),
    (("describe", "batched-exp3", "--epsilon", "x"), "'--epsilon': 'x' is not a valid float."),
    (("describe", "batched-exp3", "--delta", 2), "delta is 2.0, but must be between 0 and 1."),
    (
        ("describe", "batched-exp3", "--set", "batch_size=0"),
        "batch_size is 0, but must be a whole number of at least 1.",
    ),
    (
        ("describe", "batched-exp3", "--set", "batch_size=x"),
        "batch_size is 'x', but must be a whole number.",
    ),
    (("describe", "batched-exp3", "--set", "batchsize=3"), "did you mean 'batch_size'?"),
    (
        ("describe", "exp3", "--set", "learning_rate=-1"),
        "learning_rate is -1.0, but must be a finite number above 0.",
    ),
    (("describe", "exp3", "--set", "mixing"), "--set is 'mixing', but must look like key=value."),
    (("describe", "exp3", "--set", "low=a"), "low is 'a', but must be a number."),
    (("describe", "exp3", "--set", "low=1"), "low must be below high."),
    (("describe", "exp3", "--set", "low=0", "--set", "low=0"), "--set gives low twice."),
    (
        ("describe", "tsallis-inf", "--set", "estimator=best"),
        "must be one of importance-weighted, reduced-variance.",
    ),
    (("simulate",), "Missing argument 'NAME...'"),
    (("simulate", "exp3", "--trials", 0), "trials is 0, but must be a whole number of at least 1."),
    (("simulate", "exp3", "--arms", 1), "arms is 1, but must be a whole number of at least 2."),
    (("simulate", "exp3", "--rounds", 1), "rounds is 1, but must be a whole number of at least 2."),
    (
        ("simulate", "exp3", "--workers", 0),
        "workers is 0, but must be a whole number of at least 1.",
    ),
    (
        ("simulate", "batched-exp3", "--epsilon", -1),
        "epsilon is -1.0, but must be a finite number above 0.",
    ),
    (("simulate", "exp3", "--environment", "stochastik"), "did you mean 'stochastic'?"),
    (("simulate", "exp3", "--environment", "table"), "environment 'table' needs a file of losses"),
    (
        ("simulate", "exp3", "--environment", "table", "--losses", "none.csv"),
        "none.csv is not a file",
    ),
    (("simulate", "exp3", "--set", "batch_size=3"), "unknown option 'batch_size'"),
    (
        ("simulate", "exp3", "--output", "/proc/nothing/here"),
        "/proc/nothing/here cannot be created",
    ),
    (("simulate", "exp3", "--frobnicate"), "No such option"),
    (("completion", "tcsh"), "'tcsh' is not one of"),
    (("reproduce", "tossou"), "Missing option '--output'"),
    (("reproduce", "tossou-figure", "--output", "x"), "did you mean 'tossou-figure-1'?"),
    (
        ("reproduce", "price-of-privacy", "--output", "x", "--trials", 0),
        "trials is 0, but must be a whole number",
    ),
    (("completion",), "Missing argument"),
    (("describe", "batched-exp3", "--epsilon", "1e-300"), "epsilon is 1e-300, but must be between"),
    (("describe", "batched-exp3", "--rounds", "9" * 370), "which is too large: at most"),
    (
        ("describe", "exp3", "--arms", 10**11),
        "arms is 100000000000, which is too large: at most 10,000,000",
    ),
    (("simulate", "exp3", "--rounds", 10**26), "which is too large: at most"),
    (("simulate", "exp3", "--output", "x" * 300), "cannot be created: file name too long"),
    (("simulate", "exp3", "--output", "Makefile/x"), "Makefile/x cannot be created"),
    (("simulate", "exp3", "--output", "Makefile", "--overwrite"), "Makefile exists already"),
]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    BAD,
    ids=lambda value: "" if isinstance(value, str) else " ".join(map(str, value)),
)
def test_bad_input_gets_one_sentence_and_exit_code_2(call, arguments, sentence):
    code, text, complaint = call(*arguments)
    assert code == 2
    assert text == ""
    assert sentence in complaint
    assert complaint.startswith("discreet: ")
    assert complaint.count("\n") == 1
    assert "Traceback" not in complaint


def test_the_summaries_of_commands_are_known_without_importing_them(python):
    program = "import sys; from discreet.cli import run; run(['--help'])\n"
    program += "print([m for m in sys.modules if m.startswith('discreet.') and m.count('.') > 1])"
    *text, modules = python(program).splitlines()
    assert {*BUILT_IN, "completion", "reproduce"} <= {(line.split() or [""])[0] for line in text}
    assert modules == "['discreet.cli.interrupts', 'discreet.cli.naming', 'discreet.cli.commands']"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(call, shell):
    code, text, _ = call("completion", shell)
    assert code == 0
    assert "_DISCREET_COMPLETE" in text


def complete(*words):
    environment = os.environ | {
        "_DISCREET_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    program = "from discreet.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return [line.split(",")[1] for line in done.stdout.split()]


@pytest.mark.slow
def test_the_shell_completes_commands_algorithms_and_environments():
    assert "simulate" in complete("discreet", "sim")
    assert complete("discreet", "describe", "batched-ts") == ["batched-tsallis-inf"]
    assert complete("discreet", "simulate", "exp3", "--environment", "sto") == ["stochastic"]


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["pyarrow", "matplotlib"])
def test_without_the_output_extra_one_sentence_says_how_to_get_it(missing, tmp_path):
    program = f"import sys; sys.modules[{missing!r}] = None; from discreet.cli import main; main()"
    arguments = ["simulate", "exp3", "--rounds", "100", "--output", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'discreet[output]'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_warm_compiles_ahead(call, tmp_path, monkeypatch):
    """Another process finds in the cache what was compiled: nothing is compiled there."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code, text, _ = call("warm", "uniform", "--quiet", "--workers", 1)
    assert code == 0
    assert re.match(
        r"1 algorithm compiled in \d+\.\d s \(uniform took longest, \d+\.\d s\); cached in "
        r".*componentjit\.\n$",
        text,
    )
    watched = "from discreet import simulate; from componentjit import watching; "
    watched += "seen = []; "
    watched += (
        "watching._compiling = type('Seen', (dict,), {'__setitem__': lambda s, k, v: "
        "seen.append(v)})(); "
    )
    watched += "simulate('uniform', trials=1, workers=1); print(seen)"
    done = subprocess.run(
        [sys.executable, "-c", watched], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_module_is_a_module_and_every_public_name_is_known_to_type_checkers():
    import lazy_loader

    import discreet
    import discreet.algorithms as module

    assert type(discreet) is type(module) is ModuleType
    _, _, declared = lazy_loader.attach_stub("discreet", discreet.__file__)
    assert {*declared, "__version__"} == set(discreet.__all__)
    assert set(discreet.__all__) <= set(dir(discreet))
    for name in ("plot", "algorithms", "checks"):
        assert type(vars(discreet).get(name) or discreet.__getattr__(name)) is ModuleType
    with pytest.raises(AttributeError, match="nothing_like_this"):
        discreet.nothing_like_this  # noqa: B018
