"""What a loop declares so that it can run for many trials at once.

In lanes (``componentjit.lanes``) one call of a loop plays ``LANES`` trials. So the loop declares
which arguments differ between trials, and which are the same in all; nothing is guessed from the
names of its variables.

>>> @vectorizable(state="walker", uniform=("steps",), carried=("place",), generators=("rng",))
... def walk(walker, steps, place, rng):
...     for _ in range(steps):
...         place += walker.step(rng)
...     return place
>>> interface_of(walk).returns
('place',)

An argument without a role is an error where the loop is defined, and so is a role without an
argument:

>>> @vectorizable(state="walker", uniform=("steps",), carried=("position",), generators=("rng",))
... def walk(walker, steps, place, rng):
...     return place
Traceback (most recent call last):
...
componentjit.errors.LoopError: walk has no argument 'position', which is declared as carried.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

from componentjit.errors import LoopError

Function = TypeVar("Function", bound=Callable[..., Any])


class LoopInterface(NamedTuple):
    """The role of every argument of a loop, and of some variables; see ``vectorizable``."""

    state: str
    tables: tuple[str, ...]
    uniform: tuple[str, ...]
    carried: tuple[str, ...]
    generators: tuple[str, ...]
    running: tuple[str, ...]
    returns: tuple[str, ...]

    def roles(self) -> Iterator[tuple[str, str]]:
        """Yield every declared argument with its role."""
        yield self.state, "state"
        for role in ("tables", "uniform", "carried", "generators"):
            for name in getattr(self, role):
                yield name, role


_interfaces: dict[Callable[..., Any], LoopInterface] = {}


def vectorizable(
    *,
    state: str,
    tables: tuple[str, ...] = (),
    uniform: tuple[str, ...] = (),
    carried: tuple[str, ...] = (),
    generators: tuple[str, ...] = (),
    running: tuple[str, ...] = (),
    returns: tuple[str, ...] | None = None,
) -> Callable[[Function], Function]:
    """Declare the interface of a loop, so that lanes can run it for many trials at once.

    The function itself stays as it is. Every argument has one role:

    * ``state``: the component; each trial has a copy.
    * ``tables``: arrays, or components made of arrays, with different content in each trial. In
      lanes they have an extra last axis, for trials. Their first axis may have any length.
    * ``uniform``: numbers, and arrays of one axis, that are the same in all trials, such as the
      number of steps. If such a number could come to differ between trials, the loop is not
      vectorised.
    * ``carried``: numbers, or records of numbers, one for each trial. The loop returns them, and
      they are arguments of its next call. In lanes they start at 0.
    * ``generators``: random generators (NumPy's PCG64), one for each trial.

    ``running`` names variables that are true until a trial ends early. A loop that may end early is
    not vectorised. ``returns`` says which arguments the returned values continue, in their order:
    all carried ones, and perhaps uniform numbers. The default is the carried ones.
    """
    interface = LoopInterface(
        state,
        tables,
        uniform,
        carried,
        generators,
        running,
        carried if returns is None else returns,
    )

    def declare(function: Function) -> Function:
        _check(cast(FunctionType, function), interface)
        _interfaces[function] = interface
        return function

    return declare


def interface_of(function: Callable[..., Any]) -> LoopInterface:
    """Return what a loop declares, or refuse one that declares nothing."""
    if function not in _interfaces:
        raise LoopError(f"{_name(function)} declares no interface: decorate it with vectorizable.")
    return _interfaces[function]


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's arguments, in their order."""
    code = cast(FunctionType, function).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _check(function: FunctionType, interface: LoopInterface) -> None:
    """Refuse an interface that does not match the function."""
    name, code = _name(function), function.__code__
    for role, names in interface._asdict().items():
        if role != "state" and not isinstance(names, tuple):
            raise LoopError(f"{name}: {role} is {names!r}, but must be a tuple of names.")
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise LoopError(f"{name} takes *args or **kwargs, but a loop needs plain arguments.")
    parameters, roles = parameters_of(function), list(interface.roles())
    for argument, role in roles:
        if argument not in parameters:
            raise LoopError(f"{name} has no argument {argument!r}, which is declared as {role}.")
    declared = Counter(argument for argument, _ in roles)
    for argument in parameters:
        if declared[argument] != 1:
            has = "no role" if not declared[argument] else "several roles"
            raise LoopError(
                f"{name}: argument {argument!r} has {has}, but needs exactly one of state, tables, "
                "uniform, carried and generators."
            )
    for variable in interface.running:
        if variable not in code.co_varnames:
            raise LoopError(f"{name} has no variable {variable!r}, which is declared as running.")
    continued = Counter(interface.returns)
    for argument in interface.carried:
        if argument not in continued:
            raise LoopError(f"{name}: {argument!r} is carried, but not declared in returns.")
    for argument, count in continued.items():
        if count > 1 or argument not in (*interface.carried, *interface.uniform):
            raise LoopError(
                f"{name}: returns names {argument!r}, but may name every carried or uniform "
                "argument once, and nothing else."
            )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
