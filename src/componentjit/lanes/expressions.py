"""Expressions of a loop, for all lanes at once."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir

from componentjit.errors import NotVectorizable
from componentjit.lanes.kinds import DRAWS, kind_of_value, widest
from componentjit.lanes.layout import LANES
from componentjit.lanes.vectors import (
    DOUBLE,
    EVERYWHERE,
    INT,
    LONG,
    NOWHERE,
    SCALARS,
    VECTORS,
    Arithmetic,
    Value,
)
from componentjit.loops import LoopInterface

# Up to this many rows, one of them is chosen by comparing with each index; with more rows, loading
# from 16 addresses takes less time.
FEW = 8
LIBRARY = {"math.exp": "exp", "math.log": "log", "math.log1p": "log1p", "math.expm1": "expm1"}
ROUNDED = {"math.floor": "floor", "math.ceil": "ceil", "round": "roundeven"}


class Expressions:
    """Writes expressions; variables and regions are those of the surrounding statements."""

    builder: ir.IRBuilder
    maths: Arithmetic
    interface: LoopInterface
    narrow: Any  # which lanes an expression is for, if not for all that are here
    pointers: dict[str, Any]
    numbers: dict[str, Any]
    sizes: dict[tuple[str, int], Any]
    array_kinds: dict[str, str]
    number_kinds: dict[str, str]

    def mask(self) -> Any:
        """Return which lanes are here, or None if all are."""
        raise NotImplementedError

    def read(self, name: str) -> Value:
        """Return the value of a variable."""
        raise NotImplementedError

    def within(self, test: Value) -> Any:
        """Return which of the lanes that are here pass a test."""
        flags, mask = self.maths.as_vector(self.maths.as_kind(test, "b")).code, self.mask()
        return flags if mask is None else self.builder.select(mask, flags, NOWHERE)

    @contextlib.contextmanager
    def narrow_to(self, test: Value) -> Iterator[None]:
        """Restrict the code in this block to the lanes that pass a test."""
        before, self.narrow = self.narrow, self.within(test)
        yield
        self.narrow = before

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        match node:
            case ast.Constant(value=value):
                return self.maths.constant(value, kind=kind_of_value(value))  # type: ignore[arg-type]
            case ast.Name(id=name) if name in self.numbers:
                return self.number(name)
            case ast.Name(id=name):
                return self.read(name)
            case ast.Attribute(value=ast.Name(id=array), attr="size"):
                found = LONG(1)
                for axis in range(self.dimensions(array)):
                    found = self.times(found, self.sizes[array, axis])
                return Value(found, "i", False)
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=array)), slice=ast.Constant(value=int(axis))
            ):
                return Value(self.sizes[array, axis], "i", False)
            case ast.Subscript(value=ast.Name(id=array), slice=index):
                return self.get(array, self.indices(index))
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(
                    type(op).__name__, self.expression(left), self.expression(right)
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.maths.invert(self.expression(operand))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.maths.negative(self.expression(operand))
            case ast.BoolOp(op=op, values=[first, *others]):
                found_flag = self.expression(first)
                for other in others:
                    found_flag = self.join(found_flag, other, is_and=isinstance(op, ast.And))
                return found_flag
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compare_chain(left, ops, others)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.choose(self.maths.as_kind(self.expression(test), "b"), body, orelse)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.call(name, [self.expression(each) for each in args])
        raise NotVectorizable(f"an expression that lanes do not support ({ast.unparse(node)})")

    def number(self, name: str) -> Value:
        """Return a parameter."""
        kind = self.number_kinds[name]
        return self.maths.as_kind(
            Value(self.numbers[name], "f" if kind == "f" else "i", False), kind
        )

    def times(self, x: Any, y: Any) -> Any:
        """Return a product of lengths: a constant if they are known."""
        if isinstance(x, ir.Constant) and isinstance(y, ir.Constant):
            return LONG(x.constant * y.constant)
        return self.builder.mul(x, y)

    def operation(self, name: str, left: Value, right: Value) -> Value:
        """Return the result of an operator."""
        if name == "Mod":
            if right.kind == "f" or left.kind == "f":
                raise NotVectorizable("a remainder (%) of floats")
            mask = self.mask()
            if right.varies and mask is not None:  # lanes that are elsewhere must not divide by 0
                right = self.maths.select(Value(mask, "b", True), right, Value(LONG(1), "i", False))
            return self.maths.remainder(left, right)
        if name not in ("Add", "Sub", "Mult", "Div", "Pow"):
            raise NotVectorizable(f"an operator that lanes do not support ({name})")
        return self.maths.binary(name, left, right)

    def compare_chain(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Value:
        """Return the result of a chain of comparisons."""
        before, found = self.expression(left), None
        for op, other in zip(ops, others, strict=True):
            after = self.expression(other)
            one = self.maths.compare(type(op).__name__, before, after)
            found = one if found is None else self.maths.both(found, one)
            before = after
        assert found is not None
        return found

    def join(self, first: Value, other: ast.expr, *, is_and: bool) -> Value:
        """Return ``first and other``, or ``or``; the other is evaluated only where it decides."""
        decides = first if is_and else self.maths.invert(first)
        if first.varies:
            with self.narrow_to(decides):
                second = self.expression(other)
        else:
            second = self.evaluate_if(decides, other)
        return (self.maths.both if is_and else self.maths.either)(first, second)

    def evaluate_if(self, test: Value, node: ast.expr) -> Value:
        """Return an expression that is evaluated only if a uniform test holds; else it is 0."""
        start, then, end = self.builder.block, self.new_block("then"), self.new_block("then.end")
        self.builder.cbranch(test.code, then, end)
        self.builder.position_at_end(then)
        value = self.expression(node)
        last = self.builder.block
        self.builder.branch(end)
        self.builder.position_at_end(end)
        found = self.builder.phi(value.code.type)
        found.add_incoming(value.code, last)
        found.add_incoming(self.maths.zero(value.code.type), start)
        return value._replace(code=found)

    def choose(self, test: Value, body: ast.expr, orelse: ast.expr) -> Value:
        """Return one of two expressions."""
        if test.varies:
            with self.narrow_to(test):
                yes = self.expression(body)
            with self.narrow_to(self.maths.invert(test)):
                no = self.expression(orelse)
            return self.maths.select(test, yes, no)
        yes = self.evaluate_if(test, body)
        no = self.evaluate_if(self.maths.invert(test), orelse)
        return self.maths.select(test, yes, no)

    def new_block(self, name: str) -> Any:
        """Return a new block of code, to be written later."""
        return self.builder.function.append_basic_block(name)

    # Arrays

    def dimensions(self, array: str) -> int:
        """Return how many axes an array has, without that of lanes."""
        return sum(name == array for name, _ in self.sizes)

    def indices(self, node: ast.expr) -> list[Value]:
        """Return the indices of an item."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        found = [self.expression(each) for each in parts]
        if any(each.kind == "f" for each in found):
            raise NotVectorizable("an index that is a float")
        return [self.maths.as_kind(each, "i") for each in found]

    def row(self, array: str, indices: list[Value]) -> Value:
        """Return the number of a row of lanes; negative indices count from the end."""
        if len(indices) != self.dimensions(array):
            raise NotVectorizable("a slice or a row of an array")
        found = Value(LONG(0), "i", False)
        for axis, index in enumerate(indices):
            length = Value(self.sizes[array, axis], "i", False)
            found = self.maths.binary(
                "Add", self.maths.binary("Mult", found, length), self.from_start(index, length)
            )
        return found

    def from_start(self, index: Value, length: Value) -> Value:
        """Return an index that counts from the start."""
        if isinstance(index.code, ir.Constant) and not index.varies:
            return index if index.code.constant >= 0 else self.maths.binary("Add", length, index)
        below = self.maths.compare("Lt", index, Value(LONG(0), "i", False))
        return self.maths.select(below, self.maths.binary("Add", index, length), index)

    def safe_row(self, row: Value) -> Value:
        """Return a row that can be read even if not all lanes, or none, are here."""
        mask = self.mask()
        if mask is None or (
            isinstance(row.code, ir.Constant) and not row.varies and self.narrow is None
        ):
            return row
        if row.varies:
            return self.maths.select(Value(mask, "b", True), row, Value(LONG(0), "i", False))
        if self.narrow is None:  # blocks without lanes are skipped
            return row
        return self.maths.select(
            Value(self.maths.any(mask), "b", False), row, Value(LONG(0), "i", False)
        )

    def one_of_few(self, array: str, indices: list[Value]) -> tuple[int, int] | None:
        """Return the axis along which lanes differ, and its length, if that is short."""
        which = [axis for axis, index in enumerate(indices) if index.varies]
        if len(which) != 1:
            return None
        length = self.sizes[array, which[0]]
        few = isinstance(length, ir.Constant) and length.constant <= FEW
        return (which[0], length.constant) if few else None

    def rows_of_few(
        self, array: str, indices: list[Value], axis: int, length: int
    ) -> Iterator[tuple[Any, Value]]:
        """Yield the address of each row that a lane may mean, and which lanes mean it."""
        index = self.from_start(indices[axis], Value(LONG(length), "i", False))
        for position in range(length):
            here = Value(LONG(position), "i", False)
            row = self.safe_row(self.row(array, [*indices[:axis], here, *indices[axis + 1 :]]))
            yield self.address(array, row), self.maths.compare("Eq", index, here)

    def address(self, array: str, row: Value) -> Any:
        """Return where a row of lanes is."""
        place = self.times(row.code, LONG(LANES))
        return self.builder.gep(self.pointers[array], [place], source_etype=DOUBLE)

    def get(self, array: str, indices: list[Value]) -> Value:
        """Return an item of an array, for every lane."""
        kind = self.array_kinds[array]
        if array in self.interface.uniform:
            (index,) = indices
            if index.varies:
                raise NotVectorizable(f"an index of {array} that differs between lanes")
            index = self.from_start(index, Value(self.sizes[array, 0], "i", False))
            place = self.builder.gep(self.pointers[array], [index.code], source_etype=SCALARS[kind])
            return Value(self.builder.load(place, typ=SCALARS[kind]), kind, False)
        few = self.one_of_few(array, indices)
        if few is not None:
            found = None
            for place, means in self.rows_of_few(array, indices, *few):
                one = Value(self.builder.load(place, typ=VECTORS[kind], align=8), kind, True)
                found = one if found is None else self.maths.select(means, one, found)
            assert found is not None
            return found
        row = self.safe_row(self.row(array, indices))
        if not row.varies:
            return Value(
                self.builder.load(self.address(array, row), typ=VECTORS[kind], align=8), kind, True
            )
        result = ir.Constant(VECTORS[kind], ir.Undefined)
        for lane, place in enumerate(self.lane_addresses(array, row)):
            result = self.builder.insert_element(
                result, self.builder.load(place, typ=SCALARS[kind]), INT(lane)
            )
        return Value(result, kind, True)

    def lane_addresses(self, array: str, row: Value) -> Iterator[Any]:
        """Yield where the item of every lane is."""
        for lane in range(LANES):
            one = self.builder.extract_element(row.code, INT(lane))
            place = self.builder.add(self.builder.mul(one, LONG(LANES)), LONG(lane))
            yield self.builder.gep(self.pointers[array], [place], source_etype=DOUBLE)

    def put(self, array: str, indices: list[Value], value: Value) -> None:
        """Set an item of an array, in the lanes that are here."""
        kind, mask = self.array_kinds[array], self.mask()
        if array in self.interface.uniform:
            raise NotVectorizable(f"an assignment to {array}, which is uniform")
        new = self.maths.as_vector(self.maths.as_kind(value, kind)).code
        few = self.one_of_few(array, indices)
        if few is not None:
            for place, means in self.rows_of_few(array, indices, *few):
                self.blend(place, new, self.within(means), kind)
            return
        row = self.safe_row(self.row(array, indices))
        if not row.varies:
            self.blend(self.address(array, row), new, mask, kind)
            return
        for lane, place in enumerate(self.lane_addresses(array, row)):
            one = self.builder.extract_element(new, INT(lane))
            if mask is not None:
                here = self.builder.extract_element(mask, INT(lane))
                one = self.builder.select(here, one, self.builder.load(place, typ=SCALARS[kind]))
            self.builder.store(one, place)

    def blend(self, place: Any, new: Any, mask: Any, kind: str) -> None:
        """Store a vector in the lanes of a mask."""
        if mask is not None:
            new = self.builder.select(
                mask, new, self.builder.load(place, typ=VECTORS[kind], align=8)
            )
        self.builder.store(new, place, align=8)

    # Calls

    def call(self, name: str, values: list[Value]) -> Value:
        """Return the value of a function that is known here."""
        maths = self.maths
        owner, _, method = name.rpartition(".")
        if owner in self.interface.generators and method in DRAWS:
            mask = self.mask()
            where = EVERYWHERE if mask is None else mask
            if not values:
                return maths.uniform(self.pointers[owner], where)
        elif name in ("float", "int", "bool") and len(values) == 1:
            return maths.as_kind(values[0], name[0])
        elif name in ("min", "max") and len(values) > 1:
            common = widest(*(each.kind for each in values))
            return maths.least(
                [maths.as_kind(each, common) for each in values],
                sign="Lt" if name == "min" else "Gt",
            )
        elif name == "abs":
            if values[0].kind == "f":
                return maths.intrinsic("fabs", values[0])
            whole = maths.as_kind(values[0], "i")
            return maths.least([whole, maths.negative(whole)], sign="Gt")
        elif name in LIBRARY:
            return maths.elementary(LIBRARY[name], values, here=self.mask())
        elif name in ("math.sqrt", "math.copysign"):
            return maths.intrinsic(method, *values)
        elif name == "bits.exponent":
            return maths.exponent(values[0])
        elif name == "bits.fraction":
            return maths.fraction(values[0])
        elif name in ROUNDED and len(values) == 1:
            return maths.as_kind(maths.intrinsic(ROUNDED[name], values[0]), "i")
        raise NotVectorizable(f"a call to {name}, which lanes do not support")
