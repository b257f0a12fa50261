"""How a random generator goes into compiled code.

Numba asks Python for each of its functions, and what it makes on the way is never given back:
kilobytes a call, gigabytes after a million of short games. Here the addresses are read from where
NumPy keeps them, in less time and at no cost.
"""

from __future__ import annotations

import importlib
from typing import Any

FUNCTIONS = (
    "fnptr_next_uint64",
    "fnptr_next_uint32",
    "fnptr_next_double",
)  # in NumPy's order, after the state


def hand_over_generators() -> None:
    """Let Numba read generators in this way."""
    from llvmlite import ir

    importlib.import_module("numba.core.boxing")  # has Numba's own way, and must not come later
    cgutils: Any = importlib.import_module("numba.core.cgutils")
    pythonapi: Any = importlib.import_module("numba.core.pythonapi")
    types: Any = importlib.import_module("numba.core.types")

    def read(kind: Any, generator: Any, c: Any) -> Any:
        """Return what compiled code knows of a generator: the caller holds it as long as the code runs."""
        address = c.context.get_value_type(types.uintp)
        bits = c.pyapi.object_getattr_string(generator, "bit_generator")
        capsule = c.pyapi.object_getattr_string(bits, "capsule")
        name = c.context.insert_const_string(c.builder.module, "BitGenerator")
        opened = cgutils.get_or_insert_function(
            c.builder.module,
            ir.FunctionType(address.as_pointer(), [c.pyapi.pyobj, name.type]),
            "PyCapsule_GetPointer",
        )
        place = c.builder.call(opened, [capsule, name])
        inner = cgutils.create_struct_proxy(types.NumPyRandomBitGeneratorType("bit_generator"))(
            c.context, c.builder
        )
        inner.parent = bits
        inner.state_address = inner.state = c.builder.load(place)
        for position, function in enumerate(FUNCTIONS, start=1):
            where = c.builder.gep(place, [c.context.get_constant(types.intp, position)])
            setattr(inner, function, c.builder.load(where))
        inner.bit_generator = c.builder.ptrtoint(place, address)
        outer = cgutils.create_struct_proxy(kind)(c.context, c.builder)
        outer.bit_generator = inner._getvalue()
        outer.parent = generator
        outer.meminfo = cgutils.get_null_value(outer.meminfo.type)  # nothing to count
        c.pyapi.decref(capsule)
        c.pyapi.decref(bits)
        return pythonapi.NativeValue(outer._getvalue())

    known = vars(pythonapi).get(
        "_unboxers"
    )  # not documented; if it goes away, Numba's own way does the same
    if known is not None:
        known.functions[types.NumPyRandomGeneratorType] = read
