"""Where the variables of all lanes are stored, and which lanes are in a block."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from componentjit.errors import NotVectorizable
from componentjit.lanes.expressions import Expressions
from componentjit.lanes.kinds import Kinds, Varying
from componentjit.lanes.layout import CARRIED, LANES, Layout
from componentjit.lanes.normal import Normal
from componentjit.lanes.vectors import (
    DOUBLE,
    LONG,
    POINTER,
    SCALARS,
    VECTORS,
    Arithmetic,
    Value,
)


class Region:
    """A block that some lanes are in: its mask, and copies of the variables that it assigns."""

    def __init__(
        self, mask: Any, copies: dict[str, Any], outer: Region | None, loop: object = None
    ) -> None:
        self.mask, self.copies, self.outer, self.loop = mask, copies, outer, loop


class LaneMemory(Expressions):
    """The function that is written: its tables, variables and masks, before its first statement."""

    def __init__(self, normal: Normal, kinds: Kinds, varying: Varying, layout: Layout) -> None:
        self.normal, self.kinds, self.varying, self.layout = normal, kinds, varying, layout
        self.interface = normal.interface
        self.array_kinds, self.number_kinds = kinds.arrays, kinds.names
        self.module = ir.Module("lanes")
        self.function = ir.Function(self.module, ir.FunctionType(LONG, [POINTER] * 3), "play")
        self.entry = self.function.append_basic_block("entry")
        self.start = self.function.append_basic_block("start")
        self.builder = ir.IRBuilder(self.entry)
        self.maths = Arithmetic(self.module, self.builder)
        self.region: Region | None = None
        self.narrow: Any = None  # a mask within an expression
        self.places: dict[str, Any] = {}
        self.read_tables()
        self.last = self.entry
        self.builder.position_at_end(self.start)
        self.read_arguments()

    def read_tables(self) -> None:
        """Read what the tables hold, before everything else."""
        addresses, integers, floats = self.function.args
        self.pointers = {
            name: self.at_entry(addresses, position, POINTER)
            for position, name in enumerate(self.layout.pointers)
        }
        self.numbers = {
            name: self.at_entry(floats, i, DOUBLE) for i, name in enumerate(self.layout.floats)
        }
        self.numbers |= {
            name: self.at_entry(integers, i, LONG) for i, name in enumerate(self.layout.integers)
        }
        self.sizes: dict[tuple[str, int], Any] = {}
        for position, (name, axis) in enumerate(self.layout.lengths, len(self.layout.integers)):
            fixed = self.layout.fixed[name][axis]
            self.sizes[name, axis] = (
                self.at_entry(integers, position, LONG) if fixed is None else LONG(fixed)
            )
        self.arguments = {
            name: self.at_entry(integers, i, LONG)
            for i, name in enumerate(self.layout.uniform_integers, self.layout.first_integer)
        } | {
            name: self.at_entry(floats, i, DOUBLE)
            for i, name in enumerate(self.layout.uniform_floats, len(self.layout.floats))
        }

    def at_entry(self, table: Any, position: int, kind: Any) -> Any:
        """Return an entry of a table."""
        return self.builder.load(
            self.builder.gep(table, [LONG(position)], source_etype=kind), typ=kind
        )

    def carried_place(self, row: int) -> Any:
        """Return where a row of what is carried is."""
        return self.builder.gep(self.pointers[CARRIED], [LONG(row * LANES)], source_etype=DOUBLE)

    def read_arguments(self) -> None:
        """Set the variables that are arguments: carried from call to call, or uniform."""
        for row, name in enumerate(self.layout.carried):
            kind = self.kind(name)
            stored = "f" if kind == "f" else "i"
            of = (VECTORS if name in self.varying.names else SCALARS)[stored]
            code = self.builder.load(self.carried_place(row), typ=of, align=8)
            value = self.maths.as_kind(Value(code, stored, name in self.varying.names), kind)
            self.assign(name, value)
        for name, code in self.arguments.items():
            stored = "f" if name in self.layout.uniform_floats else "i"
            self.assign(name, Value(code, stored, False))

    def write_carried(self) -> None:
        """Store the carried values for the next call."""
        for row, name in enumerate(self.layout.carried):
            value = self.expression(self.normal.returned[name])
            stored = self.maths.as_vector(
                self.maths.as_kind(value, "f" if self.kind(name) == "f" else "i")
            )
            self.builder.store(stored.code, self.carried_place(row), align=8)

    def kind(self, name: str) -> str:
        """Return the kind of a variable."""
        return self.kinds.names[name]

    def new_place(self, name: str, *, varies: bool) -> Any:
        """Reserve memory for a variable."""
        of = (VECTORS if varies else SCALARS)[self.kind(name)]
        with self.builder.goto_block(self.entry):
            place = self.builder.alloca(of)
            self.builder.store(self.maths.zero(of), place)
        return place

    def place(self, name: str) -> Any:
        """Return where the value of a variable is stored for the lanes of the current region."""
        region = self.region
        while region is not None:
            if name in region.copies:
                return region.copies[name]
            region = region.outer
        if name not in self.places:
            self.places[name] = self.new_place(name, varies=name in self.varying.names)
        return self.places[name]

    def read(self, name: str) -> Value:
        """Return the value of a variable, as the lanes of the current region see it."""
        varies, kind = name in self.varying.names, self.kind(name)
        return Value(
            self.builder.load(self.place(name), typ=(VECTORS if varies else SCALARS)[kind]),
            kind,
            varies,
        )

    def assign(self, name: str, value: Value) -> None:
        """Set a variable for the lanes of the current region."""
        value = self.maths.as_kind(value, self.kind(name))
        if name in self.varying.names:
            value = self.maths.as_vector(value)
        elif value.varies:
            raise NotVectorizable(f"a value of {name} that differs between trials")
        self.builder.store(value.code, self.place(name))

    # Masks

    def mask(self) -> Any:
        """Return which lanes are here, or None if all are."""
        if self.narrow is not None:
            return self.narrow
        return (
            None if self.region is None else self.builder.load(self.region.mask, typ=VECTORS["b"])
        )

    def new_mask(self, value: Any) -> Any:
        """Reserve memory for a mask, and set it."""
        with self.builder.goto_block(self.entry):
            place = self.builder.alloca(VECTORS["b"])
        self.builder.store(value, place)
        return place

    def enter(self, mask: Any, names: set[str], loop: object = None) -> Region:
        """Begin a region, with copies of the variables."""
        copies = {}
        for name in sorted(names & self.varying.names):
            copies[name] = self.new_place(name, varies=True)
            self.builder.store(self.read(name).code, copies[name])
        self.region = Region(self.new_mask(mask), copies, self.region, loop)
        return self.region

    def hand_over(self, region: Region, mask: Any) -> None:
        """Copy the variables of lanes that leave a region to the region around it."""
        for name in region.copies:
            value = self.read(name).code
            inside, self.region = self.region, region.outer
            before = self.read(name).code
            self.builder.store(self.builder.select(mask, value, before), self.place(name))
            self.region = inside
