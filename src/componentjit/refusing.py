"""Why Numba cannot compile a method, in one sentence that includes the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from componentjit.component import Component
from componentjit.errors import ComponentError

# Lines of Numba's explanation that name the fault, the most telling first.
TELLING = (
    re.compile(r"(Unknown attribute '\w+')"),
    re.compile(r"(Untyped global name '\w+')"),
    re.compile(r"(Use of unsupported opcode \(\w+\))"),
    re.compile(r"(cannot determine Numba type of .*)"),
    re.compile(r"(Cannot unify .*? and .*?) for"),
    re.compile(r"UnsupportedError: (.*)"),
    re.compile(r"(.*?)\.? Raised from "),  # about bytecode
)
GENERAL = re.compile(r"TypingError: (?!Failed in|No implementation)(.+)")
LONG = 100  # characters of a reason
MISSING = re.compile(r"No implementation of function Function\(<(?!function)(.*?)>\)")
METHOD = re.compile(r"<function (\w+)\.(\w+) at")
REMEDY = "write it with numbers, arrays and loops, or set compiles = False in the class"


def numba_errors() -> tuple[type[Exception], ...]:
    """Return the errors that Numba raises for code that it cannot compile."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError  # which is no NumbaError


def cannot_compile(error: Exception, classes: Iterable[object]) -> ComponentError:
    """Return the error for code that Numba cannot compile: which method, why, and what to do."""
    known = {each.__name__: each for each in classes if isinstance(each, type)}
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its messages
    named = [(owner, name) for owner, name in METHOD.findall(text) if owner in known]
    named = named or _unreadable(known, text)
    where, kind = "this loop", ComponentError
    if named:
        owner, name = named[-1]
        where = f"{owner}.{name}"
        found = known[owner]
        if issubclass(found, Component) and issubclass(found.error_class, ComponentError):
            kind = found.error_class
    return kind(
        f"{where} cannot be compiled ({_reason(text)}): {REMEDY} to run it as plain Python."
    )


def _unreadable(classes: Mapping[str, type], text: str) -> list[tuple[str, str]]:
    """Return the methods whose bytecode gives this error of Numba, which does not name them."""
    from numba.core import compiler
    from numba.core.errors import UnsupportedBytecodeError

    read: Any = compiler.run_frontend  # which has no types
    found = []
    for owner, kind in classes.items():
        for name, method in kind._methods.items() if issubclass(kind, Component) else ():
            try:
                read(method)
            except UnsupportedBytecodeError as error:
                if _reason(str(error)) == _reason(text):
                    found.append((owner, name))
            except Exception:  # this is not the error to report
                continue
    return found


def _reason(text: str) -> str:
    """Return what is wrong, in Numba's words."""
    for pattern in TELLING:
        found = pattern.findall(text)
        if found:
            return _one_line(found[-1])
    missing = [name for name in MISSING.findall(text) if "built-in" in name or "class" in name]
    if missing:
        name = missing[-1].removeprefix("built-in function ").split(" at 0x")[0]
        return f"Numba has no {name} for these arguments"
    lines = GENERAL.findall(text) or text.strip().splitlines() or ["no reason is given"]
    return _one_line(lines[-1])


def _one_line(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= LONG else f"{line[: LONG - 3]}..."
