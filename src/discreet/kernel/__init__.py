"""One definition, two speeds: components that run as plain Python and compiled."""

from discreet.kernel.calls import Call, PythonFailed, call_python
from discreet.kernel.compiling import as_list, cache_root, compile_for, compile_if_worth, was_compiled
from discreet.kernel.component import Component, Raw, compilable, compiled_as, helper, helper_apart
from discreet.kernel.digest import source_digest, value_digest
from discreet.kernel.guards import guard
from discreet.kernel.state import arrays, as_plain, copier, copy, likeness, map_arrays, map_parts, with_names
from discreet.kernel.watching import being_compiled, compiling_for

__all__ = [
    "Call",
    "Component",
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
    "likeness",
    "map_arrays",
    "map_parts",
    "source_digest",
    "value_digest",
    "was_compiled",
    "with_names",
]
