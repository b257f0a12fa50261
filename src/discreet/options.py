"""Options found by reflection: names, types and defaults of keywords, and parsing from text."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, cast, get_args

from componentjit import Component
from discreet.errors import DiscreetError, is_number, shorten, whole_number

__all__ = ["REQUIRED", "Option", "Values", "defined_as", "options_of", "parse_all"]

REQUIRED = inspect.Parameter.empty
LARGEST = 10**15  # of a whole number: larger ones may not fit into compiled code
# How refusals call the types that options may have.
WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list of numbers",
}
Values = Mapping[str, object]  # of options or parameters, by name


class Option(NamedTuple):
    """A keyword that can be set: its type, and its default or REQUIRED."""

    name: str
    kind: Any
    default: Any

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that are allowed, as text, if they are few."""
        only, _ = _required(self.kind)
        if typing.get_origin(only) is Literal:
            return tuple(str(value) for value in typing.get_args(only))
        return ("true", "false") if only is bool else ()

    @property
    def is_file(self) -> bool:
        """Whether it names a file."""
        return Path in typing.get_args(self.kind)

    def check(self, value: object) -> object:
        """Return a value as a plain one of the option's type, or refuse it."""
        only, optional = _required(self.kind)
        if optional and value is None:
            return value
        # where several types fit, the function that takes the option checks it
        several = len(get_args(self.kind)) - optional > 1 and self.kind is not only
        kind = tuple if typing.get_origin(only) is tuple else None if several else only
        allowed, fits = WORDS.get(kind, "anything"), True
        if typing.get_origin(only) is Literal:
            allowed = f"one of {', '.join(self.choices)}"
            fits = any(type(value) is type(each) and value == each for each in get_args(only))
        elif kind is int:
            number = whole_number(value)
            value, fits = (number, abs(number) <= LARGEST) if number is not None else (value, False)
        elif kind is float:
            fits = is_number(value)
            value = float(cast(Any, value)) if fits and type(value) is not int else value
        elif kind is tuple:
            fits = isinstance(value, list | tuple) and all(map(is_number, value))
            value = tuple(cast(Any, value)) if fits else value
        elif kind in WORDS:
            fits = isinstance(value, kind)
        if not fits:
            raise DiscreetError(f"{self.name} is {shorten(value)}, but must be {allowed}.")
        return value

    def parse(self, text: str) -> object:
        """Return the value of a text."""
        kind, _ = _required(self.kind)
        if typing.get_origin(kind) is Literal:
            found = [value for value in typing.get_args(kind) if str(value) == text]
            return found[0] if found else text
        if kind is bool:
            if text.lower() not in ("true", "false"):
                raise DiscreetError(f"{self.name} is '{text}', but must be true or false.")
            return text.lower() == "true"
        if kind is str or self.is_file:
            return text
        try:
            if typing.get_origin(kind) is tuple:
                inner = typing.get_args(kind)[0]
                return tuple(inner(part) for part in text.split(","))
            return kind(text)
        except ValueError:
            wanted = "numbers separated by commas"
            wanted = WORDS[kind] if kind in (int, float) else wanted
            raise DiscreetError(f"{self.name} is '{text}', but must be {wanted}.") from None


def defined_as(make: Callable[..., object]) -> tuple[str, str]:
    """Return where a class or function is defined: another definition there replaces it."""
    return make.__module__, make.__qualname__


def options_of(make: Callable[..., object]) -> dict[str, Option]:
    """Return the options of a function, its keyword-only arguments, or of a component, its fields.

    >>> def brew(water, *, minutes: int = 4, milk: bool = False): ...
    >>> list(options_of(brew)), options_of(brew)["minutes"].parse("5")
    (['minutes', 'milk'], 5)
    """
    return dict(_options_of(make))


@functools.cache
def _options_of(make: Callable[..., object]) -> dict[str, Option]:
    hints = typing.get_type_hints(make)
    if isinstance(make, type) and issubclass(make, Component):
        defaults = make._field_defaults
        return {
            name: Option(name, hints[name], defaults.get(name, REQUIRED)) for name in make._fields
        }
    parameters = inspect.signature(make).parameters.values()
    return {
        p.name: Option(p.name, hints[p.name], p.default)
        for p in parameters
        if p.kind is p.KEYWORD_ONLY
    }


def parse_all(options: Mapping[str, Option], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of those texts that are options; others are left out."""
    return {key: options[key].parse(text) for key, text in texts.items() if key in options}


def _required(kind: object) -> tuple[Any, bool]:
    """Return the type of a value that is not None, and whether None is allowed."""
    if typing.get_origin(kind) not in (Union, UnionType):
        return kind, False
    parts = [part for part in typing.get_args(kind) if part is not type(None)]
    return parts[0], len(parts) < len(typing.get_args(kind))
