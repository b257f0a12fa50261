"""Numbers of lanes: LLVM vectors of floats, integers and flags, and their operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir

from componentjit.bits import FRACTION, ONE
from componentjit.lanes.kinds import widest
from componentjit.lanes.layout import LANES
from componentjit.lanes.machine import has_fused_products
from componentjit.lanes.rounded import NEAREST, is_accurate, write_elementary

DOUBLE, LONG, INT, FLAG, POINTER = (
    ir.DoubleType(),
    ir.IntType(64),
    ir.IntType(32),
    ir.IntType(1),
    ir.PointerType(),
)
SCALARS: dict[str, Any] = {"f": DOUBLE, "i": LONG, "b": FLAG}
VECTORS: dict[str, Any] = {kind: ir.VectorType(each, LANES) for kind, each in SCALARS.items()}
NOWHERE = ir.Constant(VECTORS["b"], [0] * LANES)
EVERYWHERE = ir.Constant(VECTORS["b"], [1] * LANES)
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
OPERATIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("Add", "f"): ir.IRBuilder.fadd,
    ("Add", "i"): ir.IRBuilder.add,
    ("Sub", "f"): ir.IRBuilder.fsub,
    ("Sub", "i"): ir.IRBuilder.sub,
    ("Mult", "f"): ir.IRBuilder.fmul,
    ("Mult", "i"): ir.IRBuilder.mul,
    ("Div", "f"): ir.IRBuilder.fdiv,
}
COMPARISONS = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}


class Value(NamedTuple):
    """A number in LLVM: its kind, and whether it is a vector with an entry for every lane."""

    code: Any
    kind: str
    varies: bool


class Arithmetic:
    """Writes operations on values with a builder; ``module`` gets the functions that they need."""

    def __init__(self, module: ir.Module, builder: ir.IRBuilder) -> None:
        self.module, self.builder = module, builder

    def constant(self, value: float, *, kind: str) -> Value:
        """Return a constant."""
        return Value(SCALARS[kind](float(value) if kind == "f" else int(value)), kind, False)

    def splat(self, value: Any) -> Any:
        """Return a vector that has the value in every lane."""
        vector = ir.VectorType(value.type, LANES)
        if isinstance(value, ir.Constant):
            return ir.Constant(vector, [value.constant] * LANES)
        one = self.builder.insert_element(ir.Constant(vector, ir.Undefined), value, INT(0))
        zeros = ir.Constant(ir.VectorType(INT, LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

    def as_kind(self, value: Value, kind: str) -> Value:
        """Return the value as another kind of number; floats are truncated to integers."""
        code, before, varies = value
        if before == kind:
            return value
        to = (VECTORS if varies else SCALARS)[kind]
        match before + kind:
            case "bi":
                code = self.builder.zext(code, to)
            case "bf":
                code = self.builder.uitofp(code, to)
            case "if":
                code = self.builder.sitofp(code, to)
            case "fi":
                code = self.builder.fptosi(code, to)
            case "ib":
                code = self.builder.icmp_signed("!=", code, self.zero(code.type))
            case "fb":
                code = self.builder.fcmp_unordered("!=", code, self.zero(code.type))
        return Value(code, kind, varies)

    def zero(self, of: Any) -> Any:
        """Return the zero of a type."""
        return ir.Constant(of, [0] * LANES if isinstance(of, ir.VectorType) else 0)

    def as_vector(self, value: Value) -> Value:
        """Return the value with an entry for every lane."""
        return value if value.varies else Value(self.splat(value.code), value.kind, True)

    def alike(self, *values: Value, kind: str = "") -> tuple[list[Any], str, bool]:
        """Return values with one kind, all of them vectors if one is."""
        common = kind or widest(*(each.kind for each in values))
        varies = any(each.varies for each in values)
        done = [self.as_kind(each, common) for each in values]
        return [(self.as_vector(each) if varies else each).code for each in done], common, varies

    def binary(self, operation: str, left: Value, right: Value) -> Value:
        """Return the result of an operator."""
        common = "f" if operation in ("Div", "Pow") else widest("i", left.kind, right.kind)
        (x, y), kind, varies = self.alike(left, right, kind=common)
        if operation == "Pow":
            return self.elementary("pow", [Value(x, kind, varies), Value(y, kind, varies)])
        return Value(OPERATIONS[operation, kind](self.builder, x, y), kind, varies)

    def remainder(self, left: Value, right: Value) -> Value:
        """Return the remainder of integers, with the sign of the divisor, which must not be 0."""
        (x, y), kind, varies = self.alike(left, right, kind="i")
        rest = self.builder.srem(x, y)
        other = self.builder.icmp_signed("<", self.builder.xor(rest, y), self.zero(y.type))
        wrong = self.builder.and_(other, self.builder.icmp_signed("!=", rest, self.zero(y.type)))
        return Value(self.builder.select(wrong, self.builder.add(rest, y), rest), kind, varies)

    def compare(self, operation: str, left: Value, right: Value) -> Value:
        """Return the result of a comparison."""
        (x, y), kind, varies = self.alike(left, right, kind=widest("i", left.kind, right.kind))
        sign = COMPARISONS[operation]
        if kind == "i":
            code = self.builder.icmp_signed(sign, x, y)
        else:
            code = (self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered)(
                sign, x, y
            )
        return Value(code, "b", varies)

    def negative(self, value: Value) -> Value:
        """Return the negative."""
        value = self.as_kind(value, widest("i", value.kind))
        write = self.builder.fneg if value.kind == "f" else self.builder.neg
        return value._replace(code=write(value.code))

    def invert(self, value: Value) -> Value:
        """Return the opposite of a flag."""
        flag = self.as_kind(value, "b")
        return flag._replace(
            code=self.builder.xor(flag.code, EVERYWHERE if flag.varies else FLAG(1))
        )

    def both(self, one: Value, other: Value) -> Value:
        """Return whether both hold; where the first does not, the second may be anything."""
        (x, y), _, varies = self.alike(one, other, kind="b")
        return Value(self.builder.select(x, y, self.zero(x.type)), "b", varies)

    def either(self, one: Value, other: Value) -> Value:
        """Return whether one of them holds; where the first does, the second may be anything."""
        (x, y), _, varies = self.alike(one, other, kind="b")
        return Value(self.builder.select(x, EVERYWHERE if varies else FLAG(1), y), "b", varies)

    def select(self, test: Value, yes: Value, no: Value) -> Value:
        """Return one of two values, in every lane by its own flag."""
        (x, y), kind, varies = self.alike(yes, no)
        if test.varies and not varies:
            x, y = self.splat(x), self.splat(y)
        flags = self.as_vector(test).code if varies else test.code
        return Value(self.builder.select(flags, x, y), kind, test.varies or varies)

    def least(self, values: Sequence[Value], *, sign: str) -> Value:
        """Return the minimum (Lt) or maximum (Gt): of equal values the first, as in Python."""
        found = values[0]
        for each in values[1:]:
            found = self.select(self.compare(sign, each, found), each, found)
        return found

    def any(self, mask: Any) -> Any:
        """Return whether a flag is set in some lane."""
        bits = self.builder.bitcast(mask, ir.IntType(LANES))
        return self.builder.icmp_unsigned("!=", bits, ir.IntType(LANES)(0))

    def first(self, mask: Any) -> Any:
        """Return the number of the first lane in which a flag is set."""
        bits = self.builder.bitcast(mask, ir.IntType(LANES))
        return self.builder.zext(self.builder.cttz(bits, FLAG(1)), INT)

    # Functions

    def intrinsic(self, name: str, *values: Value) -> Value:
        """Call an intrinsic of LLVM on scalars or vectors."""
        codes, kind, varies = self.alike(*values, kind="f")
        suffix = f"v{LANES}f64" if varies else "f64"
        of = codes[0].type
        function = self.function(f"llvm.{name}.{suffix}", of, [of] * len(codes))
        return Value(self.builder.call(function, codes), kind, varies)

    def elementary(self, name: str, values: Sequence[Value], *, here: Any = None) -> Value:
        """Return a function of the C library in the lanes that are here, as in plain Python."""
        codes, kind, varies = self.alike(*values, kind="f")
        scalar = self.function(name, DOUBLE, [DOUBLE] * len(codes))
        if not varies:
            return Value(self.builder.call(scalar, codes), kind, varies)
        at_once = name in NEAREST and is_accurate() and has_fused_products()
        arguments = [*codes, EVERYWHERE if here is None else here] if at_once else codes
        function = self.function(f"lanes.{name}", VECTORS["f"], [each.type for each in arguments])
        if not function.blocks:
            function.attributes.add("noinline")
            if at_once:
                self.write(
                    function,
                    lambda inner, x, flags: write_elementary(inner, name, scalar, x, flags),
                )
            else:
                self.write(
                    function, lambda inner, *vectors: self.lane_by_lane(inner, scalar, vectors)
                )
        return Value(self.builder.call(function, arguments), kind, varies)

    def lane_by_lane(self, inner: ir.IRBuilder, scalar: Any, vectors: Sequence[Any]) -> Any:
        """Call a function of scalars for every lane."""
        # A call would overwrite vectors in registers.
        rooms = [inner.alloca(VECTORS["f"]) for _ in vectors]
        for vector, room in zip(vectors, rooms, strict=True):
            inner.store(vector, room)
        places = [inner.inttoptr(inner.ptrtoint(room, LONG), POINTER) for room in rooms]
        for lane in range(LANES):
            entries = [inner.gep(place, [LONG(lane)], source_etype=DOUBLE) for place in places]
            parts = [inner.load(entry, typ=DOUBLE) for entry in entries]
            inner.store(inner.call(scalar, parts), entries[0])
        return inner.load(places[0], typ=VECTORS["f"])

    def exponent(self, value: Value) -> Value:
        """Return the exponent of 2 of a positive number."""
        (code,), _, varies = self.alike(value, kind="f")
        words = self.builder.bitcast(code, (VECTORS if varies else SCALARS)["i"])
        power = Value(self.builder.lshr(words, self.same(52, words.type)), "i", varies)
        return self.binary("Sub", power, self.constant(1023, kind="i"))

    def fraction(self, value: Value) -> Value:
        """Return a positive number without its power of 2: from 1 to 2."""
        (code,), kind, varies = self.alike(value, kind="f")
        words = self.builder.bitcast(code, (VECTORS if varies else SCALARS)["i"])
        rest = self.builder.and_(words, self.same(FRACTION, words.type))
        return Value(
            self.builder.bitcast(self.builder.or_(rest, self.same(ONE, words.type)), code.type),
            kind,
            varies,
        )

    def same(self, number: int, of: Any) -> Any:
        """Return a whole number as a constant of a type."""
        return ir.Constant(of, [number] * LANES if isinstance(of, ir.VectorType) else number)

    def function(self, name: str, returned: Any, arguments: list[Any]) -> Any:
        """Return a function of the module; a new one is declared."""
        if name in self.module.globals:
            return self.module.globals[name]
        return ir.Function(self.module, ir.FunctionType(returned, arguments), name)

    def write(self, function: Any, body: Callable[..., Any]) -> None:
        """Give a declared function its body."""
        function.linkage = "internal"
        inner = ir.IRBuilder(function.append_basic_block())
        inner.ret(body(inner, *function.args))

    # Random numbers

    def uniform(self, state: Any, mask: Any) -> Value:
        """Return the next uniform number of each generator; those outside the mask do not move."""
        function = self.function("lanes.uniform", VECTORS["f"], [POINTER, VECTORS["b"]])
        if not function.blocks:
            function.attributes.add("alwaysinline")
            self.write(function, _uniform)
        return Value(self.builder.call(function, [state, mask]), "f", True)


def _uniform(builder: ir.IRBuilder, state: Any, mask: Any) -> Any:
    """Advance PCG64: its state is two rows of words, high and low, and so is its increment.

    The state is multiplied by a constant of 128 bits, and the increment is added. Products are
    assembled from those of half words, which can be computed in vectors.
    """
    words = VECTORS["i"]

    def each(number: int) -> Any:
        return ir.Constant(words, [number] * LANES)

    places = [builder.gep(state, [LONG(row * LANES)], source_etype=LONG) for row in range(4)]
    high, low, step_high, step_low = (builder.load(place, typ=words, align=8) for place in places)
    half, shift = each(2**32 - 1), each(32)
    factor_high, factor_low = MULTIPLIER >> 64, MULTIPLIER & (2**64 - 1)
    lower, upper = builder.and_(low, half), builder.lshr(low, shift)
    first, second = each(factor_low & (2**32 - 1)), each(factor_low >> 32)
    products = [builder.mul(x, y) for x in (lower, upper) for y in (first, second)]
    above = builder.add(products[2], builder.lshr(products[0], shift))
    middle = builder.add(products[1], builder.and_(above, half))
    over = builder.add(
        builder.add(products[3], builder.lshr(above, shift)), builder.lshr(middle, shift)
    )
    under = builder.or_(builder.and_(products[0], half), builder.shl(middle, shift))
    crossed = builder.add(builder.mul(low, each(factor_high)), builder.mul(high, each(factor_low)))
    new_low = builder.add(under, step_low)
    carry = builder.zext(builder.icmp_unsigned("<", new_low, step_low), words)
    new_high = builder.add(builder.add(builder.add(over, crossed), step_high), carry)
    builder.store(builder.select(mask, new_high, high), places[0], align=8)
    builder.store(builder.select(mask, new_low, low), places[1], align=8)

    turns = builder.lshr(new_high, each(58))
    mixed = builder.xor(new_high, new_low)
    back = builder.and_(builder.sub(each(64), turns), each(63))
    word = builder.or_(builder.lshr(mixed, turns), builder.shl(mixed, back))
    numbers = builder.uitofp(builder.lshr(word, each(11)), VECTORS["f"])
    return builder.fmul(numbers, ir.Constant(VECTORS["f"], [2.0**-53] * LANES))
