"""The syntax of functions as they are in memory, and what follows from it."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeGuard

from componentjit.component import helpers
from componentjit.digest import text_of

LOOPS = (ast.For, ast.While)
SCOPES = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.FunctionDef,
    ast.ClassDef,
)
NOT_INLINABLE = (
    ast.Global,
    ast.Nonlocal,
    ast.Try,
    ast.With,
    ast.Yield,
    ast.NamedExpr,
    ast.Delete,
    ast.Match,
    *SCOPES,
)


class NotInlinable(Exception):
    """A function cannot be inlined, with the reason; a call of it stays a call."""


def definition(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax of a function as it is in memory; refuse if its file was edited since."""
    name = getattr(function, "__name__", repr(function))
    if not inspect.isfunction(function):
        raise NotInlinable(f"{name} is not a Python function")
    if function.__closure__:
        raise NotInlinable(f"{name} uses variables of the function that it is defined in")
    first = function.__code__.co_firstlineno
    nodes, codes = _functions_in(function.__code__.co_filename)
    if (
        first not in nodes
        or first not in codes
        or text_of(codes[first]) != text_of(function.__code__)
    ):
        raise NotInlinable(f"the source of {name} cannot be read, or was edited since")
    return nodes[first]


@functools.cache
def _functions_in(path: str) -> tuple[dict[int, ast.FunctionDef], dict[int, CodeType]]:
    """Return all functions of a file by their first line: as syntax and as code."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        code = compile(tree, path, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return {}, {}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return (
        {
            min([node.lineno, *(each.lineno for each in node.decorator_list)]): node
            for node in nodes
        },
        {each.co_firstlineno: each for each in _codes_in(code)},
    )


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes_in(part)


@functools.cache
def is_inlinable(function: FunctionType) -> bool:
    """Return whether calls of a function can be inlined: it has plain parameters and statements."""
    try:
        source = definition(function)
        body_of(function)
    except NotInlinable:
        return False
    others = source.args.vararg, source.args.kwarg, source.args.kwonlyargs, source.args.posonlyargs
    nodes = [node for statement in source.body for node in ast.walk(statement)]
    return not any(others) and not any(
        isinstance(node, NOT_INLINABLE) or (isinstance(node, LOOPS) and node.orelse)
        for node in nodes
    )


@functools.cache
def body_of(function: FunctionType) -> list[ast.stmt]:
    """Return a function's body so that nothing follows an if that may return, or refuse."""
    return _end_branches(definition(function).body)


def _end_branches(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Return):
            return [*out, statement]
        if has_return(statement):
            rest = list(body[i + 1 :])
            if isinstance(statement, LOOPS):
                return [*out, statement, *_end_branches(rest)]
            if not isinstance(statement, ast.If):
                raise NotInlinable("a return in a with, try or match statement")
            yes, no = _end_branches(statement.body), _end_branches(statement.orelse)
            goes_on = [branch for branch in (yes, no) if not always_returns(branch)]
            if rest and len(goes_on) == 2:
                raise NotInlinable(
                    "an if that returns in some cases only, with statements after it"
                )
            for branch in goes_on:
                branch[:] = _end_branches([*branch, *rest])
            return [*out, ast.copy_location(ast.If(statement.test, yes, no), statement)]
        out.append(statement)
    return out


def has_return(node: ast.AST) -> bool:
    """Return whether there is a return somewhere inside."""
    return any(isinstance(each, ast.Return) for each in ast.walk(node))


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements end in a return, whatever happens."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)


def assigned_in(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function assigns."""
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def is_helper(value: object) -> TypeGuard[FunctionType]:
    """Return whether a value was declared a helper, which compiled code may call."""
    return any(value is each for each in helpers)
