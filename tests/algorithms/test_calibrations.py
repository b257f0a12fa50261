"""Calibrations: other builds of a named algorithm, registered by a plugin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discreet import DiscreetError, Guarantee, Setting, algorithm, audit, list_algorithms
from discreet.algorithms import Instance, register_calibration
from discreet.algorithms.registry import _calibrations
from discreet.problems import Arms

SETTING = Setting(Arms(3), rounds=1000, epsilon=0.5)


def careful(setting: Setting[Arms], *, batch_size: int = 10, care: float = 2.0) -> Instance:
    found = algorithm("batched-exp3").build(setting, batch_size=int(batch_size * care))
    claim = Guarantee(
        epsilon=0.01, delta=0.0, model="central", status="proved", source="a careless author"
    )
    return replace(found, claim=claim)


@pytest.fixture
def registered():
    list_algorithms()  # so that the plugins are there before
    register_calibration("batched-exp3", "careful")(careful)
    yield
    del _calibrations["batched-exp3"]["careful"]


@pytest.mark.usefixtures("registered")
def test_a_registered_calibration_is_an_option_of_its_algorithm():
    known = algorithm("batched-exp3")
    choice = known.options["calibration"]
    assert choice.choices == ("tight", "paper", "careful")
    assert choice.default == "tight"
    assert next(iter(known.options)) == "calibration"
    assert "care" in known.options, "and so are its own options"
    found = known.build(SETTING, calibration="careful", care=3.0)
    assert found.parameters["batch_size"] == 30
    assert known.build(SETTING, calibration="tight").parameters["batch_size"] == 4


@pytest.mark.usefixtures("registered")
def test_what_is_audited_is_the_claim_of_the_calibration():
    found = audit("batched-exp3", setting=SETTING, calibration="careful", trials=20_000)
    assert found.claimed.source == "a careless author"
    assert found.violated
    assert audit("batched-exp3", setting=SETTING, trials=1000).claimed.epsilon == 0.5


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"calibration": "loose"}, "calibration is 'loose', but must be one of tight, paper, care"),
        (
            {"calibration": "careful", "mixing": 0.1},
            "mixing is 0.1, but calibration='careful' has no such option",
        ),
        ({"care": 3.0}, "care is 3.0, but calibration='tight' has no such option"),
        ({"calibration": "careful", "cares": 3.0}, "unknown option 'cares' of batched-exp3"),
    ],
)
def test_options_that_a_calibration_lacks_are_refused(options, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        algorithm("batched-exp3").build(SETTING, **options)


@pytest.mark.usefixtures("registered")
def test_options_with_their_usual_values_are_not_in_the_way():
    found = algorithm("batched-exp3").build(SETTING, calibration="careful", mixing=None)
    assert found.parameters["batch_size"] == 20


@pytest.mark.usefixtures("registered")
def test_a_name_is_taken_once():
    def other(setting: Setting[Arms]) -> Instance:
        return careful(setting)

    register_calibration("batched-exp3", "careful")(careful)  # a module that is loaded again
    with pytest.raises(DiscreetError, match="batched-exp3 has a calibration of that name already"):
        register_calibration("batched-exp3", "careful")(other)
    with pytest.raises(DiscreetError, match="calibration is 'tight', but batched-exp3 has"):
        register_calibration("batched-exp3", "tight")(other)
    with pytest.raises(DiscreetError, match="unknown algorithm 'batched-exp'"):
        register_calibration("batched-exp", "other")(other)


def test_an_algorithm_with_one_calibration_has_no_such_option():
    assert "calibration" not in algorithm("uniform").options
    with pytest.raises(DiscreetError, match="unknown option 'calibration' of uniform"):
        algorithm("uniform").build(calibration="paper")


def test_python_finds_calibrations_of_plugins_without_an_import(python):
    program = """
import sys
from discreet import algorithm
found = algorithm("batched-exp3")
assert "discreet_papers" not in sys.modules, "what discreet has itself needs no plugin"
found.build(batch_size=3)
assert "discreet_papers" not in sys.modules
print(found.build(calibration="paper").claim.source)
"""
    assert python(program).strip() == "Asi et al. 2025"


def test_a_plugin_may_look_up_names_while_it_is_loaded(python, tmp_path):
    plugin = tmp_path / "curious.py"
    plugin.write_text("""
import discreet
from discreet.algorithms import register_calibration
names = len(discreet.list_algorithms())
options = discreet.algorithm("batched-exp3").options

@register_calibration("ucb", "curious")
def curious(setting, *, width: float = 1.0):
    return discreet.algorithm("ucb").build(setting, exploration=width)
""")
    program = """
from discreet import algorithm
known = algorithm("ucb")
print(*known.options, known.build(calibration="curious", width=3.0).parameters)
"""
    found = python(program, DISCREET_PLUGINS=str(plugin))
    assert found.strip() == "calibration exploration noise width {'exploration': 3.0}"
