"""LLVM: from its text to code in memory."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from componentjit.errors import NotVectorizable

_lock = threading.Lock()
_engines: list[Any] = []  # code lives as long as these


@functools.cache
def _target() -> tuple[Any, str]:
    """Return the machine to compile for, and a text that identifies it."""
    import llvmlite
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=3, jit=True, codemodel="jitdefault"
    )
    return (
        machine,
        f"{llvmlite.__version__} {binding.llvm_version_info} {machine.triple} {cpu} {features}",
    )


def has_fused_products() -> bool:
    """Return whether the processor has a fused multiply-add; without it, emulation is very slow."""
    known = _target()[1]
    return "+fma" in known or " aarch64" in known


def machine_name() -> str:
    """Return a text that differs between machines that need different code."""
    return _target()[1]


def functions_in(text: str) -> tuple[str, ...]:
    """Return which functions of the C library a module calls."""
    return tuple(re.findall(r'declare double @"(\w+)"', text))


def load(code: bytes, functions: Sequence[str]) -> Callable[..., int]:
    """Return the function ``play`` of compiled code; it calls ``functions`` of the C library."""
    from llvmlite import binding

    with _lock:
        for name in functions:
            binding.add_symbol(name, _address_of(name))
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target()[0])
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)
    # A call through ctypes lets other threads run meanwhile.
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)
    found: Callable[..., int] = kind(engine.get_function_address("play"))
    return found


def _address_of(name: str) -> int:
    """Return the address of a function of the C library, or refuse: a wrong one would crash."""
    try:
        library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
        address = ctypes.cast(library[name], ctypes.c_void_p).value
    except (AttributeError, OSError):
        address = None
    if not address:
        raise NotVectorizable(f"a call to {name}, which the C library does not have")
    return address


def compile_module(text: str) -> bytes:
    """Return compiled code of a module."""
    from llvmlite import binding

    machine = _target()[0]
    with _lock:
        try:
            module = binding.parse_assembly(text)
            module.verify()
        except RuntimeError as error:
            raise NotVectorizable(f"code that LLVM rejects: {error}") from None
        options = binding.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = options.slp_vectorization = False  # there are vectors already
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        code: bytes = machine.emit_object(module)
    return code
