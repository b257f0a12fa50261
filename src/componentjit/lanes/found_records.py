"""Which names of a loop hold records, and which hold arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any, cast

from componentjit.compiling import as_list
from componentjit.component import records
from componentjit.errors import NotVectorizable
from componentjit.lanes.records import Shape, path_of, target_pairs
from componentjit.syntax import Statements


class FoundRecords:
    """What is known about the names of a loop; ``find_records`` completes it."""

    source: Statements
    names: dict[str, Any]  # globals of the loop
    shapes: dict[str, Shape]  # records, by name
    arrays: dict[str, str]  # which array a name stands for

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
            for pair in target_pairs(target, node.value)
        ]
        before = -1
        while before != len(self.shapes) + len(self.arrays):
            before = len(self.shapes) + len(self.arrays)
            for target, value in pairs:
                if isinstance(target, ast.Name):
                    self.note_assignment(target.id, value)

    def note_assignment(self, name: str, value: ast.expr) -> None:
        """Note what a name holds after an assignment."""
        shape, array = self.shape(value), self.array(value)
        if shape is not None:
            if self.shapes.setdefault(name, shape).keys() != shape.keys():
                raise NotVectorizable(f"{name} may be either of two kinds of record")
            for leaf, part in self.parts(name, shape, value):
                inner = self.array(part)
                if inner and self.arrays.setdefault(leaf, inner) != inner:
                    raise NotVectorizable(f"{leaf} may be either of two arrays")
        elif array and self.arrays.setdefault(name, array) != array:
            raise NotVectorizable(f"{name} may be either of two arrays")

    def shape(self, node: ast.expr) -> Shape | None:
        """Return the fields of a record, None for anything else."""
        match node:
            case ast.Name(id=name):
                return self.shapes.get(name)
            case ast.Attribute(value=whole, attr=field):
                outer = self.shape(whole)
                return None if outer is None else outer.get(field)
            case ast.Call() if isinstance(record := self.callee(node), type) and issubclass(
                record, tuple
            ):
                fields = cast(Any, record)._fields
                if node.keywords or len(node.args) != len(fields):
                    raise NotVectorizable("a record constructed with keyword arguments")
                return {
                    field: self.shape(part) for field, part in zip(fields, node.args, strict=True)
                }
        return None

    def parts(self, name: str, shape: Shape, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield a record's leaves, with their values when ``value`` is assigned to it."""
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
        if isinstance(node, ast.Call) and self.callee(node) is as_list and len(node.args) == 1:
            return self.array(node.args[0])
        path = path_of(node)
        return self.arrays.get(path, "")

    def callee(self, node: ast.Call) -> Any:
        """Return what is called, if it is a global name."""
        value = self.names.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return records.get(value, value) if isinstance(value, FunctionType) else value
