"""Constant folding: constants, branches that are never taken, and unrolled loops."""

from __future__ import annotations

import ast
import contextlib
import copy
import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

from componentjit.lanes.counting import Counters
from componentjit.syntax import Statements, exits, load, names_assigned

Known = dict[str, Any]  # constants by name
# Of all axes of an array, by its name: None for a length that may change.
Lengths = Mapping[str, Sequence[int | None]]
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


# A loop of at most this many turns is unrolled: enough to draw one of 16 arms, four at a time. More
# turns would make the code longer, and so slower to compile, for little gain.
TURNS = 4


def simplify(body: Sequence[ast.stmt], flags: Set[str], lengths: Lengths) -> Statements:
    """Return statements with constants folded; ``flags`` are variables that are true or false."""
    return Counters().block(Folding({}, flags, lengths).block(body))


class Endless(Exception):
    """A loop has too many turns, or their number is unknown."""


class Rest(ast.While):
    """What is left of a loop after some turns."""

    turns = 0  # that may still be unrolled


class Both(ast.If):
    """A branch whose two sides may both be taken."""

    ends: tuple[Known, Known]  # what is known at the end of each side


class Folding:
    """Folds constants, in the order in which statements run."""

    def __init__(self, known: Known, flags: Set[str], lengths: Lengths) -> None:
        self.known, self.flags, self.lengths = known, flags, lengths

    def block(self, statements: Sequence[ast.stmt]) -> Statements:
        """Return simplified statements."""
        out: Statements = []
        for statement in statements:
            if not (out and self.join_branches(out[-1], statement)):
                out += self.statement(statement)
        return out

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
            case ast.While():
                return self.unroll(node)
            case ast.For():
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
        self.known = before
        orelse = self.block(node.orelse)
        unchanged = self.flags - names_assigned(node.orelse)
        implied = {
            x: value for x, value in _implications(node.test, taken=False).items() if x in unchanged
        }
        found = Both(test, body, orelse)
        found.ends = after, self.known | implied
        self.known = _known_on_both(*found.ends)
        return [found]

    def join_branches(self, before: ast.stmt, node: ast.stmt) -> bool:
        """Move the next branch into this one, if each side of this one decides it."""
        if (
            not isinstance(before, Both)
            or not isinstance(node, ast.If)
            or any(True for _ in exits([before]))
        ):
            return False
        flags = _implications(node.test, taken=True)
        if not flags.keys() & self.flags:  # a number may be neither True nor False
            return False
        ((flag, taken),) = flags.items()
        ways = _values_at_ends(before, flag)
        twice = any(
            side and ways.count(way) > 1
            for side, way in ((node.body, taken), (node.orelse, not taken))
        )
        if twice or not all(isinstance(way, bool) for way in ways):
            return False
        self.add_to(before, node)
        return True

    def add_to(self, branch: Both, node: ast.If) -> None:
        """Append what a branch does to the sides of another one."""
        ((flag, taken),) = _implications(node.test, taken=True).items()
        ends = []
        for known, side in zip(branch.ends, (branch.body, branch.orelse), strict=True):
            value, self.known = known.get(flag, UNKNOWN), dict(known)
            if value is UNKNOWN:
                inner = side[-1]
                assert isinstance(inner, Both)
                self.add_to(inner, node)
            else:
                side += self.block(copy.deepcopy(node.body if value is taken else node.orelse))
            ends.append(self.known)
        branch.ends = ends[0], ends[1]
        self.known = _known_on_both(*ends)

    def unroll(self, node: ast.While) -> Statements:
        """Return an unrolled loop, if the number of its turns is known: its counter is constant."""
        test = self.expression(node.test)
        if isinstance(test, ast.Constant) and not isinstance(node.test, ast.Constant):
            before = dict(self.known)
            try:
                return self.block(copy.deepcopy(unroll_once(node))) if test.value else []
            except Endless:
                self.known = before
        if isinstance(node, Rest):
            raise Endless
        return self.loop(node)

    def loop(self, node: ast.While | ast.For) -> Statements:
        """Return what a loop becomes.

        A variable stays constant if the loop only ever assigns the value from before to it.
        """
        changed = names_assigned([node])
        kept = {name: value for name, value in self.known.items() if name in changed}
        others = {name: value for name, value in self.known.items() if name not in changed}
        while True:
            inner = Folding(others | kept, self.flags, self.lengths)
            iterated = inner.expression(node.test if isinstance(node, ast.While) else node.iter)
            body = inner.block(copy.deepcopy(node.body))
            wrong = {
                name
                for name in kept
                if not _always_assigns([*body, *_targets(node)], name, kept[name])
            }
            if not wrong:
                break
            kept = {name: value for name, value in kept.items() if name not in wrong}
        self.known = others | kept
        if isinstance(node, ast.While):
            return [ast.While(iterated, body, [])]
        return [ast.For(node.target, iterated, body, [])]

    def expression(self, node: ast.expr) -> ast.expr:
        """Return an expression with constants folded."""
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
            case ast.Attribute(value=ast.Name(id=array), attr="size"):
                lengths = [each for each in self.lengths[array] if each is not None]
                return (
                    ast.Constant(math.prod(lengths))
                    if len(lengths) == len(self.lengths[array])
                    else node
                )
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=array)), slice=ast.Constant(value=int(axis))
            ):
                length = self.lengths[array][axis]
                return node if length is None else ast.Constant(length)
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


def _known_on_both(one: Known, other: Known) -> Known:
    """Return what is known on both sides."""
    return {name: value for name, value in one.items() if same(other.get(name, UNKNOWN), value)}


def _values_at_ends(branch: Both, flag: str) -> list[object]:
    """Return the value of a flag at every end of a branch, and of those that end its sides."""
    found: list[object] = []
    for known, side in zip(branch.ends, (branch.body, branch.orelse), strict=True):
        last = side[-1] if side else None
        if flag in known or not isinstance(last, Both):
            found.append(known.get(flag, UNKNOWN))
        else:
            found += _values_at_ends(last, flag)
    return found


def _implications(test: ast.expr, *, taken: bool) -> dict[str, Any]:
    """Return what is known of a flag where a branch on it was taken, or not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _implications(test.operand, taken=not taken)
    return {test.id: taken} if isinstance(test, ast.Name) else {}


def _targets(node: ast.While | ast.For) -> list[ast.stmt]:
    return [ast.Assign([node.target], load("?"))] if isinstance(node, ast.For) else []


def _always_assigns(statements: Sequence[ast.stmt], name: str, value: object) -> bool:
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


def unroll_once(node: ast.While) -> Statements:
    """Return one turn of a loop, and then the rest of it, which a break skips."""
    turns = node.turns if isinstance(node, Rest) else TURNS
    if turns == 0 or any(isinstance(each, ast.Continue) for each in exits(node.body)):
        raise Endless
    rest = Rest(node.test, node.body, [])
    rest.turns = turns - 1
    return _continue_with(node.body, [rest])


def _continue_with(statements: Sequence[ast.stmt], rest: Statements) -> Statements:
    """Return statements and then the rest, which is left out where they leave the loop."""
    for position, each in enumerate(statements):
        before, after = list(statements[:position]), statements[position + 1 :]
        if isinstance(each, ast.Break):
            return before
        if isinstance(each, ast.If) and any(True for _ in exits([each])):
            sides = each.body, each.orelse
            if not any(side and isinstance(side[-1], ast.Break) for side in sides):
                raise Endless  # what follows would be there twice
            following = _continue_with(after, rest)
            return [
                *before,
                ast.If(each.test, *(_continue_with(side, following) for side in sides)),
            ]
    return [*statements, *rest]
