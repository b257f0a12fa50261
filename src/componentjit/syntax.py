"""Syntax of loops: what their names stand for while calls are inlined, and small helpers."""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, NamedTuple, cast

from componentjit.component import Component
from componentjit.guards import GuardSpec, guards

Statements = list[ast.stmt]
BUILTINS = frozenset(dir(builtins))


@dataclass
class Scope:
    """What the names of one function stand for while it is inlined."""

    globals: dict[str, Any]
    locals: dict[str, str]  # what they are called in the result
    given: dict[str, ast.expr] = field(default_factory=dict)  # parameters that are expressions
    known: dict[str, Any] = field(default_factory=dict)  # names whose component is known
    # What is being inlined: code, and the component it is called on.
    within: tuple[tuple[CodeType, int], ...] = ()

    def guard_of(self, call: ast.Call) -> GuardSpec | None:
        """Return the guard that is called, or None if it is another call."""
        name = call.func.id if isinstance(call.func, ast.Name) and not call.keywords else ""
        value = self.globals.get(name)
        return (
            guards.get(value)
            if name not in self.locals and isinstance(value, FunctionType)
            else None
        )


class ReturnTarget(NamedTuple):
    """Where a function's value goes: to names, or nowhere; ``done`` ends the loops around it."""

    names: list[str] | None
    whole: bool
    done: str = ""


class InlinedLoop(NamedTuple):
    """A function as statements, with its globals, and names that hold fields of its arguments."""

    body: list[ast.stmt]
    globals: dict[str, Any]
    fields: dict[str, str]  # such as private.learner.weights


class Names:
    """The names of a function that others are inlined into; its ``own`` names stay as they are."""

    def __init__(self, own: Set[str]) -> None:
        self.own = own
        self.globals: dict[str, Any] = {}
        self.made: set[str] = set()
        self.count = 0

    def of_global(self, name: str, value: Any) -> str:
        """Return the name that a global of some module has in the result."""
        for attempt in itertools.chain([name], (f"{name}__global_{i}" for i in itertools.count(1))):
            if attempt in self.made or attempt in self.own or attempt in BUILTINS:
                continue  # other code may mean the builtin
            if self.globals.setdefault(attempt, value) is value:
                return attempt
        raise AssertionError("names never end")

    def fresh(self, name: str) -> str:
        """Return an unused name."""
        while True:
            self.count += 1
            found = f"{name}__{self.count}"
            if found not in self.own and found not in self.globals:
                self.made.add(found)
                return found


class Renamer(ast.NodeTransformer):
    """Gives variables their names in the result; ``global_name`` returns those of globals."""

    def __init__(self, scope: Scope, global_name: Callable[[str, Any], str]) -> None:
        self.scope, self.global_name = scope, global_name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a name by another one, or by an expression."""
        name, scope = node.id, self.scope
        if name in scope.given:
            return copy.deepcopy(scope.given[name])
        if name in scope.locals:
            return ast.Name(scope.locals[name], node.ctx)
        if name not in scope.globals:
            return node
        value = scope.globals[name]
        # A literal, because Numba has types for literal numbers.
        if type(value) in (bool, int, float) and math.isfinite(value):
            return ast.Constant(value)
        return ast.Name(self.global_name(name, value), node.ctx)


class Fields(ast.NodeTransformer):
    """Reads fields of components once, before anything else, because they never change."""

    def __init__(self, known: dict[str, Any], fresh: Callable[[str], str]) -> None:
        self.known, self.fresh = known, fresh
        self.names: dict[str, str] = {}  # of fields, such as private.learner.weights

    def hoist(self, body: Statements) -> Statements:
        """Return the statements, after one for each field that they use."""
        changed = self.replace(body)
        reads = [
            ast.Assign([store(name)], ast.parse(path, mode="eval").body)
            for path, name in self.names.items()
        ]
        return [*reads, *changed]

    def replace(self, body: Statements) -> Statements:
        """Return the statements with fields replaced by names."""
        return [cast(ast.stmt, self.visit(statement)) for statement in body]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a field by a name."""
        path = ast.unparse(node) if value_of(node, self.known) is not None else ""
        if not path:
            return self.generic_visit(node)
        if path not in self.names:
            self.names[path] = self.fresh(node.attr)
        return load(self.names[path])


def value_of(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return what a name, a field, or a field of a field holds; None if it is not known."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        whole = value_of(node.value, known)
        if isinstance(whole, Component) and node.attr in whole._fields:
            return whole[whole._fields.index(node.attr)]
    return None


def as_load(target: ast.expr) -> ast.expr:
    """Return an expression that reads the target of an assignment."""
    read = copy.copy(target)
    read.ctx = ast.Load()  # type: ignore[attr-defined]
    return read


def load(name: str) -> ast.Name:
    """Return an expression that reads a name."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """Return a target that assigns to a name."""
    return ast.Name(name, ast.Store())


def is_stable(node: ast.expr) -> bool:
    """Return whether a value cannot change before it is used: a constant, a name, a field."""
    if isinstance(node, ast.Attribute):
        return is_stable(node.value)
    return isinstance(node, ast.Constant | ast.Name)


def with_body(source: ast.FunctionDef, body: Statements) -> ast.FunctionDef:
    """Return a function of the same name and parameters with other statements."""
    node = ast.FunctionDef(
        name=source.name,
        args=bare(source.args),
        body=body,
        decorator_list=[],
        lineno=source.lineno,
        col_offset=0,
    )
    for each in ast.walk(node):
        if isinstance(each, ast.stmt | ast.expr | ast.arg | ast.keyword):
            each.lineno = each.end_lineno = source.lineno
            each.col_offset = each.end_col_offset = 0
    return node


def bare(arguments: ast.arguments) -> ast.arguments:
    """Return plain parameters without annotations and defaults."""
    return ast.arguments([], [ast.arg(each.arg) for each in arguments.args], None, [], [], None, [])


def names_read(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the variables that are read."""
    return _names(nodes, ast.Load)


def names_assigned(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the variables that are assigned."""
    return _names(nodes, ast.Store)


def _names(nodes: Sequence[ast.AST], use: type[ast.expr_context]) -> set[str]:
    found = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in found if isinstance(each.ctx, use)}


def exits(statements: Sequence[ast.stmt]) -> Iterator[ast.Break | ast.Continue]:
    """Yield every break and continue of the loop around these statements."""
    for each in statements:
        if isinstance(each, ast.Break | ast.Continue):
            yield each
        elif isinstance(each, ast.If):
            yield from exits(each.body)
            yield from exits(each.orelse)
