"""Inlining: the methods and helpers that a loop calls are written into it, before it is compiled.

Numba spends 20 to 35 ms on each small function, and a loop calls dozens of them. The classes of all
components are known, so the method behind each call is known, too.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Sequence, Set
from types import FunctionType
from typing import Any, cast

from componentjit.component import apart
from componentjit.guards import note_numbers, refusal
from componentjit.inlining import Inliner
from componentjit.sources import (
    LOOPS,
    SCOPES,
    NotInlinable,
    assigned_in,
    definition,
    has_return,
)
from componentjit.syntax import (
    BUILTINS,
    Fields,
    InlinedLoop,
    Names,
    Renamer,
    ReturnTarget,
    Scope,
    Statements,
    as_load,
    load,
    store,
    with_body,
)


def flatten(function: Callable[..., Any], arguments: Sequence[object]) -> Callable[..., Any]:
    """Return ``function`` with calls of methods and helpers inlined, or unchanged.

    With arguments of these classes, it does the same, to the last digit and draw.
    """
    try:
        return _Flattener(function, arguments, without=apart).to_function()
    except NotInlinable:
        return function


def inline_calls(function: Callable[..., Any], arguments: Sequence[object]) -> InlinedLoop:
    """Return a function's statements with all calls inlined, or raise ``NotInlinable``."""
    return _Flattener(function, arguments).to_inlined_loop()


class _Flattener(Inliner):
    """Inlines the calls of one function, except those of helpers in ``without``."""

    def __init__(
        self, function: Any, arguments: Sequence[object], without: Set[Any] = frozenset()
    ) -> None:
        self.function, self.without = cast(FunctionType, function), without
        self.source = definition(function)
        parameters = [each.arg for each in self.source.args.args]
        own = assigned_in(self.source) | set(parameters)
        self.names = Names(own)
        if hidden := own & BUILTINS:  # inlined code may mean the builtin
            raise NotInlinable(f"{min(hidden)} is a variable with the name of a builtin")
        self.scope = Scope(
            function.__globals__, {name: name for name in own}, within=((function.__code__, 0),)
        )
        reassigned = assigned_in(self.source)
        for name, value in zip(parameters, arguments, strict=False):
            if name not in reassigned:
                self.scope.known[name] = value

    def to_inlined_loop(self) -> InlinedLoop:
        body = (fields := Fields(self.scope.known, self.names.fresh)).replace(
            self.block(self.source.body, self.scope)
        )
        return InlinedLoop(
            body, self.names.globals, {name: path for path, name in fields.names.items()}
        )

    def to_function(self) -> Callable[..., Any]:
        body = Fields(self.scope.known, self.names.fresh).hoist(
            self.block(self.source.body, self.scope)
        )
        code = compile(
            ast.Module([with_body(self.source, body)], []),
            self.function.__code__.co_filename,
            "exec",
            dont_inherit=True,
        )
        names = self.names.globals | {
            "__name__": self.function.__module__,
            "__builtins__": builtins,
        }
        exec(code, names)
        made = cast(FunctionType, names.pop(self.source.name))
        made.__defaults__ = self.function.__defaults__
        made.__module__, made.__qualname__ = self.function.__module__, self.function.__qualname__
        return made

    # Statements

    def block(
        self, statements: Sequence[ast.stmt], scope: Scope, results: ReturnTarget | None = None
    ) -> Statements:
        out: Statements = []
        for statement in statements:
            self.statement(statement, scope, out, results)
            if results and isinstance(statement, LOOPS) and has_return(statement):
                out.append(ast.If(load(results.done), [ast.Break()], []))
        return out or [ast.Pass()]

    def statement(
        self, node: ast.stmt, scope: Scope, out: Statements, results: ReturnTarget | None = None
    ) -> None:
        """Inline the calls of a statement; ``results`` are for a return inside a loop."""
        match node:
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=ast.Call() as call) if self.find_callee(call, scope):
                if not self.try_inlining(call, scope, out, None):
                    out.append(ast.Expr(self.evaluate_in_order(call, scope, out)))
            case ast.AnnAssign(value=None):
                return
            case ast.AnnAssign():
                self.statement(
                    ast.copy_location(ast.Assign([node.target], cast(ast.expr, node.value)), node),
                    scope,
                    out,
                )
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call) if (
                self.find_callee(call, scope)
                and all(isinstance(each, ast.Name) for each in targets)
            ):
                parts = [self.names.fresh("part") for _ in targets]
                if self.try_inlining(call, scope, out, parts):
                    for target, part in zip(targets, parts, strict=True):
                        out.append(ast.Assign([self.target(target, scope)], load(part)))
                else:
                    value = self.expression(call, scope, out)
                    out.append(ast.Assign([self.target(node.targets[0], scope)], value))
            case ast.Assign():
                value = self.expression(node.value, scope, out)
                out.append(ast.Assign([self.target(each, scope) for each in node.targets], value))
            case ast.AugAssign(target=ast.Name()):
                value = self.expression(node.value, scope, out)
                out.append(
                    ast.AugAssign(cast(ast.Name, self.target(node.target, scope)), node.op, value)
                )
            case ast.AugAssign() if self.has_inlinable_call(node.value, scope):
                # The target is read first, as in Python.
                before = self.hold(as_load(self.target(node.target, scope)), out)
                value = ast.BinOp(before, node.op, self.expression(node.value, scope, out))
                out.append(ast.Assign([self.target(node.target, scope)], value))
            case ast.AugAssign():
                out.append(cast(ast.stmt, self.rename(node, scope)))
            case ast.Expr(value=ast.Call() as call) if self.without and (
                guard := scope.guard_of(call)
            ):
                found, wanted = (
                    self.hold(self.expression(each, scope, out), out) for each in call.args
                )
                names = (
                    self.names.of_global(each.__name__, each)
                    for each in (note_numbers, guard.error)
                )
                out.append(refusal(guard, found, wanted, *names))
            case ast.Expr():
                out.append(ast.Expr(self.expression(node.value, scope, out)))
            case ast.Return() if results:
                self.assign_result(node.value, scope, out, results)
                out += [ast.Assign([store(results.done)], ast.Constant(True)), ast.Break()]
            case ast.Return():
                out.append(
                    ast.Return(
                        None if node.value is None else self.expression(node.value, scope, out)
                    )
                )
            case ast.If():
                test = self.expression(node.test, scope, out)
                orelse = self.block(node.orelse, scope, results) if node.orelse else []
                out.append(ast.If(test, self.block(node.body, scope, results), orelse))
            case ast.While(orelse=[]):
                first: Statements = []
                test = self.expression(node.test, scope, first)
                body = self.block(node.body, scope, results)
                if first:
                    stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
                    test, body = ast.Constant(True), [*first, stop, *body]
                out.append(ast.While(test, body, []))
            case ast.For(orelse=[]):
                iterated = self.expression(node.iter, scope, out)
                out.append(
                    ast.For(
                        self.target(node.target, scope),
                        iterated,
                        self.block(node.body, scope, results),
                        [],
                    )
                )
            case ast.Pass() | ast.Break() | ast.Continue():
                out.append(node)
            case ast.Raise() | ast.Assert():
                out.append(cast(ast.stmt, self.rename(node, scope)))
            case _:
                raise NotInlinable(f"a statement that is not supported ({type(node).__name__})")

    def target(self, node: ast.expr, scope: Scope) -> ast.expr:
        if self.has_inlinable_call(node, scope):
            raise NotInlinable(f"a call in an assignment's target ({ast.unparse(node)})")
        return cast(ast.expr, self.rename(node, scope))

    # Expressions

    def expression(self, node: ast.expr, scope: Scope, out: Statements) -> ast.expr:
        """Return an expression with all calls inlined; what comes before it is added to ``out``."""
        if not self.has_inlinable_call(node, scope):
            return cast(ast.expr, self.rename(node, scope))
        match node:
            case ast.Call() if self.find_callee(node, scope):
                value = self.try_inlining(node, scope, out, [self.names.fresh("value")], whole=True)
                if value is not None:
                    return value
            case ast.BoolOp(op=op, values=[first, *others]):
                name = self.names.fresh("both" if isinstance(op, ast.And) else "either")
                out.append(ast.Assign([store(name)], self.expression(first, scope, out)))
                inner = out
                for other in others:
                    body: Statements = []
                    value = self.expression(other, scope, body)
                    body.append(ast.Assign([store(name)], value))
                    test: ast.expr = (
                        ast.UnaryOp(ast.Not(), load(name)) if isinstance(op, ast.Or) else load(name)
                    )
                    inner.append(ast.If(test, body, []))
                return load(name)
            case ast.IfExp():
                name = self.names.fresh("either")
                test = self.expression(node.test, scope, out)
                yes: Statements = []
                yes.append(ast.Assign([store(name)], self.expression(node.body, scope, yes)))
                no: Statements = []
                no.append(ast.Assign([store(name)], self.expression(node.orelse, scope, no)))
                out.append(ast.If(test, yes, no))
                return load(name)
            case ast.Compare() if len(node.ops) > 1 and any(
                self.has_inlinable_call(each, scope) for each in node.comparators[1:]
            ):
                return cast(ast.expr, self.rename(node, scope))
            case _ if isinstance(node, SCOPES):
                return cast(ast.expr, self.rename(node, scope))
        return self.evaluate_in_order(node, scope, out)

    def evaluate_in_order(self, node: ast.expr, scope: Scope, out: Statements) -> ast.expr:
        """Inline the calls in the parts of an expression, in the order of evaluation."""
        changed = copy.copy(node)
        places: list[tuple[Any, Any]] = []  # holder, key
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                fresh = list(value)
                setattr(changed, name, fresh)
                places += [
                    (fresh, i)
                    for i, each in enumerate(value)
                    if isinstance(each, ast.expr | ast.keyword)
                ]
            elif isinstance(value, ast.expr):
                places.append((changed, name))
        parts = [
            holder[key] if isinstance(holder, list) else vars(holder)[key] for holder, key in places
        ]
        last = max(
            (i for i, part in enumerate(parts) if self.has_inlinable_call(part, scope)), default=-1
        )
        for i, ((holder, key), part) in enumerate(zip(places, parts, strict=True)):
            inner = part.value if isinstance(part, ast.keyword) else part
            if isinstance(inner, ast.Starred):
                raise NotInlinable("a starred argument or item")
            done = self.expression(inner, scope, out)
            if i < last and not (isinstance(node, ast.Call) and key == "func"):
                done = self.hold(done, out)
            new = ast.keyword(part.arg, done) if isinstance(part, ast.keyword) else done
            if isinstance(holder, list):
                holder[key] = new
            else:
                setattr(holder, key, new)
        return changed

    # Names

    def rename(self, node: ast.AST, scope: Scope) -> ast.AST:
        """Return syntax with its names replaced by those in the result."""
        return cast(ast.AST, Renamer(scope, self.names.of_global).visit(copy.deepcopy(node)))
