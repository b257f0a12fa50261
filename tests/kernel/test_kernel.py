"""One class, two speeds: nested tuples, arrays, generators, and a disk cache that notices every edit."""

from __future__ import annotations

import copy
import gc
import pickle
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import discreet
from discreet import DiscreetError, kernel
from discreet.algorithms import Setting, algorithms
from discreet.environments import environment
from discreet.kernel import Component, Raw
from discreet.learners.arms.draws import Draw
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player, play


class Inner(Component):
    factor: float
    counts: np.ndarray

    def measure(self, value, rng):
        self.counts[0] += 1
        return self.factor * value + rng.normal()


class Outer(Component):
    inner: Inner
    other: Inner
    table: np.ndarray

    def measure(self, value, rng):
        return self.inner.measure(value, rng) + self.other.measure(self.table[1, 2], rng)


class Allocating(Component):
    size: int

    def measure(self, value, rng):
        return np.full(self.size, value).sum() + rng.random()


def total(component, rounds, rng):
    result = 0.0
    for t in range(rounds):
        result += component.measure(float(t), rng)
    return result


def nested():
    inner = Inner(2.0, np.zeros(1, np.int64)), Inner(-1.0, np.zeros(1, np.int64))
    return Outer(*inner, np.arange(12.0).reshape(3, 4))


def test_nested_tuples_arrays_and_a_generator_agree_at_both_speeds():
    plain, fast = nested(), nested()
    compiled = kernel.compile_for(total, fast)
    assert total(plain, 50, np.random.default_rng(3)) == compiled(fast, 50, np.random.default_rng(3))
    assert plain.inner.counts[0] == fast.inner.counts[0] == 50
    assert plain.other.counts[0] == fast.other.counts[0] == 50


def test_a_component_that_allocates_still_runs():
    component = Allocating(3)
    compiled = kernel.compile_for(total, component)
    expected = total(component, 10, np.random.default_rng(1))
    assert compiled(component, 10, np.random.default_rng(1)) == pytest.approx(expected, rel=1e-12)
    assert compiled.must_allocate


@pytest.mark.parametrize("name", algorithms(Arms))
def test_no_registered_algorithm_allocates_in_its_loop(name):
    private = algorithms()[name].build(Setting(Arms())).private
    game = environment("stochastic", arms=4).deal(0, 10, np.random.default_rng(0))
    player = Player(private, streams(0))
    player.play(game, np.array([10]))
    assert not kernel.compile_for(play, player.private, game, player._held).must_allocate


def test_a_method_name_has_one_list_of_arguments():
    with pytest.raises(DiscreetError, match="takes \\(self, value\\), but a method of that name takes"):

        class Wrong(Component):
            size: int

            def measure(self, value):
                return value


class Growing(Component):
    """A frame: subclasses say by how much."""

    total: Raw[np.ndarray]

    def measure(self, value, rng):
        self.total[0] += self.amount(value)
        return self.total[0]


class Doubling(Growing):
    factor: float = 2.0

    def amount(self, value):
        return self.factor * value


class Twice(Doubling):
    """Inherits everything."""


@pytest.mark.parametrize("kind", [Doubling, Twice])
def test_a_component_inherits_fields_and_methods_at_both_speeds(kind):
    plain, fast = kind(total=np.zeros(1)), kind(total=np.zeros(1))
    compiled = kernel.compile_for(total, fast)
    assert total(plain, 5, np.random.default_rng(0)) == compiled(fast, 5, np.random.default_rng(0)) == 40.0
    assert not compiled.must_allocate
    assert kind._fields == ("total", "factor")
    assert kind._field_defaults == {"factor": 2.0}


def test_raw_fields_are_hidden_and_so_is_what_cannot_be_told():
    class Odd(Component):
        known: float
        secret: Raw[np.ndarray] | None
        odd: NoSuchName  # noqa: F821

    assert repr(Twice(total=np.full(1, 0.123))) == "Twice(total=<hidden>, factor=2.0)"
    assert repr(Odd(1.0, None, 3.0)) == "Odd(known=1.0, secret=<hidden>, odd=<hidden>)"


def test_fields_cannot_be_set_and_defaults_come_last():
    with pytest.raises(AttributeError, match="cannot be set: state lives in arrays"):
        nested().inner = None
    with pytest.raises(DiscreetError, match="fields with a default come last"):

        class Late(Doubling):
            more: float


def test_a_class_that_checks_its_fields_keeps_doing_so_in_subclasses():
    class Checked(Component):
        size: int

        def __new__(cls, size):
            if size < 1:
                raise DiscreetError("size must be at least 1.")
            return cls._make((size,))

    class Sub(Checked):
        pass

    assert Sub(3).size == 3
    for kind in (Checked, Sub):
        with pytest.raises(DiscreetError, match="at least 1"):
            kind(0)


def test_only_what_can_be_compiled_is():
    class Slow(Component):
        compiles = False
        size: int

    assert kernel.compilable(nested())
    assert not kernel.compilable(Slow(1))
    assert not kernel.compilable(Inner(1.0, object()))


def test_plain_tuples_get_their_names_back():
    held = (3, Draw(1, 2.5), (np.arange(2), 7))
    plain = kernel.as_plain(held)
    assert type(plain[1]) is tuple
    assert kernel.with_names(held, plain) == held
    assert type(kernel.with_names(held, plain)[1]) is Draw


def test_copies_have_state_of_their_own():
    one = nested()
    other = kernel.copy(one)
    other.inner.counts[0] = 7
    assert one.inner.counts[0] == 0
    assert [name for name, _ in kernel.arrays(one)] == ["inner.counts", "other.counts", "table"]


PROGRAM = """
import numpy as np
from discreet import Setting, algorithm, kernel
from discreet.problems import Arms
from discreet.environments import environment
from discreet.kernel import Component, Raw
from discreet.learners.arms.draws import Draw
from discreet.randomness import streams
from discreet.simulation.loop import Player
game = environment("stochastic", arms=3).deal(0, 1000, np.random.default_rng(0))
player = Player(algorithm("batched-exp3").build(Setting(Arms(3))).private, streams(1))
loss = player.play(game, np.array([1000]))[0]
stats = [v.stats for d in kernel.compiling._dispatchers.values() for v in d.versions.values()]
hits, misses = (sum(sum(getattr(s, k).values()) for s in stats) for k in ("cache_hits", "cache_misses"))
print(loss, hits, misses)
"""


@pytest.mark.slow
def test_a_second_process_does_not_compile_again(python, tmp_path):
    first = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    second = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first[1:] == ["0", "1"]
    assert second == [first[0], "1", "0"]


@pytest.mark.slow
def test_an_edit_in_any_source_is_seen_at_once(python, tmp_path):
    copy = tmp_path / "src" / "discreet"
    shutil.copytree(Path(discreet.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    here = {"PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = python(PROGRAM, **here).split()
    learner = copy / "learners" / "arms" / "exp3.py"
    text = learner.read_text()
    assert "self.learning_rate * released" in text
    learner.write_text(text.replace("self.learning_rate * released", "50.0 * self.learning_rate * released"))
    after = python(PROGRAM, **here).split()
    assert before[1:] == after[1:] == ["0", "1"], "the edited copy must be compiled anew"
    assert before[0] != after[0], "the edited copy must behave differently"


@pytest.mark.slow
def test_a_user_component_is_cached_by_its_own_source(python, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from discreet.kernel import Component\n"
        "class Mine(Component):\n"
        "    size: int\n"
        "    def only_mine(self, value):\n"
        "        return 1.0 * value\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    program = (
        "import mine; from discreet.kernel import compile_for\n"
        "f = compile_for(mine.run, mine.Mine(1)); found = f(mine.Mine(1), 3.0)\n"
        "print(found, sum(sum(version.stats.cache_hits.values()) for version in f.versions.values()))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0 0"
    assert python(program, **here) == "3.0 1"
    (tmp_path / "mine.py").write_text((tmp_path / "mine.py").read_text().replace("1.0 * value", "2.0 * value"))
    assert python(program, **here) == "6.0 0"


def test_without_a_writable_cache_it_still_runs(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    with pytest.warns(UserWarning, match="is not writable: compiled code will not be kept"):
        root = kernel.compiling.cache_root("")
    assert root.is_dir()


def test_importing_discreet_does_not_import_the_compiler(python):
    assert (
        python("import sys; from discreet import *; print('numba' in sys.modules, 'matplotlib' in sys.modules)")
        == "False False"
    )


@pytest.mark.slow
def test_what_is_compiled_is_what_was_imported_even_if_the_file_changed_since(python, tmp_path):
    copy = tmp_path / "src" / "discreet"
    shutil.copytree(Path(discreet.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    here = {"PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    old = python(PROGRAM, **here).split()[0]
    learner = str(copy / "learners" / "arms" / "exp3.py")
    edit = (
        f"from discreet import *; import pathlib; p = pathlib.Path({learner!r}); t = p.read_text()\n"
        "p.write_text(t.replace('self.learning_rate * released', '50.0 * self.learning_rate * released'))\n"
    )
    during = python(edit + PROGRAM, **here).split()
    after = python(PROGRAM, **here).split()
    assert during[0] == old
    assert after[0] != old
    assert after[1:] == ["0", "1"]


@pytest.mark.slow
def test_a_changed_helper_or_constant_of_another_file_is_seen(python, tmp_path):
    (tmp_path / "tools.py").write_text(
        "from discreet.kernel import helper\nFACTOR = 1.0\n@helper\ndef scaled(x):\n    return 3.0 * x\n"
    )
    (tmp_path / "mine.py").write_text(
        "from discreet.kernel import Component\n"
        "from tools import FACTOR, scaled\n"
        "class Mine(Component):\n"
        "    size: int\n"
        "    def only_mine(self, value):\n"
        "        return FACTOR * scaled(value)\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    program = (
        "import mine; from discreet.kernel import compile_for as c; print(c(mine.run, mine.Mine(1))(mine.Mine(1), 1.0))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0"
    (tmp_path / "tools.py").write_text((tmp_path / "tools.py").read_text().replace("3.0 * x", "50.0 * x"))
    assert python(program, **here) == "50.0"
    (tmp_path / "tools.py").write_text((tmp_path / "tools.py").read_text().replace("FACTOR = 1.0", "FACTOR = 20.0"))
    assert python(program, **here) == "1000.0"


@pytest.mark.slow
def test_two_fields_that_change_places_are_seen(python, tmp_path):
    """Numba's own key has the types of fields, not their names: both orders have the same."""
    text = (
        "from discreet.kernel import Component\n"
        "class Mine(Component):\n"
        "    first: float\n"
        "    second: float\n"
        "    def only_mine(self, value):\n"
        "        return self.first * value\n"
        "def run(component, value):\n"
        "    return component.only_mine(value)\n"
    )
    (tmp_path / "mine.py").write_text(text)
    program = (
        "import mine; from discreet.kernel import compile_for as c\n"
        "it = mine.Mine(first=3.0, second=300.0); print(c(mine.run, it)(it, 1.0), it.only_mine(1.0))"
    )
    here = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert python(program, **here) == "3.0 3.0"
    (tmp_path / "mine.py").write_text(
        text.replace("first: float", "x").replace("second", "first").replace("x\n", "second: float\n", 1)
    )
    assert python(program, **here) == "3.0 3.0"


class Alone(Component):
    """Has no twin once it has counted."""

    counts: np.ndarray

    def _check_copy(self):
        if self.counts[0] > 0:
            raise DiscreetError("it has counted, and must have no twin.")


class Holding(Component):
    part: Alone


def test_a_component_that_must_have_no_twin_is_asked_before_every_kind_of_copy():
    alone = Alone(np.zeros(1, np.int64))
    ways = [
        copy.copy,
        copy.deepcopy,
        kernel.copy,
        lambda each: each._replace(),
        *(partial(pickle.dumps, protocol=protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
    ]
    for way in ways:
        way(alone)
    alone.counts[0] = 1
    for way in ways:
        with pytest.raises(DiscreetError, match="must have no twin"):
            way(alone)
    for way in (copy.deepcopy, kernel.copy, pickle.dumps):
        with pytest.raises(DiscreetError, match="must have no twin"):
            way(Holding(alone))


def test_a_field_that_is_not_there_cannot_be_replaced():
    with pytest.raises(ValueError, match="Alone has no field 'count'"):
        Alone(np.zeros(1))._replace(count=3)


@kernel.compiled_as(lambda value: value + 1.0)
def one_more(value):
    return [value, 1.0].pop() + float(str(value))


class Stepping(Component):
    start: float

    def measure(self, value, rng):
        return one_more(self.start) + value


def test_a_function_that_cannot_be_compiled_has_a_stand_in():
    rng = np.random.default_rng(0)
    component = Stepping(2.0)
    assert total(component, 3, rng) == kernel.compile_for(total, component)(component, 3, rng) == 12.0


def test_a_class_is_made_whole_while_garbage_is_collected():
    """The model of a component is itself a class, and a class that nobody holds is taken apart."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        made = [type(f"Made{k}", (Component,), {"__annotations__": {"size": "int"}}) for k in range(50)]
    finally:
        gc.set_threshold(*before)
    assert [kind(3).size for kind in made] == [3] * 50
