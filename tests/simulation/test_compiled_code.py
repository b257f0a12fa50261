"""Our algorithms, compiled: kept on disk, without allocating, with errors that name numbers."""

from __future__ import annotations

import functools
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

import componentjit
import discreet
from componentjit import ComponentError
from discreet import Private
from discreet.algorithms import Setting, list_algorithms
from discreet.channels import Open
from discreet.contracts import Learner
from discreet.environments import Stochastic, environment
from discreet.learners.arms.draws import Draw
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation.backends import run_trials
from discreet.simulation.loop import Player, play
from discreet.simulation.side_by_side import lanes_of
from discreet.simulation.trial import run_trial

PROGRAM = """
import numpy as np
import componentjit
from discreet import Setting, algorithm
from discreet.problems import Arms
from discreet.environments import environment
from discreet.randomness import streams
from discreet.simulation.loop import Player
game = environment("stochastic", arms=3).deal(0, 1000, np.random.default_rng(0))
player = Player(algorithm("exp3").build(Setting(Arms(3))).private, streams(1))
loss = player.play(game, np.array([1000]))[0]
stats = [v.stats for d in componentjit.compiling._dispatchers.values() for v in d.versions.values()]
counts = ("cache_hits", "cache_misses")
hits, misses = (sum(sum(getattr(s, k).values()) for s in stats) for k in counts)
print(loss, hits, misses)
"""


@pytest.mark.long
def test_a_second_process_does_not_compile_again(python, tmp_path):
    first = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    second = python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first[1:] == ["0", "1"]
    assert second == [first[0], "1", "0"]


def test_importing_discreet_does_not_import_the_compiler(python):
    program = (
        "import sys; from discreet import *; print('numba' in sys.modules, 'matplotlib' in "
        "sys.modules)"
    )
    assert python(program) == "False False"


@pytest.mark.long
def test_an_edit_of_any_source_is_seen_by_the_next_process_and_by_none_that_had_imported_it(
    python, tmp_path
):
    copy = tmp_path / "src" / "discreet"
    for package in (componentjit, discreet):
        folder = Path(package.__file__).parent
        shutil.copytree(folder, copy.parent / folder.name)
    here = {"PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    old, *compiled = python(PROGRAM, **here).split()
    learner = str(copy / "learners" / "arms" / "exp3.py")
    edit = (
        f"from discreet import *\nimport pathlib; p = pathlib.Path({learner!r}); t = "
        "p.read_text()\nold = 'self.learning_rate * released'\np.write_text(t.replace(old, '50.0 "
        "* ' + old))\n"
    )
    during = python(edit + PROGRAM, **here).split()
    after = python(PROGRAM, **here).split()
    assert during[0] == old
    assert after[0] != old, "the edited copy must behave differently"
    assert compiled == after[1:] == ["0", "1"], "and must be compiled anew"


@pytest.mark.parametrize("name", list_algorithms(Arms))
def test_no_registered_algorithm_allocates_in_its_loop(name):
    private = list_algorithms()[name].build(Setting(Arms())).private
    game = environment("stochastic", arms=4).deal(0, 10, np.random.default_rng(0))
    player = Player(private, streams(0))
    player.play(game, np.array([10]))
    assert not componentjit.compile_for(play, player.private, game, player._held).must_allocate


class Overshooting(Learner):
    """Plays the arm after the last, sooner or later, in some lane."""

    arms: int

    def act(self, observation: object, rng: object) -> tuple[int, Draw]:
        arm = int(rng.random() * (self.arms + 0.01))
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""


@pytest.mark.parametrize("way", ["plain", "compiled", "side by side"])
def test_an_arm_that_there_is_not_is_told_however_it_is_played(way):
    private, world, unit = (
        Private(Open(make_range()), Overshooting(arms=3)),
        Stochastic(3),
        make_range(),
    )
    how = {"seed": 5, "bounds": unit, "clip": False, "stop": threading.Event()}
    who = [private], world, np.array([3000])
    if way == "side by side":
        program = lanes_of(private, world, unit)
        program.compile()
        run = functools.partial(run_trials, *who, trials=range(16), ways=(program,), **how)
    else:
        run = functools.partial(run_trial, *who, trial=0, compiled=way == "compiled", **how)
    with pytest.raises(
        ComponentError, match=r"^action 3 was played, but the game has 3 arms, counted from 0\.$"
    ):
        run()
