"""What tests of errors share: raw values of a run, and where an error shows them."""

from __future__ import annotations

import linecache

import numpy as np

SECRET = 0.7390851332151607  # told by others before
OWN = 0.2718281828459045  # told by the call that fails


class Broken(Exception):
    """What is thrown into a run."""


def raw_values(face):
    """Return everything that is raw now, as numbers and as bytes."""
    rows = face._run._store.rows
    held = [group[-1] for group in rows.groups.values()] + [rows.stream, *rows.outcomes.values()]
    if rows.drawn is not None:
        held.append(np.asarray(rows.drawn.value, np.float64).tobytes())
    held = [each for each in held if each is not None and any(each)]
    numbers = {SECRET, OWN, 1.0 - SECRET, 1.0 - OWN}
    return numbers, held


def carries(value, numbers, held, depth=0):
    """Return whether a local variable shows something raw, as error reporters would record it."""
    if isinstance(value, float | np.floating):
        return float(value) in numbers
    if isinstance(value, bytes | bytearray | memoryview):
        return any(each in bytes(value) for each in held)
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64 and bool(np.isin(value, list(numbers)).any())
    if depth < 5 and isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
        return any(carries(part, numbers, held, depth + 1) for part in parts)
    if depth < 5 and isinstance(value, list | tuple | set):
        return any(carries(part, numbers, held, depth + 1) for part in value)
    shown = repr(value)
    return any(repr(number) in shown for number in numbers)


def leaks(error, numbers, held):
    """Return the frames of an error, and of all that led to it, that carry something raw."""
    found, left = [], [error]
    while left:
        each = left.pop()
        if each is None:
            continue
        texts = [str(each), *getattr(each, "__notes__", ())]
        if any(carries(text, numbers, held) for text in texts):
            found.append(texts)
        place = each.__traceback__
        while place is not None:
            frame = place.tb_frame
            if "/discreet/" in frame.f_code.co_filename:
                found += [
                    f"{frame.f_code.co_name}: {name}"
                    for name, value in list(frame.f_locals.items())
                    if carries(value, numbers, held)
                ]
            place = place.tb_next
        left += [each.__cause__, each.__context__]
    return found


class Thrower:
    """Throws an error at the n-th line that runs inside of the package."""

    def __init__(self, at):
        self.at, self.lines, self.thrown = at, 0, None

    def __call__(self, frame, event, arg):
        if (
            "/src/discreet/" not in frame.f_code.co_filename
            or "frames.py" in frame.f_code.co_filename
        ):
            return None
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        # On its way out of a ``with`` Python is not interrupted; only a tracer is called there.
        if event == "line" and self.thrown is None and not line.startswith(("with ", "try:")):
            self.lines += 1
            if self.lines == self.at:
                self.thrown = f"{frame.f_code.co_name}, line {frame.f_lineno}"
                raise Broken("on purpose")
        return self
