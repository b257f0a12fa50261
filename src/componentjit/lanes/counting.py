"""Counters of loops, which are the same in all lanes."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Sequence
from typing import Any

from componentjit.errors import NotVectorizable
from componentjit.syntax import Statements, exits, load, names_assigned, store

COUNTER = "#"  # no variable or field has this in its name


class Counters:
    """Gives loop counters other names, so that they are the same in all lanes of the loop.

    A lane that leaves the loop keeps the value: ``arm = arm.#1; break``.
    """

    def __init__(self) -> None:
        self.count = itertools.count(1)

    def block(self, statements: Sequence[ast.stmt]) -> Statements:
        """Return simplified statements."""
        out: Statements = []
        for statement in statements:
            match statement:
                case ast.If():
                    out.append(
                        ast.If(
                            statement.test, self.block(statement.body), self.block(statement.orelse)
                        )
                    )
                case ast.For():
                    out.append(self.rewrite_range(statement))
                case ast.While():
                    out += self.rewrite_while(statement, out)
                case _:
                    out.append(statement)
        return out

    def fresh(self, name: str) -> str:
        """Return a name for a counter."""
        return f"{name}.{COUNTER}{next(self.count)}"

    def rewrite_range(self, node: ast.For) -> ast.For:
        """Return a loop over a range whose counter has no other use."""
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        body = self.block(node.body)
        if name in names_assigned(body):
            raise NotVectorizable("a loop that assigns its own counter")
        counter = self.fresh(name)
        renamed = [_rename(each, name, counter) for each in body]
        first: Statements = [ast.Assign([store(name)], load(counter))]
        return ast.For(store(counter), node.iter, [*first, *renamed], [])

    def rewrite_while(self, node: ast.While, before: Statements) -> Statements:
        """Return a loop with breaks, with a counter for a variable that changes by constants."""
        body = self.block(node.body)
        if not any(isinstance(each, ast.Break) for each in exits(body)) or any(
            isinstance(each, ast.Continue) for each in exits(body)
        ):
            return [ast.While(node.test, body, [])]
        for name in sorted(names_assigned(body)):
            start = _last_value(before, name)
            if isinstance(start, ast.Constant) and _moves_by_constants(body, name):  # one is enough
                counter = self.fresh(name)
                leave = [ast.Assign([store(name)], load(counter)), ast.Break()]
                stop = ast.If(ast.UnaryOp(ast.Not(), _rename(node.test, name, counter)), leave, [])
                renamed = [_rename(each, name, counter) for each in body]
                turn = [stop, *_copy_before_exits(renamed, name, counter)]
                return [
                    ast.Assign([store(counter)], start),
                    ast.While(ast.Constant(True), turn, []),
                ]
        return [ast.While(node.test, body, [])]


def is_counter(name: str) -> bool:
    """Return whether a variable was made by ``Counters``."""
    return name.rpartition(".")[2].startswith(COUNTER)


def _last_value(statements: Statements, name: str) -> ast.expr | None:
    """Return what a variable was last set to in a block, if that is a plain assignment."""
    for statement in reversed(statements):
        if name in names_assigned([statement]):
            plain = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
            return statement.value if plain else None  # type: ignore[attr-defined]
    return None


def _moves_by_constants(body: Sequence[ast.stmt], name: str) -> bool:
    """Return whether a loop only ever adds constants to a variable, in its outermost block."""
    own = [
        each
        for each in body
        if isinstance(each, ast.Assign) and name in names_assigned(each.targets)
    ]
    for each in own:
        match each.value:
            case ast.BinOp(
                left=ast.Name(id=read), op=ast.Add() | ast.Sub(), right=ast.Constant()
            ) if read == name:
                continue
        return False
    total = sum(
        isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id == name
        for statement in body
        for each in ast.walk(statement)
    )
    return bool(own) and total == len(own)


def _rename(node: Any, name: str, new: str) -> Any:
    changed = copy.deepcopy(node)
    for each in ast.walk(changed):
        if isinstance(each, ast.Name) and each.id == name:
            each.id = new
    return changed


def _copy_before_exits(body: Sequence[ast.stmt], name: str, counter: str) -> Statements:
    """Put ``name = counter`` before everything that leaves the loop."""
    out: Statements = []
    for each in body:
        if isinstance(each, ast.Break):
            out.append(ast.Assign([store(name)], load(counter)))
        if isinstance(each, ast.If):
            each = ast.If(
                each.test,
                _copy_before_exits(each.body, name, counter),
                _copy_before_exits(each.orelse, name, counter),
            )
        out.append(each)
    return out
