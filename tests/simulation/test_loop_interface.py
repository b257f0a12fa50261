"""Lanes know of the loop what it declares, and not what its variables are called."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools

import numpy as np
import pytest

from componentjit import LoopError, copy, with_names
from componentjit.lanes import LANES, program_for
from componentjit.loops import interface_of, parameters_of
from discreet.algorithms import Setting, list_algorithms
from discreet.environments import Stochastic
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation.loop import play
from discreet.simulation.side_by_side import lanes_arguments

ARMS, PIECES, MARKS = 3, 2, np.array([7, 20])
WORLD, UNIT = Stochastic(ARMS), make_range()
VARIABLES = play.__code__.co_varnames
DECLARED = {*parameters_of(play), *interface_of(play).running}
HEAD = """from __future__ import annotations
import numpy as np
from componentjit import as_plain, vectorizable
"""
numbers = itertools.count()


class Renaming(ast.NodeTransformer):
    """Gives one variable of the loop another name, and in what it declares too, if asked to."""

    def __init__(self, old, new, *, declared):
        self.old, self.new, self.declared = old, new, declared

    def visit_Name(self, node):
        return ast.Name(self.new, node.ctx) if node.id == self.old else node

    def visit_arg(self, node):
        return ast.arg(self.new if node.arg == self.old else node.arg, None)

    def visit_Constant(self, node):
        return ast.Constant(self.new) if self.declared and node.value == self.old else node


def loop_with(old, new, folder, *, declared=False):
    """Return the loop, from a module of its own, with another name for a variable."""
    (definition,) = ast.parse(inspect.getsource(play)).body
    definition.returns = None
    changed = Renaming(old, new, declared=declared).visit(definition)
    path = folder / f"loop_{next(numbers)}.py"
    path.write_text(HEAD + ast.unparse(ast.fix_missing_locations(changed)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.play


@pytest.fixture(scope="module")
def private():
    setting = Setting(Arms(ARMS), rounds=100, epsilon=1.0)
    # which holds an action for longer
    return list_algorithms()["batched-exp3"].build(setting).private


def games():
    """Return the pieces that each of all trials plays."""
    rounds = int(MARKS[-1])
    return [
        [WORLD.deal(0, rounds, streams(1, trial=lane).environment) for lane in range(LANES)]
        for _ in range(PIECES)
    ]


def losses_in_lanes(loop, private):
    """Return the losses of all trials after each piece."""
    names, kept = parameters_of(loop), parameters_of(play)
    arguments = lanes_arguments(private, WORLD, UNIT)
    called = dict(zip(kept, names, strict=True))
    program = program_for(loop, {called[name]: value for name, value in arguments.items()})
    program.compile()
    own = [streams(1, trial=lane) for lane in range(LANES)]
    generators = {
        called["learner_rng"]: [each.learner for each in own],
        called["privacy_rng"]: [each.privacy for each in own],
    }
    lanes, found = program.start(private, generators), []
    for piece in games():
        scores = np.empty((MARKS.size, LANES))
        handed = {
            f"{called['game']}.losses": np.stack([game.losses for game in piece], axis=-1),
            called["marks"]: MARKS,
            called["scores"]: scores,
            called["t"]: 0,
            called["mark"]: 0,
        }
        program.run(lanes, handed)
        found.append(scores.T)
        np.testing.assert_array_equal(lanes.carried[called["loss"]], scores[-1])
    return np.stack(found)


def losses_one_by_one(loop, private):
    """Return the same from plain Python, trial by trial."""
    found, held = np.empty((PIECES, LANES, MARKS.size)), None
    for lane in range(LANES):
        own, mine, loss = streams(1, trial=lane), copy(private), 0.0
        held = lanes_arguments(private, WORLD, UNIT)["held"]._replace(left=0)
        for piece, all_games in enumerate(games()):
            scores = np.empty(MARKS.size)
            arguments = (mine, all_games[lane], MARKS, scores, 0, 0, loss, held)
            _, _, loss, plain = loop(*arguments, own.learner, own.privacy)
            held, found[piece, lane] = with_names(held, plain), scores
    return found


@pytest.fixture(scope="module")
def expected(private):
    return losses_one_by_one(play, private)


def test_the_loop_plays_in_lanes_as_it_does_by_itself(private, expected):
    np.testing.assert_array_equal(losses_in_lanes(play, private), expected)
    assert len(np.unique(expected)) > 20, "trials differ, so that a wrong lane would show"


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_with_another_name_changes_nothing_or_is_refused(
    name, private, expected, tmp_path
):
    if name in DECLARED:
        with pytest.raises(LoopError, match=f"play has no (argument|variable) '{name}'"):
            loop_with(name, "renamed", tmp_path)
    else:
        loop = loop_with(name, "renamed", tmp_path)
        np.testing.assert_array_equal(losses_in_lanes(loop, private), expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_may_have_any_name_if_it_is_declared_by_it(name, private, expected, tmp_path):
    """Names that are made up while calls are inlined (x__1), and those of modules, are such."""
    new = {"t": "math", "loss": "t__1", "private": "held__1", "learner_rng": "bits"}
    loop = loop_with(name, new.get(name, f"{name}_1"), tmp_path, declared=True)
    np.testing.assert_array_equal(losses_in_lanes(loop, private), expected)


def test_two_variables_that_are_returned_in_the_wrong_order_are_refused(private, tmp_path):
    source = inspect.getsource(play).replace("return t, mark, loss,", "return mark, t, loss,")
    (tmp_path / "swapped.py").write_text(HEAD + source)
    spec = importlib.util.spec_from_file_location("swapped", tmp_path / "swapped.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(LoopError, match=r"the loop returns mark, but declares t in that place\."):
        losses_in_lanes(module.play, private)
