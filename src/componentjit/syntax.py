"""Small pieces of syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any, cast

from componentjit.component import Component

Statements = list[ast.stmt]


class Fields(ast.NodeTransformer):
    """Reads fields of components once, before everything else: they never change."""

    def __init__(self, known: dict[str, Any], fresh: Callable[[str], str]) -> None:
        self.known, self.fresh = known, fresh
        self.names: dict[str, str] = {}  # of fields, such as private.learner.weights

    def hoisted(self, body: Statements) -> Statements:
        """Return the statements, after one for each field that they use."""
        changed = self.changed(body)
        reads = [
            ast.Assign([store(name)], ast.parse(path, mode="eval").body)
            for path, name in self.names.items()
        ]
        return [*reads, *changed]

    def changed(self, body: Statements) -> Statements:
        """Return the statements with names in the place of fields."""
        return [cast(ast.stmt, self.visit(statement)) for statement in body]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Put a name in the place of a field."""
        path = ast.unparse(node) if held_by(node, self.known) is not None else ""
        if not path:
            return self.generic_visit(node)
        if path not in self.names:
            self.names[path] = self.fresh(node.attr)
        return load(self.names[path])


def held_by(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return what a name, a field, or a field of a field holds; None if it is not known."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        whole = held_by(node.value, known)
        if isinstance(whole, Component) and node.attr in whole._fields:
            return whole[whole._fields.index(node.attr)]
    return None


def loaded(target: ast.expr) -> ast.expr:
    """Return what reads the place that is assigned to."""
    read = copy.copy(target)
    read.ctx = ast.Load()  # type: ignore[attr-defined]
    return read


def load(name: str) -> ast.Name:
    """Return what reads a name."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """Return what assigns to a name."""
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
