"""The kind of every variable (flag, integer or float), and whether it differs between lanes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from componentjit.errors import NotVectorizable
from componentjit.lanes.counting import is_counter
from componentjit.lanes.normal import Normal
from componentjit.syntax import Statements, exits, names_assigned, names_read

ORDER = "bif"  # flags, integers, floats: each can represent those before it
RESULTS = {
    "float": "f",
    "int": "i",
    "bool": "b",
    "math.floor": "i",
    "math.ceil": "i",
    "round": "i",
    "math.sqrt": "f",
    "math.exp": "f",
    "math.log": "f",
    "math.log1p": "f",
    "math.expm1": "f",
    "math.copysign": "f",
    "bits.exponent": "i",
    "bits.fraction": "f",
}
DRAWS = ("random",)


def widest(*kinds: str) -> str:
    """Return the kind that can represent all of these; an empty text is an unknown kind."""
    return max(kinds, key=lambda kind: ORDER.find(kind) if kind else -1)


def kind_of_value(value: object) -> str:
    """Return the kind of a number."""
    if isinstance(value, bool | np.bool_):
        return "b"
    return "i" if isinstance(value, int | np.integer) else "f"


def kind_of_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> str:
    """Return the kind of an array's numbers, or refuse it."""
    kinds = {"float64": "f", "int64": "i"}
    if array.dtype.name not in kinds:
        raise NotVectorizable(f"an array of {array.dtype}, which lanes do not support")
    return kinds[array.dtype.name]


class Kinds:
    """The kinds of all variables of a loop."""

    def __init__(self, normal: Normal, body: Sequence[ast.stmt]) -> None:
        self.arrays = {name: kind_of_array(value) for name, value in normal.arrays.items()}
        start = normal.numbers | normal.uniform | normal.carried
        self.names = {name: kind_of_value(value) for name, value in start.items()}
        before: dict[str, str] | None = None
        while before != self.names:
            before = dict(self.names)
            for statement in body:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                        self.widen(node.targets[0].id, self.of(node.value))
                    elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                        self.widen(node.target.id, "i")

    def widen(self, name: str, kind: str) -> None:
        """Widen a variable so that it can represent one more kind."""
        self.names[name] = widest(self.names.get(name, ""), kind)

    @property
    def flags(self) -> set[str]:
        """The variables that are true or false."""
        return {name for name, kind in self.names.items() if kind == "b"}

    def of(self, node: ast.expr) -> str:
        """Return the kind of an expression."""
        match node:
            case ast.Constant(value=value):
                return kind_of_value(value)
            case ast.Name(id=name):
                return self.names.get(name, "")
            case ast.Attribute(attr="size") | ast.Subscript(value=ast.Attribute(attr="shape")):
                return "i"
            case ast.Subscript(value=ast.Name(id=name)):
                return self.arrays[name]
            case ast.BinOp(op=ast.Div() | ast.Pow()):
                return "f"
            case ast.BinOp(left=left, right=right):
                return widest("i", self.of(left), self.of(right))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return "b"
            case ast.UnaryOp(operand=operand):
                return widest("i", self.of(operand))
            case ast.BoolOp(values=values):
                if any(self.of(each) not in ("b", "") for each in values):
                    raise NotVectorizable("`and` or `or` of numbers instead of booleans")
                return "b"
            case ast.IfExp(body=body, orelse=orelse):
                return widest(self.of(body), self.of(orelse))
            case ast.Call(func=ast.Name(id="min" | "max"), args=args):
                return widest(*(self.of(each) for each in args))
            case ast.Call(func=ast.Name(id="abs"), args=[operand]):
                return widest("i", self.of(operand))
            case ast.Call(func=ast.Name(id=name)) if name in RESULTS:
                return RESULTS[name]
            case ast.Call(func=ast.Name(id=name)) if name.rpartition(".")[2] in DRAWS:
                return "f"
        raise NotVectorizable(f"an expression that lanes do not support ({ast.unparse(node)})")


class Varying:
    """Which variables and branches differ between lanes, and which loops lanes leave one by one."""

    def __init__(self, normal: Normal, body: Statements) -> None:
        self.body = body
        self.uniform = frozenset(normal.interface.uniform)
        self.names: set[str] = set()
        self.branches: set[int] = set()
        self.loops: set[int] = set()
        self.regions: dict[int, tuple[dict[str, int], set[str]]] = {}
        self.total = _occurrences(body)
        for name in names_read(list(normal.returned.values())):
            self.total[name] = self.total.get(name, 0) + 1
        before = -1
        while before != len(self.names) + len(self.branches) + len(self.loops):
            before = len(self.names) + len(self.branches) + len(self.loops)
            self.block(body, None)
            # in the next call, too
            self.names |= {name for name, value in normal.returned.items() if self.of(value)}

    def of(self, node: ast.expr) -> bool:
        """Return whether an expression differs between lanes."""
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Subscript(value=ast.Name(id=name)) if name not in self.uniform:
                return True
            case ast.Call(func=ast.Name(id=name)) if name.rpartition(".")[2] in DRAWS:
                return True
            case ast.Subscript(value=ast.Attribute()) | ast.Attribute():
                return False
        return any(
            self.of(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)
        )

    def block(self, statements: Sequence[ast.stmt], region: Sequence[ast.stmt] | None) -> None:
        """Go through statements; ``region`` is the innermost block that only some lanes are in."""
        for each in statements:
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if self.of(value) or not self.is_private(name, region):
                        self.names.add(name)
                case ast.If():
                    if self.of(each.test):
                        self.branches.add(id(each))
                    for side in (each.body, each.orelse):
                        self.block(side, side if id(each) in self.branches else region)
                case ast.While() | ast.For():
                    self.loop(each, region)

    def loop(self, node: ast.While | ast.For, region: Sequence[ast.stmt] | None) -> None:
        """Go through a loop."""
        if isinstance(node, ast.While):
            varies = self.of(node.test)
        else:
            assert isinstance(node.iter, ast.Call)
            assert isinstance(node.target, ast.Name)
            varies = any(self.of(each) for each in node.iter.args)
            if len(node.iter.args) == 2 and self.of(node.iter.args[0]):
                self.names.add(node.target.id)
            if not is_counter(node.target.id):
                self.names.add(node.target.id)
        if varies or self.left_by_some(node.body):
            self.loops.add(id(node))
        self.block(node.body, node.body if id(node) in self.loops else region)

    def left_by_some(self, statements: Sequence[ast.stmt]) -> bool:
        """Return whether a branch that differs between lanes has a break or continue."""
        for each in statements:
            if isinstance(each, ast.If):
                if id(each) in self.branches and any(True for _ in exits([each])):
                    return True
                if self.left_by_some(each.body) or self.left_by_some(each.orelse):
                    return True
        return False

    def is_private(self, name: str, region: Sequence[ast.stmt] | None) -> bool:
        """Return whether lanes outside a region never notice that a variable is assigned in it."""
        if region is None or is_counter(name):
            return True
        if id(region) not in self.regions:
            self.regions[id(region)] = _occurrences(region), exposed(region)
        inside, read_first = self.regions[id(region)]
        return inside.get(name, 0) == self.total.get(name, 0) and name not in read_first


def _occurrences(statements: Sequence[ast.stmt]) -> dict[str, int]:
    found: dict[str, int] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                found[node.id] = found.get(node.id, 0) + 1
    return found


def exposed(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the variables that may be read before they are assigned in these statements."""
    found: set[str] = set()
    sure: set[str] = set()
    for each in statements:
        found |= _exposed_in(each) - sure
        sure |= _surely_assigned(each)
    return found


def _exposed_in(node: ast.stmt) -> set[str]:
    match node:
        case ast.Assign(targets=[target], value=value):
            inner: list[ast.AST] = [value] if isinstance(target, ast.Name) else [value, target]
            return names_read(inner)
        case ast.If():
            return names_read([node.test]) | exposed(node.body) | exposed(node.orelse)
        case ast.While():
            return names_read([node.test]) | exposed(node.body)
        case ast.For():
            return names_read([node.iter]) | (exposed(node.body) - names_assigned([node.target]))
    return names_read([node])


def _surely_assigned(node: ast.stmt) -> set[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return {name}
        case ast.If():
            sides = [_all_surely(side) for side in (node.body, node.orelse)]
            return sides[0] & sides[1]
    return set()


def _all_surely(statements: Sequence[ast.stmt]) -> set[str]:
    if any(isinstance(each, ast.Break | ast.Continue | ast.Raise) for each in statements):
        return set()
    return set().union(*(_surely_assigned(each) for each in statements)) if statements else set()
