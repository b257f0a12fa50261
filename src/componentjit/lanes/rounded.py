"""Exponentials and logarithms of all lanes at once, equal to the C library's in all digits.

They are computed with extra digits, as a sum of two numbers. Unless that sum is nearly halfway
between two floating-point numbers, the nearer one is also the C library's result, whose error is
hardly above half a unit in the last place. For the few lanes where it is nearly halfway (or the
argument is unusual), the C library is called.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

from llvmlite import ir

from componentjit.lanes.layout import LANES

FLOATS, WORDS = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(ir.IntType(64), LANES)
# In units in the last place: how far a sum may be from the nearest number, so that this is
# certainly the C library's. glibc (from 2.28 on) is off by at most 0.511 (exp) and 0.520 (log), the
# sums by at most 0.003 and 0.05.
EXP_ROOM, LOG_ROOM = 0.486, 0.42
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471805592082, 7.371002565167799e-13  # 40 bits of ln 2, and the rest
WHOLE = 6755399441055744.0  # 3 · 2^51: adding it to a number rounds that to an integer
LARGE = 700.0  # exponents beyond are left to the C library
EXPONENT, ONE, ROOT_HALF = 0x7FF << 52, 0x3FF << 52, 0x3FE6A09E667F3BCD  # bits of numbers
LEAST = 1 << 52  # bits of the smallest number with full precision
# Chebyshev polynomials: of (e^r - 1 - r - r²/2 - r³/6) / r⁴ in r, for |r| ≤ ln(2) / 2, and of
# (ln(1 + f) - 2 s) / s³ in s², for s = f / (2 + f) and 1 + f between the roots of 1/2 and 2. Their
# own errors are below 0.002 units in the last place.
EXP_TERMS = (
    0.041666666666666664,
    0.008333333333333333,
    0.0013888888888886552,
    0.00019841269841268283,
    2.4801587317144498e-05,
    2.7557319234355905e-06,
    2.755728296954995e-07,
    2.505208421886778e-08,
    2.0911236630261545e-09,
    1.608202806504724e-10,
)
SIXTH, SIXTH_LOW = 0.16666666666666666, 9.25185853854297e-18  # 1/6, and its rounding error
LOG_TERMS = (
    0.6666666666666666,
    0.40000000000000885,
    0.28571428570799784,
    0.22222222392581045,
    0.18181795547521137,
    0.15386244737621665,
    0.13268638369266825,
    0.13088034850927555,
)


@functools.cache
def is_accurate(library: tuple[str, str] | None = None) -> bool:
    """Return whether the C library is known to be as accurate as this needs."""
    name, version = library or platform.libc_ver()
    parts = [int(part) for part in version.split(".")[:2] if part.isdigit()]
    return name == "glibc" and parts >= [2, 28]


class Nearest(NamedTuple):
    """Numbers, and in which lanes they are certainly the C library's."""

    values: Any
    certain: Any


class Careful:
    """Writes operations on vectors of floats; those that return a rest are exact."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder
        module, name = builder.module, f"llvm.fma.v{LANES}f64"
        self.multiply_and_add = module.globals.get(name) or ir.Function(
            module, ir.FunctionType(FLOATS, [FLOATS] * 3), name
        )

    def each(self, number: float) -> Any:
        """Return a number in every lane."""
        return ir.Constant(FLOATS, [number] * LANES)

    def word(self, number: int) -> Any:
        """Return bits in every lane."""
        return ir.Constant(WORDS, [number] * LANES)

    def bits(self, x: Any) -> Any:
        """Return the bits of numbers."""
        return self.builder.bitcast(x, WORDS)

    def float_of(self, bits: Any) -> Any:
        """Return the numbers with these bits."""
        return self.builder.bitcast(bits, FLOATS)

    def absolute(self, x: Any) -> Any:
        """Return numbers without their signs."""
        return self.float_of(self.builder.and_(self.bits(x), self.word(2**63 - 1)))

    def fused(self, x: Any, y: Any, z: Any) -> Any:
        """Return x y + z, rounded once."""
        return self.builder.call(self.multiply_and_add, [x, y, z])

    def sum_and_rest(self, large: Any, small: Any) -> tuple[Any, Any]:
        """Return large + small rounded, and the rounding error."""
        total = self.builder.fadd(large, small)
        return total, self.builder.fsub(small, self.builder.fsub(total, large))

    def product_and_rest(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return x y rounded, and the rounding error."""
        product = self.builder.fmul(x, y)
        return product, self.fused(x, y, self.builder.fneg(product))

    def polynomial(self, terms: Sequence[float], x: Any, square: Any) -> Any:
        """Return the sum of terms[i] x^i.

        Even and odd powers are added separately, which halves the chain of dependent steps.
        """
        halves = []
        for half in (terms[::2], terms[1::2]):
            total = self.each(half[-1])
            for term in reversed(half[:-1]):
                total = self.fused(total, square, self.each(term))
            halves.append(total)
        return self.fused(halves[1], x, halves[0])

    def is_sure(self, value: Any, rest: Any, room: float) -> Any:
        """Return where value + rest is not nearly halfway between two numbers.

        The unit in the last place is that just below the value: below a power of 2 it is half as
        large.
        """
        b = self.builder
        below = b.and_(b.sub(self.bits(self.absolute(value)), self.word(1)), self.word(EXPONENT))
        most = b.fmul(self.float_of(below), self.each(room * 2.0**-52))
        return b.fcmp_ordered("<=", self.absolute(rest), most)


def nearest_exp(builder: ir.IRBuilder, x: Any) -> Nearest:
    """Return e^x = 2^k e^r.

    With r = high + low, e^r is 1 + high + high²/2 + high³/6 + the polynomial + low e^high.

    The first four are added with all rounding errors: calling the C library for one uncertain lane
    takes as long as all of this.
    """
    c = Careful(builder)
    shifted = c.fused(x, c.each(LOG2_E), c.each(WHOLE))
    count = builder.fsub(shifted, c.each(WHOLE))
    near = c.fused(count, c.each(-LN2_HIGH), x)
    high, low = c.sum_and_rest(near, builder.fmul(count, c.each(-LN2_LOW)))
    square, square_rest = c.product_and_rest(high, high)
    cube, cube_rest = c.product_and_rest(square, high)
    sixth, sixth_rest = c.product_and_rest(cube, c.each(SIXTH))
    first, first_rest = c.sum_and_rest(c.each(1.0), high)
    second, second_rest = c.sum_and_rest(first, builder.fmul(square, c.each(0.5)))
    total, total_rest = c.sum_and_rest(second, sixth)
    left = c.fused(c.fused(square_rest, high, cube_rest), c.each(SIXTH), sixth_rest)
    left = c.fused(cube, c.each(SIXTH_LOW), left)
    left = c.fused(low, total, c.fused(square_rest, c.each(0.5), left))
    left = builder.fadd(left, builder.fadd(builder.fadd(first_rest, second_rest), total_rest))
    tail = c.fused(builder.fmul(square, square), c.polynomial(EXP_TERMS, high, square), left)
    value, rest = c.sum_and_rest(total, tail)
    certain = builder.and_(
        c.is_sure(value, rest, EXP_ROOM), builder.fcmp_ordered("<", c.absolute(x), c.each(LARGE))
    )
    # the low bits of shifted are k
    scaled = builder.add(c.bits(value), builder.shl(c.bits(shifted), c.word(52)))
    return Nearest(c.float_of(scaled), certain)


def nearest_log(builder: ir.IRBuilder, x: Any) -> Nearest:
    """Return ln x = k ln 2 + ln(1 + f); with s = f / (2 + f), ln(1 + f) = 2 s + the polynomial."""
    c = Careful(builder)
    bits = c.bits(x)
    exponent = builder.ashr(builder.sub(bits, c.word(ROOT_HALF)), c.word(52))
    count = builder.sitofp(exponent, FLOATS)
    f = builder.fsub(c.float_of(builder.sub(bits, builder.shl(exponent, c.word(52)))), c.each(1.0))
    divisor, divisor_rest = c.sum_and_rest(c.each(2.0), f)
    s = builder.fdiv(f, divisor)
    left = c.fused(builder.fneg(s), divisor_rest, c.fused(builder.fneg(s), divisor, f))
    s_rest = builder.fdiv(left, divisor)
    square = builder.fmul(s, s)
    small = c.fused(s_rest, c.each(2.0), builder.fmul(count, c.each(LN2_LOW)))
    tail = c.fused(
        builder.fmul(s, square),
        c.polynomial(LOG_TERMS, square, builder.fmul(square, square)),
        small,
    )
    total, total_rest = c.sum_and_rest(
        builder.fmul(count, c.each(LN2_HIGH)), builder.fmul(s, c.each(2.0))
    )
    value, rest = c.sum_and_rest(total, builder.fadd(tail, total_rest))
    usual = builder.icmp_unsigned("<", builder.sub(bits, c.word(LEAST)), c.word(EXPONENT - LEAST))
    return Nearest(value, builder.and_(c.is_sure(value, rest, LOG_ROOM), usual))


NEAREST = {"exp": nearest_exp, "log": nearest_log}


def write_elementary(builder: ir.IRBuilder, name: str, scalar: Any, x: Any, here: Any) -> Any:
    """Write the body of a function; lanes whose digits are not certain call the C library."""
    flags, long = ir.IntType(LANES), ir.IntType(64)
    found = NEAREST[name](builder, x)
    doubtful = builder.bitcast(builder.and_(builder.not_(found.certain), here), flags)
    start, again, done = (
        builder.block,
        builder.append_basic_block("again"),
        builder.append_basic_block("done"),
    )
    room = builder.alloca(FLOATS)
    builder.store(x, room)
    arguments = builder.inttoptr(builder.ptrtoint(room, long), ir.PointerType())
    builder.cbranch(builder.icmp_unsigned("!=", doubtful, flags(0)), again, done)
    builder.position_at_end(again)
    left, before = builder.phi(flags), builder.phi(FLOATS)
    lane = builder.zext(builder.cttz(left, ir.IntType(1)(1)), long)
    place = builder.gep(arguments, [lane], source_etype=ir.DoubleType())
    exact = builder.call(scalar, [builder.load(place, typ=ir.DoubleType())])
    first = builder.insert_element(ir.Constant(FLOATS, ir.Undefined), exact, ir.IntType(32)(0))
    everywhere = builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )
    rest = builder.and_(left, builder.sub(left, flags(1)))
    this = builder.bitcast(builder.xor(left, rest), ir.VectorType(ir.IntType(1), LANES))
    after = builder.select(this, everywhere, before)
    for phi, at_start, later in ((left, doubtful, rest), (before, found.values, after)):
        phi.add_incoming(at_start, start)
        phi.add_incoming(later, again)
    builder.cbranch(builder.icmp_unsigned("!=", rest, flags(0)), again, done)
    builder.position_at_end(done)
    result = builder.phi(FLOATS)
    result.add_incoming(found.values, start)
    result.add_incoming(after, again)
    return result
