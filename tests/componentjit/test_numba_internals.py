"""Without what Numba does not promise to keep, loops run as before, with the same numbers."""

import pytest

PROGRAM = """
import numpy as np
import numba.core.options
from componentjit import Component, compile_for, compiling
{missing}

class Walker(Component):
    place: np.ndarray
    def step(self, rng):
        self.place[0] += rng.random() - 0.5
        return self.place[0]

def walk(walker, steps, rng):
    found = 0.0
    for _ in range(steps):
        found += walker.step(rng)
    return found

plain, fast = Walker(np.zeros(1)), Walker(np.zeros(1))
run = compile_for(walk, fast)
found = run(fast, 9, np.random.default_rng(3))
print(found == walk(plain, 9, np.random.default_rng(3)), run.must_allocate)
"""
# Numba needs most of it itself, so it only seems to be gone.
GONE = {
    "nothing": ("", "True False"),
    "reference counting": ("del numba.core.options.DefaultOptions._nrt", "True True"),
    "generators": ("compiling.pass_generators_by_address = lambda: None", "True False"),
    "methods": ("compiling.resolve_methods_by_class = lambda *_: None", "True False"),
    "flags": ("compiling.compare_flags_quickly = lambda: None", "True False"),
    "entry points": ("compiling.entry_point = lambda version, _: version", "True False"),
}


@pytest.mark.slow
@pytest.mark.parametrize("missing", GONE)
def test_loops_run_all_the_same(python, tmp_path, missing):
    change, printed = GONE[missing]
    path = tmp_path / "walking.py"  # inlining reads the source
    path.write_text(PROGRAM.format(missing=change))
    assert python(f"import runpy; runpy.run_path({str(path)!r})") == printed


def test_flags_are_compared_as_by_numba(python):
    program = """
from numba.core.compiler import Flags
from componentjit.numba_internals import compare_flags_quickly

def compared():
    kinds = [Flags() for _ in range(4)]
    kinds[1].nrt, kinds[2].nrt, kinds[3].boundscheck = True, False, True  # False is the default
    return [[one == other for other in kinds] for one in kinds], {hash(one) for one in kinds}

before = compared()
compare_flags_quickly()
found, hashes = compared()
print(before[0] == found, before[1] == hashes, len(hashes), found[0], Flags() == 1)
"""
    assert python(program) == "True True 1 [True, False, True, False] False"
