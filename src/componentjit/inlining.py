"""Inlined calls: which function is called, its arguments, and what it returns."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from types import FunctionType
from typing import Any, cast

from componentjit.component import Component, stand_ins
from componentjit.sources import (
    LOOPS,
    SCOPES,
    NotInlinable,
    always_returns,
    assigned_in,
    body_of,
    definition,
    has_return,
    is_helper,
    is_inlinable,
)
from componentjit.syntax import (
    Names,
    ReturnTarget,
    Scope,
    Statements,
    is_stable,
    load,
    store,
    value_of,
)


class Inliner(ABC):
    """Writes called functions into the caller; a subclass handles statements."""

    names: Names
    without: Set[Any]  # helpers that stay calls

    @abstractmethod
    def statement(
        self, node: ast.stmt, scope: Scope, out: Statements, results: ReturnTarget | None = None
    ) -> None:
        """Add a statement, with all calls in it inlined."""

    @abstractmethod
    def expression(self, node: ast.expr, scope: Scope, out: Statements) -> ast.expr:
        """Return an expression, with all calls in it inlined."""

    def hold(self, value: ast.expr, out: Statements) -> ast.expr:
        """Return a value that cannot change any more: itself, or a name that holds it."""
        if is_stable(value):
            return value
        if any(isinstance(each, ast.Slice) for each in ast.walk(value)):
            raise NotInlinable("a slice before a call in the same expression")
        name = self.names.fresh("held")
        out.append(ast.Assign([store(name)], value))
        return load(name)

    def find_callee(
        self, node: ast.Call, scope: Scope
    ) -> tuple[FunctionType, ast.expr | None] | None:
        """Return the function that is called, and on what; None if it cannot be inlined."""
        match node.func:
            case ast.Attribute(value=owner, attr=name):
                component = value_of(owner, scope.known)
                if isinstance(component, Component):
                    method = type(component)._methods.get(name)
                    if (
                        method is not None
                        and (method.__code__, id(component)) not in scope.within
                        and is_inlinable(method)
                    ):
                        return method, owner
            case ast.Name(id=name) if name not in scope.locals:
                value = scope.globals.get(name)
                if isinstance(value, FunctionType):  # compiled code calls its stand-in
                    value = stand_ins.get(value, value)
                if is_helper(value) and value not in self.without and is_inlinable(value):
                    return (value, None) if (value.__code__, 0) not in scope.within else None
        return None

    def try_inlining(
        self,
        node: ast.Call,
        scope: Scope,
        out: Statements,
        results: list[str] | None,
        *,
        whole: bool = False,
    ) -> ast.expr | None:
        """Inline a call if possible; return its value, or None if nothing was done."""
        written: Statements = []
        try:
            value = self.inline_call(node, scope, written, results, whole=whole)
        except NotInlinable:
            return None
        out += written
        return value

    def inline_call(
        self,
        node: ast.Call,
        scope: Scope,
        out: Statements,
        results: list[str] | None,
        *,
        whole: bool = False,
    ) -> ast.expr:
        """Inline a call, and return its value.

        The value is assigned to the results, unless it is a single expression. The results are one
        name for the whole value (``whole``), or one name for each part of a tuple.
        """
        function, owner = cast(tuple[FunctionType, ast.expr | None], self.find_callee(node, scope))
        body = body_of(function)
        if results is not None and not always_returns(body):
            raise NotInlinable(f"{function.__name__} does not always return a value")
        inner = self.inner_scope(function, owner, scope)
        self.bind(function, self.arguments(function, owner, node), scope, inner, out)
        if results is not None and whole and len(body) == 1 and isinstance(body[0], ast.Return):
            return self.expression(cast(ast.expr, body[0].value), inner, out)
        self.assign_results(body, inner, out, ReturnTarget(results, whole))
        return load(results[0]) if results else ast.Constant(None)

    def inner_scope(self, function: FunctionType, owner: ast.expr | None, scope: Scope) -> Scope:
        """Return the scope of a function that is called, with new names for its variables."""
        component = 0 if owner is None else id(value_of(owner, scope.known))
        names = {name: self.names.fresh(name) for name in sorted(assigned_in(definition(function)))}
        return Scope(
            function.__globals__, names, within=(*scope.within, (function.__code__, component))
        )

    def arguments(
        self, function: FunctionType, owner: ast.expr | None, node: ast.Call
    ) -> dict[str, ast.expr]:
        """Return the arguments of a call by name, in the order in which they are evaluated."""
        parameters = [each.arg for each in definition(function).args.args]
        positional = node.args if owner is None else [owner, *node.args]
        given = dict(zip(parameters, positional, strict=False)) | {
            str(each.arg): each.value for each in node.keywords
        }
        defaults = function.__defaults__ or ()
        for name, default in zip(
            parameters[len(parameters) - len(defaults) :], defaults, strict=True
        ):
            if name not in given and isinstance(default, bool | int | float | None):
                given[name] = ast.Constant(default)
        if len(positional) > len(parameters) or set(given) != set(parameters):
            raise NotInlinable(f"a call of {function.__name__} with other arguments")
        return given

    def bind(
        self,
        function: FunctionType,
        given: dict[str, ast.expr],
        scope: Scope,
        inner: Scope,
        out: Statements,
    ) -> None:
        """Replace parameters by their arguments, or by names that hold them."""
        last = max(
            (i for i, value in enumerate(given.values()) if self.has_inlinable_call(value, scope)),
            default=-1,
        )
        values: dict[str, ast.expr] = {}
        for i, (name, value) in enumerate(given.items()):
            done = self.expression(value, scope, out)
            values[name] = self.hold(done, out) if i < last else done
            known = value_of(value, scope.known)
            if known is not None and name not in inner.locals:
                inner.known[name] = known
        for name, value in values.items():
            if is_stable(value) and name not in inner.locals:
                inner.given[name] = value
            else:
                inner.locals.setdefault(name, self.names.fresh(name))
                out.append(ast.Assign([store(inner.locals[name])], value))

    def assign_results(
        self, body: Sequence[ast.stmt], scope: Scope, out: Statements, results: ReturnTarget
    ) -> None:
        """Add statements, with their returns turned into assignments."""
        for i, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                self.assign_result(statement.value, scope, out, results)
            elif isinstance(statement, LOOPS) and has_return(statement):
                done = self.names.fresh("done")
                out.append(ast.Assign([store(done)], ast.Constant(False)))
                self.statement(statement, scope, out, results._replace(done=done))
                rest: Statements = []
                self.assign_results(body[i + 1 :], scope, rest, results)
                if rest:
                    out.append(ast.If(ast.UnaryOp(ast.Not(), load(done)), rest, []))
                return
            elif isinstance(statement, ast.If) and has_return(statement):
                test = self.expression(statement.test, scope, out)
                yes: Statements = []
                no: Statements = []
                self.assign_results(statement.body, scope, yes, results)
                self.assign_results(statement.orelse, scope, no, results)
                out.append(ast.If(test, yes or [ast.Pass()], no))
            else:
                self.statement(statement, scope, out)

    def assign_result(
        self, value: ast.expr | None, scope: Scope, out: Statements, results: ReturnTarget
    ) -> None:
        """Assign what is returned."""
        if results.names is None:
            if value is not None:
                self.statement(ast.Expr(value), scope, out)
        elif value is None:
            raise NotInlinable("a return without a value")
        elif results.whole:
            out.append(ast.Assign([store(results.names[0])], self.expression(value, scope, out)))
        elif isinstance(value, ast.Tuple) and len(value.elts) == len(results.names):
            for name, part in zip(results.names, value.elts, strict=True):
                out.append(ast.Assign([store(name)], self.expression(part, scope, out)))
        elif not (isinstance(value, ast.Call) and self.find_callee(value, scope)):
            raise NotInlinable("a returned value that is not a tuple written out")
        else:
            self.inline_call(value, scope, out, results.names)

    def has_inlinable_call(self, node: ast.AST, scope: Scope) -> bool:
        """Return whether an expression has a call that can be inlined."""
        if isinstance(node, SCOPES):
            return False
        if isinstance(node, ast.Call) and self.find_callee(node, scope):
            return True
        return any(self.has_inlinable_call(each, scope) for each in ast.iter_child_nodes(node))
