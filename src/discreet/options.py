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
LARGEST = 10**15  # maximum of a whole number: larger ones may not fit into compiled code
Values = Mapping[str, object]  # values of options or parameters, by name


class Option(NamedTuple):
    """A keyword that can be set: its type, and its default or REQUIRED."""

    name: str
    kind: Any
    default: Any

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values as text, if there are few."""
        only, _ = _required(self.kind)
        if typing.get_origin(only) is Literal:
            return tuple(str(value) for value in typing.get_args(only))
        return ("true", "false") if only is bool else ()

    @property
    def is_file(self) -> bool:
        """Whether it names a file."""
        return Path in typing.get_args(self.kind)

    def check(self, value: object) -> object:
        """Return a plain number for a number of any type, and refuse values that are not allowed.

        The range of a number is checked by the function that takes the option.
        """
        only, optional = _required(self.kind)
        if optional and value is None:
            return value
        if typing.get_origin(only) is Literal:
            if not any(type(value) is type(each) and value == each for each in get_args(only)):
                raise DiscreetError(
                    f"{self.name} is {shorten(value)}, but must be one of "
                    f"{', '.join(self.choices)}."
                )
        elif only is bool and not isinstance(value, bool):
            raise DiscreetError(f"{self.name} is {shorten(value)}, but must be True or False.")
        elif whole_number(value) is not None:
            return whole_number(value)
        elif only is float and is_number(value):
            return float(cast(Any, value))
        return value

    def check_type(self, value: object) -> object:
        """Return a value as ``check`` does, and refuse values of the wrong type."""
        value = self.check(value)
        only, optional = _required(self.kind)
        if optional and value is None:
            return value
        if only is float and not is_number(value):
            raise DiscreetError(f"{self.name} is {shorten(value)}, but must be a number.")
        if only is int and isinstance(value, int) and abs(value) > LARGEST:
            raise DiscreetError(f"{self.name} is {shorten(value)}, which is too large.")
        if typing.get_origin(only) is tuple:
            if not isinstance(value, list | tuple) or not all(map(is_number, value)):
                raise DiscreetError(
                    f"{self.name} is {shorten(value)}, but must be a list of numbers."
                )
            return tuple(value)
        return value

    def parse(self, text: str) -> object:
        """Return the value that a text represents."""
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
            wanted = {int: "a whole number", float: "a number"}.get(
                kind, "numbers separated by commas"
            )
            raise DiscreetError(f"{self.name} is '{text}', but must be {wanted}.") from None


def defined_as(make: Callable[..., object]) -> tuple[str, str]:
    """Return where a class or function is defined; a new definition there replaces the old one."""
    return make.__module__, make.__qualname__


def options_of(make: Callable[..., object]) -> dict[str, Option]:
    """Return the options: keyword-only arguments of a function, or fields of a component.

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
    """Return the values of those texts that name options; others are ignored."""
    return {key: options[key].parse(text) for key, text in texts.items() if key in options}


def _required(kind: object) -> tuple[Any, bool]:
    """Return the type of a value that is not None, and whether None is allowed."""
    if typing.get_origin(kind) not in (Union, UnionType):
        return kind, False
    parts = [part for part in typing.get_args(kind) if part is not type(None)]
    return parts[0], len(parts) < len(typing.get_args(kind))
