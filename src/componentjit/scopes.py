"""What the names of a function stand for while it is written into another."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from componentjit.guards import Guard, guards


@dataclass
class Scope:
    """What the names of one function stand for while it is written out."""

    globals: dict[str, Any]
    locals: dict[str, str]  # what they are called in the result
    given: dict[str, ast.expr] = field(
        default_factory=dict
    )  # parameters that stand for an expression
    known: dict[str, Any] = field(default_factory=dict)  # names whose component is known
    within: tuple[
        tuple[CodeType, int], ...
    ] = ()  # what is being written out: code, and the component it is called on

    def guard_of(self, call: ast.Call) -> Guard | None:
        """Return the check of two numbers that is called, if it is one."""
        name = call.func.id if isinstance(call.func, ast.Name) and not call.keywords else ""
        value = self.globals.get(name)
        return (
            guards.get(value)
            if name not in self.locals and isinstance(value, FunctionType)
            else None
        )


class Results(NamedTuple):
    """Where a function's value goes: to names, or nowhere; and what tells loops around that it is done."""

    names: list[str] | None
    whole: bool
    done: str = ""


class Written(NamedTuple):
    """A function as statements: what its globals are, and which names hold fields of its arguments."""

    body: list[ast.stmt]
    globals: dict[str, Any]
    fields: dict[str, str]  # such as private.learner.weights


class Renaming(ast.NodeTransformer):
    """Gives names the ones that they have in the result; ``global_name`` is asked for those of globals."""

    def __init__(self, scope: Scope, global_name: Callable[[str, Any], str]) -> None:
        self.scope, self.global_name = scope, global_name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Put another name, or an expression, in the place of a name."""
        name, scope = node.id, self.scope
        if name in scope.given:
            return copy.deepcopy(scope.given[name])
        if name in scope.locals:
            return ast.Name(scope.locals[name], node.ctx)
        if name not in scope.globals:
            return node
        value = scope.globals[name]
        if type(value) in (bool, int, float) and math.isfinite(
            value
        ):  # Numba has a type for "this very number"
            return ast.Constant(value)
        return ast.Name(self.global_name(name, value), node.ctx)
