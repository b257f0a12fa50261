"""The shape of the code: layers, size, what is public, what is typed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from common import ROOT

import discreet

PACKAGE = Path(discreet.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
BESIDE = sorted(
    path for folder in ("tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
)


def name(path):
    return str(path.relative_to(PACKAGE if path in MODULES else ROOT))


def test_imports_follow_the_layers(root):
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_modules_are_small_and_say_what_they_are():
    texts = {name(path): path.read_text() for path in (*MODULES, *BESIDE)}
    assert [each for each, text in texts.items() if len(text.splitlines()) > 400] == []
    assert [each for each, text in texts.items() if not ast.get_docstring(ast.parse(text))] == []


def test_the_file_to_read_first_is_short():
    assert len((PACKAGE / "private.py").read_text().splitlines()) <= 60


def test_only_channels_touch_raw_feedback():
    """In learners, nothing is even called feedback."""
    for path in (PACKAGE / "learners").rglob("*.py"):
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
        }
        names |= {
            node.arg for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.arg)
        }
        assert "feedback" not in names, path


def test_everything_public_exists_and_is_typed():
    for name in discreet.__all__:
        assert hasattr(discreet, name)
    assert (PACKAGE / "py.typed").exists()


def signatures(tree):
    """Yield all annotations of arguments and results in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield from (
                each.annotation
                for each in every
                if each is not None and each.annotation is not None
            )
            if node.returns is not None:
                yield node.returns


def names_in(expression):
    """Yield all names in an expression, and of ``module.Name`` the last one."""
    for part in ast.walk(expression):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.id if isinstance(part, ast.Name) else part.attr


def aliases(statement, loose):
    """Yield the names that a statement of a module gives to something that is, or contains, one of the loose names."""
    match statement:
        case ast.Assign(
            targets=targets,
            value=ast.Name() | ast.Attribute() | ast.Subscript() | ast.BinOp() as value,
        ):
            named = targets
        case ast.AnnAssign(target=target, annotation=note, value=ast.expr() as value) if (
            "TypeAlias" in names_in(note)
        ):
            named = [target]
        case _:
            return
    if not loose.isdisjoint(names_in(value)):
        yield from (each.id for each in named if isinstance(each, ast.Name))


def any_in_signatures(sources):
    """Return for each module how often its signatures name Any, or an alias of the package that is or contains it."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    loose, before = {name: {"Any"} for name in trees}, None
    while loose != before:
        before = {name: set(names) for name, names in loose.items()}
        for name, tree in trees.items():
            for statement in tree.body:
                if isinstance(statement, ast.ImportFrom) and statement.module in before:
                    known = before[statement.module]
                    loose[name] |= {
                        each.asname or each.name for each in statement.names if each.name in known
                    }
                loose[name] |= set(aliases(statement, loose[name]))
    return {
        name: sum(part in loose[name] for note in signatures(tree) for part in names_in(note))
        for name, tree in trees.items()
    }


@pytest.mark.slow
def test_signatures_say_what_they_take():
    """What is left are options by name and what other libraries give; the kernel is about any component."""
    sources = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path.read_text()
        for path in MODULES
    }
    found = any_in_signatures(sources)
    outside = {
        name: number
        for name, number in found.items()
        if number and not name.startswith("componentjit")
    }
    assert sum(outside.values()) <= 40, outside


def test_an_alias_of_any_counts_at_each_use():
    names = """
from typing import Any, TypeAlias, TypeVar
Thing: TypeAlias = Any
Things = dict[str, Thing]
Part = TypeVar("Part", default=Any)
Row = dict[str, object]
LARGEST = max(1, 2)
def first(things: Things) -> Thing: ...
"""
    uses = """
import typing
from package.names import Part, Row, Thing, Things as Many
Either = Many | None
class Learner:
    def act(self, shown: Thing, *, row: Row, part: Part, **more: typing.Any) -> tuple[int, Either]: ...
"""
    assert any_in_signatures({"package.uses": uses, "package.names": names}) == {
        "package.uses": 3,
        "package.names": 2,
    }
    # of names from elsewhere nothing is known
    assert any_in_signatures({"package.uses": uses}) == {"package.uses": 1}


# objects that are not ours, or of which no more is known than that they may be named tuples
FOREIGN = {
    "kernel/compiling.py": {
        "hasattr(kind, 'types')",
        "getattr(arguments[0], 'instance_class', object)",
    },
    "kernel/component.py": {"getattr(self, n)", "getattr(note, '__metadata__', ())"},
    "kernel/digest.py": {"getattr(value, '_fields', '')", "hasattr(value, '_fields')"},
    "kernel/state.py": {
        "getattr(component, '_fields', range(len(component)))",
        "hasattr(component, '_fields')",
        "hasattr(part, '_fields')",
        "hasattr(example, '_fields')",
    },
    "ledger/ledger.py": {"getattr(error, 'sqlite_errorcode', None)"},
    "problems/base.py": {"getattr(self, each.name)"},  # the fields of a dataclass
    "simulation/executors.py": {"hasattr(os, 'sched_getaffinity')"},
}


def asked_for(tree):
    """Return all that a module asks for by getattr and hasattr."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return {ast.unparse(call) for call in calls if call.func.id in ("hasattr", "getattr")}


def test_nothing_of_ours_is_asked_whether_it_has_an_attribute():
    """Abilities are declared in contracts."""
    found = {name(path): asked_for(ast.parse(path.read_text())) for path in MODULES}
    assert {module: asked for module, asked in found.items() if asked} == FOREIGN
