"""What is known before a loop runs is worked out: constants, branches that are never taken, counters of loops."""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
import math
from collections.abc import Iterator, Sequence, Set
from typing import Any

from discreet.kernel.lanes.normal import Unfit
from discreet.kernel.syntax import Statements, load, store

UNKNOWN = object()
OPERATIONS: dict[type, Any] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.Pow: lambda x, y: x**y,
}
COMPARISONS: dict[type, Any] = {
    ast.Lt: lambda x, y: x < y,
    ast.LtE: lambda x, y: x <= y,
    ast.Gt: lambda x, y: x > y,
    ast.GtE: lambda x, y: x >= y,
    ast.Eq: lambda x, y: x == y,
    ast.NotEq: lambda x, y: x != y,
}
CONVERSIONS: dict[str, Any] = {"float": float, "int": int, "bool": bool}


def simplified(body: Sequence[ast.stmt], flags: Set[str]) -> Statements:
    """Return the statements with constants worked out; ``flags`` are variables that are true or false."""
    return Counters().block(Folding({}, flags).block(body))


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
    """Yield what leaves the loop around these statements, or goes on with its next turn."""
    for each in statements:
        if isinstance(each, ast.Break | ast.Continue):
            yield each
        elif isinstance(each, ast.If):
            yield from exits(each.body)
            yield from exits(each.orelse)


class Folding:
    """Works out constants, in the order in which statements run."""

    def __init__(self, known: dict[str, Any], flags: Set[str]) -> None:
        self.known, self.flags = known, flags

    def block(self, statements: Sequence[ast.stmt]) -> Statements:
        """Return statements, simplified."""
        return [each for statement in statements for each in self.statement(statement)]

    def statement(self, node: ast.stmt) -> Statements:
        """Return what a statement becomes."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                value = self.expression(value)
                self.known.pop(name, None)
                if isinstance(value, ast.Constant):
                    self.known[name] = value.value
                return [ast.Assign(node.targets, value)]
            case ast.Assign(targets=[ast.Subscript(value=array, slice=index)], value=value):
                place = ast.Subscript(array, self.expression(index), ast.Store())
                return [ast.Assign([place], self.expression(value))]
            case ast.If():
                return self.branch(node)
            case ast.While() | ast.For():
                return self.loop(node)
        return [node]

    def branch(self, node: ast.If) -> Statements:
        """Return what a branch becomes: one side, if its test is known."""
        test = self.expression(node.test)
        if isinstance(test, ast.Constant):
            return self.block(node.body if test.value else node.orelse)
        before = dict(self.known)
        body = self.block(node.body)
        after = dict(self.known)
        self.known.clear()
        self.known.update(before)
        orelse = self.block(node.orelse)
        unchanged = self.flags - names_assigned(node.orelse)
        implied = self.known | {x: value for x, value in _implied(node.test, taken=False).items() if x in unchanged}
        both = {name: value for name, value in after.items() if same(implied.get(name, UNKNOWN), value)}
        lost = names_assigned([*node.body, *node.orelse]) - both.keys()
        for name in lost:
            self.known.pop(name, None)
        self.known.update(both)
        return [ast.If(test, body, orelse)]

    def loop(self, node: ast.While | ast.For) -> Statements:
        """Return what a loop becomes: a variable is constant if all assignments in it are of the value from before."""
        changed = names_assigned([node])
        kept = {name: value for name, value in self.known.items() if name in changed}
        others = {name: value for name, value in self.known.items() if name not in changed}
        while True:
            inner = Folding(others | kept, self.flags)
            iterated = inner.expression(node.test if isinstance(node, ast.While) else node.iter)
            body = inner.block(copy.deepcopy(node.body))
            wrong = {name for name in kept if not _always([*body, *_targets(node)], name, kept[name])}
            if not wrong:
                break
            kept = {name: value for name, value in kept.items() if name not in wrong}
        self.known.clear()
        self.known.update(others | kept)
        if isinstance(node, ast.While):
            return [ast.While(iterated, body, [])]
        return [ast.For(node.target, iterated, body, [])]

    def expression(self, node: ast.expr) -> ast.expr:
        """Return an expression, worked out as far as possible."""
        match node:
            case ast.Name(id=name) if name in self.known:
                return ast.Constant(self.known[name])
            case ast.BinOp():
                left, right = self.expression(node.left), self.expression(node.right)
                values = constants([left, right])
                if values and type(node.op) in OPERATIONS:
                    with contextlib.suppress(ArithmeticError):
                        return ast.Constant(OPERATIONS[type(node.op)](*values))
                return ast.BinOp(left, node.op, right)
            case ast.UnaryOp(op=op):
                operand = self.expression(node.operand)
                values = constants([operand])
                if values and isinstance(op, ast.Not | ast.USub):
                    return ast.Constant(not values[0] if isinstance(op, ast.Not) else -values[0])
                return ast.UnaryOp(op, operand)
            case ast.BoolOp(op=op):
                return self.boolean(op, [self.expression(each) for each in node.values])
            case ast.Compare(ops=ops):
                terms = [self.expression(each) for each in (node.left, *node.comparators)]
                values = constants(terms)
                if values and len(ops) == 1 and type(ops[0]) in COMPARISONS:
                    return ast.Constant(COMPARISONS[type(ops[0])](*values))
                return ast.Compare(terms[0], ops, terms[1:])
            case ast.IfExp():
                test = self.expression(node.test)
                if isinstance(test, ast.Constant):
                    return self.expression(node.body if test.value else node.orelse)
                return ast.IfExp(test, self.expression(node.body), self.expression(node.orelse))
            case ast.Subscript():
                return ast.Subscript(node.value, self.expression(node.slice), node.ctx)
            case ast.Tuple():
                return ast.Tuple([self.expression(each) for each in node.elts], node.ctx)
            case ast.Call(func=ast.Name(id=name)):
                return self.call(node, name, [self.expression(each) for each in node.args])
        return node

    def boolean(self, op: ast.boolop, values: list[ast.expr]) -> ast.expr:
        """Return what is left of an and, or an or."""
        decides = isinstance(op, ast.Or)
        kept: list[ast.expr] = []
        for value in values:
            if isinstance(value, ast.Constant) and bool(value.value) is not decides:
                continue
            kept.append(value)
            if isinstance(value, ast.Constant):
                break
        if not kept:
            return ast.Constant(not decides)
        return kept[0] if len(kept) == 1 else ast.BoolOp(op, kept)

    def call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> ast.expr:
        """Return what a call becomes."""
        module, _, function = name.partition(".")
        values = constants(arguments)
        if values and module == "math" and function:
            with contextlib.suppress(ArithmeticError, ValueError):
                return ast.Constant(vars(math)[function](*values))
        if values and name in CONVERSIONS:
            return ast.Constant(CONVERSIONS[name](*values))
        return ast.Call(node.func, arguments, [])


def constants(nodes: Sequence[ast.expr]) -> list[Any]:
    """Return the values of expressions, if all of them are constants; else nothing."""
    found: list[Any] = [each.value for each in nodes if isinstance(each, ast.Constant)]
    return found if len(found) == len(nodes) else []


def same(one: object, other: object) -> bool:
    """Return whether two constants are the same, of the same kind."""
    return type(one) is type(other) and one == other


def _implied(test: ast.expr, *, taken: bool) -> dict[str, Any]:
    """Return what is known of a flag where a branch on it was taken, or not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _implied(test.operand, taken=not taken)
    return {test.id: taken} if isinstance(test, ast.Name) else {}


def _targets(node: ast.While | ast.For) -> list[ast.stmt]:
    return [ast.Assign([node.target], load("?"))] if isinstance(node, ast.For) else []


def _always(statements: Sequence[ast.stmt], name: str, value: object) -> bool:
    """Return whether every assignment to a variable is of one value."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.For) and name in names_assigned([node.target]):
                return False
            if isinstance(node, ast.Assign) and name in names_assigned(node.targets):
                assigned = node.value
                if not (isinstance(assigned, ast.Constant) and same(assigned.value, value)):
                    return False
    return True


class Counters:
    """Gives counters of loops names of their own, so that they are the same in all lanes that are still in the loop.

    Where a lane leaves, it takes the value along: ``arm = arm.1; break``.
    """

    def __init__(self) -> None:
        self.count = itertools.count(1)

    def block(self, statements: Sequence[ast.stmt]) -> Statements:
        """Return statements, simplified."""
        out: Statements = []
        for statement in statements:
            match statement:
                case ast.If():
                    out.append(ast.If(statement.test, self.block(statement.body), self.block(statement.orelse)))
                case ast.For():
                    out.append(self.counted(statement))
                case ast.While():
                    out += self.climbing(statement, out)
                case _:
                    out.append(statement)
        return out

    def fresh(self, name: str) -> str:
        """Return a name for a counter."""
        return f"{name}.{COUNTER}{next(self.count)}"

    def counted(self, node: ast.For) -> ast.For:
        """Return a loop over a range whose counter is nothing but that."""
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        body = self.block(node.body)
        if name in names_assigned(body):
            raise Unfit("a loop that changes its own counter")
        counter = self.fresh(name)
        renamed = [_renamed(each, name, counter) for each in body]
        first: Statements = [ast.Assign([store(name)], load(counter))]
        return ast.For(store(counter), node.iter, [*first, *renamed], [])

    def climbing(self, node: ast.While, before: Statements) -> Statements:
        """Return a loop that is left in the middle, with a counter for what moves by a constant in every turn."""
        body = self.block(node.body)
        if not any(isinstance(each, ast.Break) for each in exits(body)) or any(
            isinstance(each, ast.Continue) for each in exits(body)
        ):
            return [ast.While(node.test, body, [])]
        for name in sorted(names_assigned(body)):
            start = _last_assigned(before, name)
            if isinstance(start, ast.Constant) and _steps(body, name):  # one is enough
                counter = self.fresh(name)
                leave = [ast.Assign([store(name)], load(counter)), ast.Break()]
                stop = ast.If(ast.UnaryOp(ast.Not(), _renamed(node.test, name, counter)), leave, [])
                renamed = [_renamed(each, name, counter) for each in body]
                turn = [stop, *_with_copy(renamed, name, counter)]
                return [ast.Assign([store(counter)], start), ast.While(ast.Constant(True), turn, [])]
        return [ast.While(node.test, body, [])]


COUNTER = "counter"


def is_counter(name: str) -> bool:
    """Return whether a variable was made by ``Counters``."""
    return name.rpartition(".")[2].startswith(COUNTER)


def _last_assigned(statements: Statements, name: str) -> ast.expr | None:
    """Return what a variable was last set to in a block, if that is plain to see."""
    for statement in reversed(statements):
        if name in names_assigned([statement]):
            plain = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
            return statement.value if plain else None  # type: ignore[attr-defined]
    return None


def _steps(body: Sequence[ast.stmt], name: str) -> bool:
    """Return whether a variable is only assigned in the outermost block of a loop, itself plus or minus a constant."""
    own = [each for each in body if isinstance(each, ast.Assign) and name in names_assigned(each.targets)]
    for each in own:
        match each.value:
            case ast.BinOp(left=ast.Name(id=read), op=ast.Add() | ast.Sub(), right=ast.Constant()) if read == name:
                continue
        return False
    total = sum(
        isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id == name
        for statement in body
        for each in ast.walk(statement)
    )
    return bool(own) and total == len(own)


def _renamed(node: Any, name: str, new: str) -> Any:
    changed = copy.deepcopy(node)
    for each in ast.walk(changed):
        if isinstance(each, ast.Name) and each.id == name:
            each.id = new
    return changed


def _with_copy(body: Sequence[ast.stmt], name: str, counter: str) -> Statements:
    """Put ``name = counter`` before everything that leaves the loop."""
    out: Statements = []
    for each in body:
        if isinstance(each, ast.Break):
            out.append(ast.Assign([store(name)], load(counter)))
        if isinstance(each, ast.If):
            each = ast.If(each.test, _with_copy(each.body, name, counter), _with_copy(each.orelse, name, counter))
        out.append(each)
    return out
