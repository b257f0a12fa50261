"""LLVM: from its text to code in memory; code is kept on disk, named by a digest of the text and of the machine."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.kernel.lanes.normal import Unfit

_lock = threading.Lock()
_engines: list[Any] = []  # code lives as long as these


@functools.cache
def _target() -> tuple[Any, str]:
    """Return the machine to compile for, and what tells it from others."""
    import llvmlite
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=3, jit=True, codemodel="jitdefault"
    )
    return machine, f"{llvmlite.__version__} {binding.llvm_version_info} {machine.triple} {cpu} {features}"


def has_fused_products() -> bool:
    """Return whether the processor multiplies and adds in one step; otherwise that is very slow."""
    known = _target()[1]
    return "+fma" in known or " aarch64" in known


def name_of(text: str) -> str:
    """Return the name of the file that compiled code is kept in."""
    return hashlib.sha256(f"{_target()[1]}\n{text}".encode()).hexdigest()[:40]


def load(text: str, folder: Path) -> Callable[..., int]:
    """Return the function ``play`` of a module, compiled now or earlier."""
    from llvmlite import binding

    path = folder / f"{name_of(text)}.o"
    for name in re.findall(r'declare double @"(\w+)"', text):
        binding.add_symbol(name, _address_of(name))
    with _lock:
        code = path.read_bytes() if path.is_file() else _compiled(text, path)
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target()[0])
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)  # lets other threads run meanwhile
    found: Callable[..., int] = kind(engine.get_function_address("play"))
    return found


def _address_of(name: str) -> int:
    """Return where the C library's function is: the process would end if code called one that is not found."""
    try:
        library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
        address = ctypes.cast(library[name], ctypes.c_void_p).value
    except (AttributeError, OSError):
        address = None
    if not address:
        raise Unfit(f"there is no {name} in the C library")
    return address


def is_kept(text: str, folder: Path) -> bool:
    """Return whether code was compiled earlier."""
    return (folder / f"{name_of(text)}.o").is_file()


def _compiled(text: str, path: Path) -> bytes:
    from llvmlite import binding

    machine = _target()[0]
    try:
        module = binding.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise Unfit(f"LLVM refuses it: {error}") from None
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # there are vectors already
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(code)
    Path(file.name).replace(path)  # never half a file
    return code
