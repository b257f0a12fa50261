"""A loop in a simpler language: only numbers and arrays, one assignment a statement, and one array behind every name.

Records (tuples with names) are taken apart: field ``arm`` of ``trace`` becomes a variable called
``trace.arm``.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np

from componentjit import bits
from componentjit.compiling import as_list
from componentjit.component import records
from componentjit.guards import Guard, guards, wrong
from componentjit.state import as_plain
from componentjit.syntax import Statements, load, store

NUMBERS = (bool, int, float, np.number)
MODULES = {"math": math, "bits": bits}  # whose functions lanes can do


class NotVectorizable(Exception):
    """A loop cannot be turned into lanes; it is then played one trial at a time."""


class Failure(NamedTuple):
    """An error that a loop may raise."""

    kind: type[Exception]
    message: str  # perhaps with places for two numbers, which are told
    numbers: bool = False


class Normal(NamedTuple):
    """A loop in normal form."""

    body: Statements
    arrays: dict[str, Any]  # by name
    numbers: dict[str, Any]  # fields that are numbers
    held: dict[str, Any]  # what is handed on from one call to the next, and an example of each
    returned: dict[str, ast.expr]  # what becomes of it
    failures: list[Failure]


def normal_form(
    body: Sequence[ast.stmt],
    names: Mapping[str, Any],
    fields: Mapping[str, Any],
    given: Mapping[str, Any],
) -> Normal:
    """Return a loop in normal form, or raise ``NotVectorizable``.

    ``names`` are its globals, ``fields`` what was read from components, and ``given`` examples of
    its arguments.
    """
    return _Writing(body, names, fields, given).result()


Shape = dict[str, Any]  # of a record: the shape of each field, None for what is no record


def shape_of(value: object) -> Shape | None:
    """Return the shape of a record, or None for anything else."""
    if isinstance(value, tuple):
        if type(value) is tuple:
            raise NotVectorizable("a plain tuple")
        record: Any = value
        return {name: shape_of(part) for name, part in zip(record._fields, record, strict=True)}
    return None


def leaves(name: str, shape: Shape | None) -> Iterator[str]:
    """Yield the names of all numbers and arrays in a record."""
    if shape is None:
        yield name
    else:
        for field, inner in shape.items():
            yield from leaves(f"{name}.{field}", inner)


class _Writing:
    def __init__(
        self,
        body: Sequence[ast.stmt],
        names: Mapping[str, Any],
        fields: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> None:
        self.source, self.names, self.fields, self.given = body, names, fields, given
        self.shapes: dict[str, Shape] = {
            name: shape_of(value) or {} for name, value in given.items() if isinstance(value, tuple)
        }
        values = dict(fields) | {
            name: value for name, value in given.items() if not isinstance(value, tuple)
        }
        held = {name: value for name, value in given.items() if isinstance(value, tuple)}
        self.held = {
            leaf: value_at(held, leaf)
            for name, shape in self.shapes.items()
            for leaf in leaves(name, shape)
        }
        self.arrays = {
            name: name for name, value in values.items() if isinstance(value, np.ndarray)
        }
        self.values = values
        for leaf, value in self.held.items():
            if isinstance(value, np.ndarray):
                self.arrays[leaf] = next(
                    (name for name in self.arrays if values.get(name) is value), ""
                )
                if not self.arrays[leaf]:
                    raise NotVectorizable(f"{leaf} is an array of its own")
        self.failures: list[Failure] = []
        self.count = itertools.count()

    def result(self) -> Normal:
        self.find_records()
        *body, last = self.source
        returned: dict[str, ast.expr] = {}
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple):
            returned = self.handed_on(last.value)
        else:
            body.append(last)
        statements = self.block(body)
        numbers = {name: value for name, value in self.values.items() if isinstance(value, NUMBERS)}
        return Normal(
            statements,
            {name: self.values[name] for name in dict.fromkeys(self.arrays.values())},
            numbers,
            {leaf: value for leaf, value in self.held.items() if not isinstance(value, np.ndarray)},
            returned,
            self.failures,
        )

    def handed_on(self, value: ast.Tuple) -> dict[str, ast.expr]:
        """Return what the loop returns, by the names of what it was given: position, mark, loss and what is held."""
        t, mark, loss, plain = value.elts
        if not (
            isinstance(plain, ast.Call)
            and self.called(plain) is as_plain
            and isinstance(plain.args[0], ast.Tuple)
        ):
            raise NotVectorizable("what is returned")
        found = {"t": t, "mark": mark, "loss": loss}
        (name,) = self.shapes.keys() & self.given.keys()
        for field, part in zip(self.shapes[name], plain.args[0].elts, strict=True):
            shape = self.shapes[name][field]
            if not isinstance(part, ast.Name):
                raise NotVectorizable("what is returned")
            for leaf in leaves("", shape):
                if f"{part.id}{leaf}" not in self.arrays:
                    found[f"{name}.{field}{leaf}"] = load(f"{part.id}{leaf}")
        return found

    # Records and arrays

    def find_records(self) -> None:
        """Note which names hold records, and which hold arrays, until nothing new is found."""
        assigned = [
            node
            for statement in self.source
            for node in ast.walk(statement)
            if isinstance(node, ast.Assign)
        ]
        pairs = [
            pair
            for node in assigned
            for target in node.targets
            for pair in _pairs(target, node.value)
        ]
        before = -1
        while before != len(self.shapes) + len(self.arrays):
            before = len(self.shapes) + len(self.arrays)
            for target, value in pairs:
                if isinstance(target, ast.Name):
                    self.note(target.id, value)

    def note(self, name: str, value: ast.expr) -> None:
        shape, array = self.shape(value), self.array(value)
        if shape is not None:
            if self.shapes.setdefault(name, shape).keys() != shape.keys():
                raise NotVectorizable(f"{name} is two kinds of record")
            for leaf, part in self.parts(name, shape, value):
                inner = self.array(part)
                if inner and self.arrays.setdefault(leaf, inner) != inner:
                    raise NotVectorizable(f"{leaf} is one of two arrays")
        elif array and self.arrays.setdefault(name, array) != array:
            raise NotVectorizable(f"{name} is one of two arrays")

    def shape(self, node: ast.expr) -> Shape | None:
        match node:
            case ast.Name(id=name):
                return self.shapes.get(name)
            case ast.Attribute(value=whole, attr=field):
                outer = self.shape(whole)
                return None if outer is None else outer.get(field)
            case ast.Call() if isinstance(record := self.called(node), type) and issubclass(
                record, tuple
            ):
                fields = cast(Any, record)._fields
                if node.keywords or len(node.args) != len(fields):
                    raise NotVectorizable("a record made by keywords")
                return {
                    field: self.shape(part) for field, part in zip(fields, node.args, strict=True)
                }
        return None

    def parts(self, name: str, shape: Shape, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield the names of a record's leaves, and what they are when a value is assigned to it."""
        for position, (field, inner) in enumerate(shape.items()):
            part = (
                value.args[position]
                if isinstance(value, ast.Call)
                else ast.Attribute(value, field, ast.Load())
            )
            if inner is None:
                yield f"{name}.{field}", part
            else:
                yield from self.parts(f"{name}.{field}", inner, part)

    def array(self, node: ast.expr) -> str:
        """Return the name of the array that an expression stands for, or nothing."""
        if isinstance(node, ast.Call) and self.called(node) is as_list and len(node.args) == 1:
            return self.array(node.args[0])
        path = _path(node)
        return self.arrays.get(path, "")

    def called(self, node: ast.Call) -> Any:
        value = self.names.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return records.get(value, value) if isinstance(value, FunctionType) else value

    # Statements

    def block(self, statements: Sequence[ast.stmt]) -> Statements:
        return [each for statement in statements for each in self.statement(statement)]

    def statement(self, node: ast.stmt) -> Statements:
        match node:
            case ast.Pass():
                return []
            case ast.Break() | ast.Continue():
                return [node]
            case ast.Assign(targets=[target], value=value):
                return self.assigned(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                read = copy.copy(target)
                read.ctx = ast.Load()
                return self.assigned(target, ast.BinOp(read, op, value))
            case ast.If():
                return [
                    ast.If(
                        self.expression(node.test), self.block(node.body), self.block(node.orelse)
                    )
                ]
            case ast.While(orelse=[]):
                return [ast.While(self.expression(node.test), self.block(node.body), [])]
            case ast.For(
                target=ast.Name(), iter=ast.Call(func=ast.Name(id="range"), args=bounds), orelse=[]
            ):
                if len(bounds) > 2:
                    raise NotVectorizable("a range with steps")
                call = ast.Call(load("range"), [self.expression(each) for each in bounds], [])
                return [ast.For(node.target, call, self.block(node.body), [])]
            case ast.Raise(
                exc=ast.Call(args=[ast.Constant(value=str(message))]) as error, cause=None
            ):
                self.failures.append(Failure(self.called(error), message))
                return [ast.Raise(ast.Constant(len(self.failures)), None)]
            case ast.Expr(value=ast.Call(args=[found, wanted]) as check) if (
                self.called(check) in guards
            ):
                return [
                    self.guarded(
                        guards[self.called(check)], self.expression(found), self.expression(wanted)
                    )
                ]
        raise NotVectorizable(f"statement {type(node).__name__}")

    def guarded(self, guard: Guard, found: ast.expr, wanted: ast.expr) -> ast.stmt:
        """Return what a check does: raise, with both numbers, unless they fit."""
        self.failures.append(Failure(guard.error, guard.sentence, numbers=True))
        told = ast.Tuple([found, wanted], ast.Load())
        return ast.If(
            wrong(guard, found, wanted), [ast.Raise(ast.Constant(len(self.failures)), told)], []
        )

    def assigned(self, target: ast.expr, value: ast.expr) -> Statements:
        pairs = list(_pairs(target, value))
        if len(pairs) > 1:  # all values first
            held = [(f"tuple.{next(self.count)}", one, each) for one, each in pairs]
            for name, _, each in held:
                self.note(name, each)
            first = [part for name, _, each in held for part in self.assigned(store(name), each)]
            return first + [
                part for name, one, _ in held for part in self.assigned(one, load(name))
            ]
        if isinstance(target, ast.Name):
            shape = self.shape(value)
            if shape is not None:
                parts = [
                    (leaf, part)
                    for leaf, part in self.parts(target.id, shape, value)
                    if leaf not in self.arrays
                ]
                fresh = [f"part.{next(self.count)}" for _ in parts]  # all values first
                first = [
                    ast.Assign([store(x)], self.expression(part))
                    for x, (_, part) in zip(fresh, parts, strict=True)
                ]
                return [
                    *first,
                    *(
                        ast.Assign([store(leaf)], load(x))
                        for x, (leaf, _) in zip(fresh, parts, strict=True)
                    ),
                ]
            if target.id in self.arrays:
                return []
            return [ast.Assign([target], self.expression(value))]
        if isinstance(target, ast.Subscript):
            array = self.array(target.value)
            if not array:
                raise NotVectorizable("an item of no array")
            place = ast.Subscript(load(array), self.expression(target.slice), ast.Store())
            return [ast.Assign([place], self.expression(value))]
        raise NotVectorizable("an assignment")

    # Expressions

    def expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return node
            case ast.Name(id=name) if name in self.arrays or name in self.shapes:
                raise NotVectorizable(f"{name} is no number")
            case ast.Name(id=name) if name in self.names:
                if not isinstance(self.names[name], NUMBERS):
                    raise NotVectorizable(f"{name} is no number")
                return ast.Constant(self.names[name])
            case ast.Name():
                return node
            case ast.Attribute(attr="size") if array := self.array(node.value):
                return ast.Attribute(load(array), "size", ast.Load())
            case ast.Call(func=ast.Name(id="len"), args=[whole]) if array := self.array(whole):
                return ast.Subscript(
                    ast.Attribute(load(array), "shape", ast.Load()), ast.Constant(0), ast.Load()
                )
            case ast.Subscript(
                value=ast.Attribute(attr="shape", value=whole), slice=ast.Constant(value=int(axis))
            ):
                return ast.Subscript(
                    ast.Attribute(load(self.array(whole)), "shape", ast.Load()),
                    ast.Constant(axis),
                    ast.Load(),
                )
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self.names:
                value = vars(self.names[module])[name]
                if not isinstance(value, float):
                    raise NotVectorizable(f"{module}.{name}")
                return ast.Constant(value)
            case ast.Attribute() if (
                (path := _path(node)) and path not in self.arrays and self.is_leaf(node)
            ):
                return load(path)
            case ast.Subscript(value=whole, slice=index) if array := self.array(whole):
                return ast.Subscript(load(array), self.expression(index), ast.Load())
            case ast.Tuple():  # of indices
                return ast.Tuple([self.expression(each) for each in node.elts], ast.Load())
            case ast.BinOp():
                return ast.BinOp(self.expression(node.left), node.op, self.expression(node.right))
            case ast.UnaryOp():
                return ast.UnaryOp(node.op, self.expression(node.operand))
            case ast.BoolOp():
                return ast.BoolOp(node.op, [self.expression(each) for each in node.values])
            case ast.Compare(left=left, ops=ops, comparators=others):
                terms = [self.expression(each) for each in (left, *others)]
                return ast.Compare(terms[0], ops, terms[1:])
            case ast.IfExp():
                return ast.IfExp(
                    *(self.expression(each) for each in (node.test, node.body, node.orelse))
                )
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name), keywords=[]):
                if (
                    owner in self.names
                ):  # of a module, which may be somebody else's with the same name
                    owner = self.known_module(owner)
                return ast.Call(
                    load(f"{owner}.{name}"), [self.expression(each) for each in node.args], []
                )
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name not in self.names:
                return ast.Call(load(name), [self.expression(each) for each in node.args], [])
        raise NotVectorizable(f"expression {ast.unparse(node)}")

    def known_module(self, name: str) -> str:
        """Return what a module whose functions are known here is called, or refuse another one."""
        for known, module in MODULES.items():
            if self.names[name] is module:
                return known
        raise NotVectorizable(f"functions of {name}")

    def is_leaf(self, node: ast.Attribute) -> bool:
        shape = self.shape(node.value)
        return shape is not None and node.attr in shape and shape[node.attr] is None


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield every single target of an assignment with its value."""
    if isinstance(target, ast.Tuple):
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise NotVectorizable("a tuple taken apart")
        for one, each in zip(target.elts, value.elts, strict=True):
            yield from _pairs(one, each)
    else:
        yield target, value


def _path(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        whole = _path(node.value)
        return f"{whole}.{node.attr}" if whole else ""
    return ""


def value_at(records: Mapping[str, Any], path: str) -> Any:
    """Return what is at a path such as ``private.learner.weights``."""
    name, *fields = path.split(".")
    value = records[name]
    for field in fields:
        value = value[value._fields.index(field)]
    return value
