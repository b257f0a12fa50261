"""One definition, several backends: components that run as plain Python and compiled."""

from componentjit.calls import Call, PythonFailed, call_python
from componentjit.compiling import as_list, cache_root, compile_for, compile_if_worth, was_compiled
from componentjit.component import Component, Raw, compilable, compiled_as, helper, helper_apart
from componentjit.digest import source_digest, value_digest
from componentjit.errors import ComponentError, LoopError, shorten
from componentjit.guards import GuardError, guard
from componentjit.loops import LoopInterface, vectorizable
from componentjit.packing import pack, packed_size, unpack
from componentjit.state import (
    arrays,
    as_plain,
    copier,
    copy,
    map_arrays,
    map_parts,
    type_signature,
    with_names,
)
from componentjit.watching import being_compiled, compiling_for

__all__ = [
    "Call",
    "Component",
    "ComponentError",
    "GuardError",
    "LoopError",
    "LoopInterface",
    "PythonFailed",
    "Raw",
    "arrays",
    "as_list",
    "as_plain",
    "being_compiled",
    "cache_root",
    "call_python",
    "compilable",
    "compile_for",
    "compile_if_worth",
    "compiled_as",
    "compiling_for",
    "copier",
    "copy",
    "guard",
    "helper",
    "helper_apart",
    "map_arrays",
    "map_parts",
    "pack",
    "packed_size",
    "shorten",
    "source_digest",
    "type_signature",
    "unpack",
    "value_digest",
    "vectorizable",
    "was_compiled",
    "with_names",
]
