"""A loop in a simpler language: numbers and arrays, and one assignment per statement.

Records (named tuples) are taken apart: field ``arm`` of ``trace`` becomes a variable called
``trace.arm``.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from componentjit import bits
from componentjit.errors import LoopError, NotVectorizable
from componentjit.guards import GuardSpec, guards, wrong
from componentjit.lanes.found_records import FoundRecords
from componentjit.lanes.records import Shape, leaves, path_of, shape_of, target_pairs, value_at
from componentjit.loops import LoopInterface
from componentjit.state import as_plain
from componentjit.syntax import InlinedLoop, Statements, load, store

NUMBERS = (bool, int, float, np.number)
MODULES = {"math": math, "bits": bits}  # whose functions lanes support


class Failure(NamedTuple):
    """An error that a loop may raise."""

    kind: type[Exception]
    message: str  # may have places for two numbers
    numbers: bool = False  # whether it has them


class Normal(NamedTuple):
    """A loop in normal form."""

    body: Statements
    arrays: dict[str, Any]  # by name
    numbers: dict[str, Any]  # fields that are numbers
    uniform: dict[str, Any]  # arguments that are numbers, the same in all lanes
    carried: dict[str, Any]  # passed from one call to the next in every lane, with examples
    returned: dict[str, ast.expr]  # the values that are passed on
    failures: list[Failure]
    interface: LoopInterface


def to_normal_form(
    loop: InlinedLoop, interface: LoopInterface, examples: Mapping[str, Any]
) -> Normal:
    """Return a loop in normal form, or raise ``NotVectorizable``.

    ``examples`` are arguments of one trial, by name.
    """
    fields = {name: value_at(examples, path) for name, path in loop.fields.items()}
    return _Normalizer(loop, interface, fields, examples).to_normal()


class _Normalizer(FoundRecords):
    def __init__(
        self,
        loop: InlinedLoop,
        interface: LoopInterface,
        fields: Mapping[str, Any],
        examples: Mapping[str, Any],
    ) -> None:
        self.source, self.names, self.interface = loop.body, loop.globals, interface
        carried = {name: examples[name] for name in interface.carried}
        self.shapes: dict[str, Shape] = {
            name: shape_of(value) or {}
            for name, value in carried.items()
            if isinstance(value, tuple)
        }
        self.carried = {
            leaf: value_at(carried, leaf)
            for name in carried
            for leaf in leaves(name, self.shapes.get(name))
        }
        shared = (*interface.tables, *interface.uniform)
        self.values = dict(fields) | {
            name: examples[name] for name in shared if isinstance(examples[name], np.ndarray)
        }
        self.uniform = {
            name: examples[name]
            for name in interface.uniform
            if not isinstance(examples[name], np.ndarray)
        }
        self.arrays = {
            name: name for name, value in self.values.items() if isinstance(value, np.ndarray)
        }
        self.check_uniform()
        for leaf, value in self.carried.items():
            if isinstance(value, np.ndarray):
                self.arrays[leaf] = self.array_of_state(leaf, value)
            elif not isinstance(value, NUMBERS):
                raise NotVectorizable(f"{leaf} is carried, but is not a number")
        self.failures: list[Failure] = []
        self.count = itertools.count()

    def check_uniform(self) -> None:
        """Refuse uniform arguments that lanes cannot read."""
        for name in self.interface.uniform:
            value = self.uniform.get(name, 0)
            if not isinstance(value, NUMBERS) or (
                name in self.values and self.values[name].ndim != 1
            ):
                raise NotVectorizable(
                    f"{name} is uniform, but not a number or an array of one axis"
                )

    def array_of_state(self, leaf: str, value: Any) -> str:
        """Return the name of a field that is the same array as what is carried."""
        for name, other in self.values.items():
            if other is value:
                return name
        raise NotVectorizable(f"{leaf} is carried and an array, but not a field of the component")

    def to_normal(self) -> Normal:
        self.find_records()
        *body, last = self.source
        if isinstance(last, ast.Return):
            returned = self.returned_values(last.value)
        else:
            body.append(last)
            returned = self.returned_values(None)
        statements = self.block(body)
        numbers = {name: value for name, value in self.values.items() if isinstance(value, NUMBERS)}
        return Normal(
            statements,
            {name: self.values[name] for name in dict.fromkeys(self.arrays.values())},
            numbers,
            self.uniform,
            {
                leaf: value
                for leaf, value in self.carried.items()
                if not isinstance(value, np.ndarray)
            },
            returned,
            self.failures,
            self.interface,
        )

    # What is returned

    def returned_values(self, value: ast.expr | None) -> dict[str, ast.expr]:
        """Return what the loop returns, by the arguments that it continues, or refuse it."""
        expected = self.interface.returns
        parts: list[ast.expr] = (
            []
            if value is None or (isinstance(value, ast.Constant) and value.value is None)
            else value.elts
            if isinstance(value, ast.Tuple)
            else [value]
        )
        if len(parts) != len(expected):
            if any(
                isinstance(node, ast.Return) for each in self.source[:-1] for node in ast.walk(each)
            ):
                raise NotVectorizable("a return before the end of the loop")
            raise LoopError(
                f"the loop returns {len(parts)} values, but declares {len(expected)}"
                f"{': ' if expected else ''}{', '.join(expected)}."
            )
        declared = {name for name, _ in self.interface.roles()}
        found: dict[str, ast.expr] = {}
        for name, part in zip(expected, parts, strict=True):
            if isinstance(part, ast.Name) and part.id in declared - {name}:
                raise LoopError(f"the loop returns {part.id}, but declares {name} in that place.")
            if name in self.shapes:
                found |= self.returned_record(name, part)
            else:
                found[name] = self.expression(part)
        return found

    def returned_record(self, name: str, value: ast.expr) -> dict[str, ast.expr]:
        """Return the numbers of a returned record, which may be a plain tuple."""
        if isinstance(value, ast.Call) and self.callee(value) is as_plain:
            value = value.args[0]
        fields = self.shapes[name]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(fields):
            parts = value.elts
        elif self.shape(value) == fields:
            parts = [ast.Attribute(value, field, ast.Load()) for field in fields]
        else:
            raise NotVectorizable(f"a returned value that is not a record like {name}")
        found: dict[str, ast.expr] = {}
        for (field, shape), part in zip(fields.items(), parts, strict=True):
            path = path_of(part)
            if shape is not None and self.shape(part) != shape:
                raise NotVectorizable(f"a returned {name} with another kind of {field}")
            for leaf in leaves("", shape):
                target = f"{name}.{field}{leaf}"
                if target in self.arrays:
                    if self.arrays.get(f"{path}{leaf}") != self.arrays[target]:
                        raise NotVectorizable(f"{target} may be either of two arrays")
                else:
                    found[target] = load(f"{path}{leaf}") if path else self.expression(part)
        return found

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
                return self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                read = copy.copy(target)
                read.ctx = ast.Load()
                return self.assign(target, ast.BinOp(read, op, value))
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
                    raise NotVectorizable("a range with a step")
                call = ast.Call(load("range"), [self.expression(each) for each in bounds], [])
                return [ast.For(node.target, call, self.block(node.body), [])]
            case ast.Raise(
                exc=ast.Call(args=[ast.Constant(value=str(message))]) as error, cause=None
            ):
                self.failures.append(Failure(self.callee(error), message))
                return [ast.Raise(ast.Constant(len(self.failures)), None)]
            case ast.Expr(value=ast.Call(args=[found, wanted]) as check) if (
                self.callee(check) in guards
            ):
                return [
                    self.check(
                        guards[self.callee(check)], self.expression(found), self.expression(wanted)
                    )
                ]
        raise NotVectorizable(f"a statement that lanes do not support ({type(node).__name__})")

    def check(self, guard: GuardSpec, found: ast.expr, wanted: ast.expr) -> ast.stmt:
        """Return a check in normal form: an error with both numbers, if it fails."""
        self.failures.append(Failure(guard.error, guard.sentence, numbers=True))
        told = ast.Tuple([found, wanted], ast.Load())
        return ast.If(
            wrong(guard, found, wanted), [ast.Raise(ast.Constant(len(self.failures)), told)], []
        )

    def assign(self, target: ast.expr, value: ast.expr) -> Statements:
        every = list(target_pairs(target, value))
        if len(every) > 1:  # all values first
            held = [(f"tuple.{next(self.count)}", one, each) for one, each in every]
            for name, _, each in held:
                self.note_assignment(name, each)
            first = [part for name, _, each in held for part in self.assign(store(name), each)]
            return first + [part for name, one, _ in held for part in self.assign(one, load(name))]
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
                raise NotVectorizable("indexing something that is not an array")
            place = ast.Subscript(load(array), self.expression(target.slice), ast.Store())
            return [ast.Assign([place], self.expression(value))]
        raise NotVectorizable(f"an assignment to {ast.unparse(target)}")

    # Expressions

    def expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return node
            case ast.Name(id=name) if name in self.arrays or name in self.shapes:
                raise NotVectorizable(f"{name} is not a number")
            case ast.Name(id=name) if name in self.names:
                if not isinstance(self.names[name], NUMBERS):
                    raise NotVectorizable(f"{name} is not a number")
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
                    raise NotVectorizable(f"{module}.{name}, which is not a constant")
                return ast.Constant(value)
            case ast.Attribute() if (
                (path := path_of(node)) and path not in self.arrays and self.is_leaf(node)
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
                if owner not in self.interface.generators:
                    owner = self.known_module(owner)
                return ast.Call(
                    load(f"{owner}.{name}"), [self.expression(each) for each in node.args], []
                )
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name not in self.names:
                return ast.Call(load(name), [self.expression(each) for each in node.args], [])
        raise NotVectorizable(f"an expression that lanes do not support ({ast.unparse(node)})")

    def known_module(self, name: str) -> str:
        """Return the name of a module whose functions are known here, or refuse anything else."""
        for known, module in MODULES.items():
            if self.names.get(name) is module:
                return known
        raise NotVectorizable(f"a call to a function of {name}, which lanes do not support")

    def is_leaf(self, node: ast.Attribute) -> bool:
        shape = self.shape(node.value)
        return shape is not None and node.attr in shape and shape[node.attr] is None
