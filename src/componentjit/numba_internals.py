"""Everything that this package uses of Numba without Numba promising to keep it.

Each part says what it is for, and what happens if a later version of Numba no longer has it. In all
cases loops still run, with the same results; some are slower.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, cast

# Reference counting


@functools.cache
def lean_options() -> dict[str, Any] | None:
    """Return the options that compile a loop without reference counting, or None.

    With it, reading a field of a tuple of arrays costs two atomic operations each time: a round of
    EXP3 takes 196 ns with reference counting and 43 ns without. ``_nrt`` is not documented.
    Without it, all loops are compiled with reference counting, as those that allocate memory are
    anyway.
    """
    options = importlib.import_module("numba.core.options")
    return {"_nrt": False} if hasattr(options.DefaultOptions, "_nrt") else None


def counting_options() -> dict[str, Any]:
    """Return the options that compile a method with reference counting in a loop without it."""
    return {} if lean_options() is None else {"_nrt": True}


# Methods of components


def resolve_methods_by_class(
    find: Callable[[type, str], Callable[..., Any] | None],
    options: Callable[[type, str], dict[str, Any]],
) -> None:
    """Let compiled code call methods of named tuples, which are found by the tuple's class.

    ``find`` returns the method of a class, or None, and ``options`` how it is compiled. Numba's
    documented ``overload_method`` knows a method only by its name: all classes would share one list
    of arguments for a name, and no field could have the name of any method of any class. So this
    does what ``overload_method`` does, but also looks at the class. The functions are those that
    Numba exports for extensions; the templates behind them are not documented. Without those, loops
    whose methods are all inlined (almost all) are compiled as before, and others fail with Numba's
    error about an unknown attribute.
    """
    templates: Any = importlib.import_module("numba.core.typing.templates")
    types: Any = importlib.import_module("numba.core.types")
    extending: Any = importlib.import_module("numba.extending")
    attribute_template = vars(templates).get("AttributeTemplate")
    function_template = vars(templates).get("AbstractTemplate")
    if attribute_template is None or function_template is None:
        return
    known: dict[Callable[..., Any], Any] = {}

    def template_of(context: Any, method: Any, how: dict[str, Any]) -> Any:
        """Return the template that types calls of a method; the first argument is the component."""
        extending.register_jitable(**how)(method)
        context.refresh()  # which then knows the method as a function
        function = context.resolve_value_type(method)
        (inner,) = function.templates
        signature = inspect.signature(method)
        function_key = ("method of a component", method)

        class MethodTemplate(function_template):  # type: ignore[misc, valid-type]
            key = function_key
            prefer_literal = False
            # These three are for methods that Numba inlines itself; without them it does not.
            _inline = getattr(inner, "_inline", None)
            _inline_overloads = getattr(inner, "_inline_overloads", {})
            _overload_func = staticmethod(getattr(inner, "_overload_func", method))

            def generic(self, arguments: Any, named: Any) -> Any:
                found = function.get_call_type(self.context, (self.this, *arguments), named)
                return None if found is None else found.replace(pysig=signature).as_method()

        def call(context: Any, builder: Any, found: Any, arguments: Any) -> Any:
            typing = context.typing_context
            kind = typing.resolve_value_type(method)
            full = kind.get_call_type(typing, found.args, {})
            compiled = context.get_function(kind, full)
            context.add_linking_libs(getattr(compiled, "libs", ()))
            return compiled(builder, arguments)

        extending.lower_builtin(function_key, types.VarArg(types.Any))(call)
        return MethodTemplate

    for family in (types.NamedTuple, types.NamedUniTuple):

        class Methods(attribute_template):  # type: ignore[misc, valid-type]
            key = family
            is_method = True

            def generic_resolve(self, kind: Any, name: str) -> Any:
                method = find(kind.instance_class, name)
                if method is None:
                    return None
                if method not in known:
                    how = options(kind.instance_class, name)
                    known[method] = template_of(self.context, method, how)
                return types.BoundFunction(known[method], kind)

        extending.infer_getattr(Methods)


# Flags


def compare_flags_quickly() -> None:
    """Let Numba compare the flags of functions by those that are set, before it lists all of them.

    Numba compares flags whenever it looks up the type of a call, some thousand times per loop, and
    lists thirty defaults each time: that takes a tenth of the compiler's time. ``TargetConfig`` is
    not documented. Without it, or if it works differently, compiling takes that much longer.
    """
    config: Any = vars(importlib.import_module("numba.core.targetconfig")).get("TargetConfig")
    if config is None or not {"_values", "__eq__", "__hash__"} <= vars(config).keys():
        return
    compare_all, hash_all = config.__eq__, config.__hash__

    @functools.cache
    def hash_of(kind: Any) -> int:
        return int(hash_all(kind()))  # Numba hashes names only: it is the same for all flags

    def is_equal(one: Any, other: Any) -> Any:
        same = type(one) is type(other) and one._values == other._values
        return same or compare_all(one, other)

    config.__eq__, config.__hash__ = is_equal, lambda flags: hash_of(flags.__class__)


# Calls


def entry_point(version: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Return compiled code for arguments like these, without the lookup of types at every call.

    Such a call takes a quarter of the time. If Numba's table of compiled code is not found, or
    nothing was compiled for such arguments, the usual dispatcher is returned.
    """
    try:
        kinds = tuple(version.typeof_pyval(each) for each in arguments)
        return cast(Callable[..., Any], version.overloads[kinds].entry_point)
    except (AttributeError, KeyError):
        return cast(Callable[..., Any], version)


# Random generators

# What NumPy keeps of a generator after its state, in this order (``bitgen_t``).
FUNCTIONS = ("fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")


def pass_generators_by_address() -> None:
    """Pass generators to compiled code by the addresses that NumPy keeps of their functions.

    Numba asks Python for each of the functions, and leaks what it creates on the way: kilobytes per
    call, and gigabytes after a million short games. ``_unboxers`` is not documented. Without it,
    Numba's own way works as well, and leaks.
    """
    from llvmlite import ir

    importlib.import_module(
        "numba.core.boxing"
    )  # registers Numba's own way: it must be imported first
    cgutils: Any = importlib.import_module("numba.core.cgutils")
    pythonapi: Any = importlib.import_module("numba.core.pythonapi")
    types: Any = importlib.import_module("numba.core.types")

    def read(kind: Any, generator: Any, c: Any) -> Any:
        """Return compiled code's view of a generator, which the caller keeps alive meanwhile."""
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

    known = vars(pythonapi).get("_unboxers")
    if known is not None:
        known.functions[types.NumPyRandomGeneratorType] = read
