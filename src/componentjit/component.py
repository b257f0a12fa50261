"""One definition, two speeds: classes that run as plain Python and compiled.

A component (learner, channel, noise, game) is a class with annotated fields, which are parameters
and NumPy arrays, and with methods that read like pseudo-code. It is a tuple with names, inherits
fields and methods from its bases, and its public methods are known to Numba; the plain-Python
behaviour stays as written.

>>> import numpy as np
>>> from componentjit import compile_for
>>> class Counting(Component):
...     step: int
...     def count_up(self, times):
...         self.place()[0] += self.step * times
>>> class Counter(Counting):
...     total: Raw[np.ndarray]
...     def place(self):
...         return self.total
>>> def run(counter, rounds):
...     for _ in range(rounds):
...         counter.count_up(1)
...     return counter.total[0]
>>> counter = Counter(step=2, total=np.zeros(1))
>>> float(run(counter, 3)), float(compile_for(run, counter)(counter, 3))
(6.0, 12.0)
>>> counter._replace(step=3)
Counter(step=3, total=<hidden>)

Some rules follow from how it works:

* a method name has one list of arguments across all classes (Numba resolves by name, then by
  class), and no field has the name of a compiled method;
* compiled methods allocate nothing: they work on arrays that are fields. That removes reference
  counting from the loop (four times faster); a component that must allocate still runs, more
  slowly;
* state that changes lives in arrays; scalar fields are parameters;
* fields of a base come before those of a subclass, so components are constructed by keyword;
* ``super()`` cannot be compiled. A base that leaves a step to its subclasses calls a method that
  they define.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    NoReturn,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

import numpy as np

from componentjit.errors import ComponentError, shorten

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])
Raw = Annotated[T, "raw"]  # of a field: it holds raw feedback, and is never shown
COPIED = ("_make", "_asdict", "__getnewargs__", "__match_args__", "_fields", "_field_defaults")

# What is registered with Numba when it is needed: methods by name and class, plain functions that
# they call, and what
# takes the place of functions that cannot be compiled.
methods: dict[str, dict[type, Callable[..., Any]]] = {}
helpers: list[Callable[..., Any]] = []
apart: set[Callable[..., Any]] = set()  # of these, the ones that stay functions
field_owners: dict[str, type] = {}  # the first class that has a field of that name
stand_ins: dict[Callable[..., Any], Callable[..., Any]] = {}
records: dict[Callable[..., Any], type] = {}  # what functions make that do nothing else

if TYPE_CHECKING:
    Tuple = object
else:
    Tuple = tuple


@dataclass_transform(frozen_default=True)
class Component(Tuple):
    """The root of all components. A subclass adds fields after those of its bases, and may replace their methods."""

    error_class: ClassVar[type[ValueError]] = (
        ComponentError  # what a wrong definition or part raises
    )
    compiles: ClassVar[bool] = (
        True  # whether its methods can be compiled; else a loop around it runs as plain Python
    )

    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}
    _hidden: ClassVar[frozenset[str]] = frozenset()
    _checks_fields: ClassVar[bool] = False  # whether the class has a __new__ of its own

    if TYPE_CHECKING:

        def _asdict(self) -> dict[str, Any]: ...

        @classmethod
        def _make(cls, values: Any) -> Self: ...

        def __iter__(self) -> Iterator[Any]: ...

        def __getitem__(self, position: int) -> Any: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fields, defaults = _fields_of(cls)
        late = list(fields)[len(fields) - len(defaults) :]
        if set(late) != set(defaults):
            raise cls.error_class(
                f"{cls.__name__}: fields with a default come last, those of the bases included."
            )
        make: Any = namedtuple
        model = make(cls.__name__, fields, defaults=[defaults[name] for name in late])
        record = vars(model)  # of a class that nobody holds they may be gone already
        for name in (*COPIED, *fields):
            setattr(cls, name, record[name])
        cls._checks_fields = "__new__" in vars(cls) or (
            cls._checks_fields and not inspect.get_annotations(cls)
        )
        if not cls._checks_fields:
            kinds = {
                name: get_origin(note) or note for name, note in fields.items()
            }  # Channel of Channel[float]
            parts = {
                n: kind
                for n, kind in kinds.items()
                if isinstance(kind, type) and issubclass(kind, Component)
            }
            new = record["__new__"]
            cls.__new__ = staticmethod(_checking(new, parts) if parts else new)  # type: ignore[method-assign]
        cls._hidden = frozenset(name for name, note in fields.items() if _is_raw(note))
        if cls.compiles:
            _register_methods(cls)

    def __repr__(self) -> str:
        shown = (
            f"{n}={'<hidden>' if n in self._hidden else repr(getattr(self, n))}"
            for n in self._fields
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be set: state lives in arrays; see _replace."
        )

    def _replace(self, **changes: Any) -> Self:
        """Return the component with some fields changed."""
        self._check_copy()
        values = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
        if changes:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(map(repr, changes))}.")
        return self._make(values)

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._check_copy()  # copies and pickles of all kinds are made from what is returned here
        return super().__reduce_ex__(protocol)

    def _check_copy(self) -> None:
        """Refuse to be copied, pickled or replaced; a component that must have no twin now overrides this."""


def helper(function: Function) -> Function:
    """Let a plain function be called from compiled methods."""
    helpers.append(function)
    return function


def helper_apart(function: Function) -> Function:
    """Let a plain function be called from compiled methods, and stay a function there.

    For one that is long and called in several places: what is written out is compiled again in each
    of them.
    """
    apart.add(function)
    return helper(function)


def compiled_as(
    stand_in: Callable[..., Any], *, record: type | None = None
) -> Callable[[Function], Function]:
    """Let compiled methods call ``stand_in`` where plain Python calls the decorated function; both do the same.

    ``record`` is the class that it calls, if that is all that it does.
    """

    def register(function: Function) -> Function:
        stand_ins[function] = stand_in
        if record is not None:
            records[function] = record
        return function

    return register


def compilable(component: object) -> bool:
    """Return whether a component is made of numbers, arrays, components and plain records only."""
    if isinstance(component, tuple):
        known = (
            component.compiles
            if isinstance(component, Component)
            else not _has_methods(type(component))
        )
        return known and all(compilable(part) for part in component)
    return isinstance(component, bool | int | float | np.number | np.ndarray)


def _has_methods(cls: type) -> bool:
    """Return whether a class has public methods of its own; a plain tuple of numbers needs none to be compiled."""
    return any(
        inspect.isfunction(member) for name, member in vars(cls).items() if not name.startswith("_")
    )


def _fields_of(cls: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all fields with what their annotations mean, those of the bases first, and the defaults of some."""
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        own = vars(base)
        given = (
            own.get("_field_defaults", {}) if base is not cls and "_field_defaults" in own else own
        )
        for name, note in inspect.get_annotations(base).items():
            if not _is_class_variable(note):
                fields[name] = _evaluated(note, base)
                if name in given:
                    defaults[name] = given[name]
    return fields, defaults


def _register_methods(cls: type[Component]) -> None:
    """Note the public methods of a class, its own and those that it inherits."""
    for name in cls._fields:
        field_owners.setdefault(name, cls)
        if name in methods:
            _refuse_name(name, cls, next(iter(methods[name])), cls.error_class)
    for base in reversed(cls.__mro__[: cls.__mro__.index(Component)]):
        for name, method in vars(base).items():
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            if name in field_owners:
                _refuse_name(name, field_owners[name], cls, cls.error_class)
            siblings = methods.setdefault(name, {})
            for other in siblings.values():
                if arguments_of(other) != arguments_of(method):
                    raise cls.error_class(
                        f"{cls.__name__}.{name} takes "
                        f"({', '.join(arguments_of(method))}), "
                        "but a "
                        "method of "
                        f"that name takes ({', '.join(arguments_of(other))}) in every component."
                    )
                break
            siblings[cls] = _bare(method)


def _refuse_name(name: str, owner: type, other: type, error_class: type[ValueError]) -> NoReturn:
    raise error_class(
        f"{owner.__name__} has a field and "
        f"{other.__name__} a "
        "method "
        "called "
        f"{name}, "
        "but no "
        "field "
        "may have the name of a "
        "compiled method: rename one of them."
    )


def arguments_of(method: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a method's arguments; ``inspect.signature`` takes a tenth of a second for all of them."""
    code = cast(FunctionType, method).__code__
    extra = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]


def _bare(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method without annotations, which Numba would take for a difference between signatures."""
    m = cast(FunctionType, method)
    bare = FunctionType(m.__code__, m.__globals__, m.__name__, m.__defaults__, m.__closure__)
    bare.__qualname__, bare.__module__ = m.__qualname__, m.__module__
    return bare


def _checking(new: Callable[..., Any], parts: dict[str, type]) -> Callable[..., Any]:
    """Return a constructor that refuses what is no component of the declared kind, such as parts in the wrong order."""

    @functools.wraps(new)
    def checked(cls: type[Component], *values: Any, **named: Any) -> Any:
        component = new(cls, *values, **named)
        for name, part in zip(cls._fields, component, strict=True):
            if name in parts and not isinstance(part, parts[name]):
                found = (
                    f"of type {type(part).__name__}"
                    if isinstance(part, Component)
                    else shorten(part)
                )
                raise cls.error_class(
                    f"{name} is {found}, but {cls.__name__} needs a {parts[name].__name__} there."
                )
        return component

    return checked


def _is_class_variable(note: Any) -> bool:
    return (
        note.startswith(("ClassVar", "typing.ClassVar"))
        if isinstance(note, str)
        else get_origin(note) is ClassVar
    )


def _is_raw(note: Any) -> bool:
    """Return whether an annotation is raw, or a part of it, as in ``Raw[Floats] | None``."""
    return "raw" in getattr(note, "__metadata__", ()) or any(
        _is_raw(part) for part in get_args(note)
    )


def _evaluated(note: Any, owner: type) -> Any:
    """Return what an annotation means; one that cannot be told counts as raw: nothing is shown by mistake."""
    try:
        names = vars(sys.modules[owner.__module__])
        while isinstance(
            note, str
        ):  # quotes may be doubled by "from __future__ import annotations"
            note = eval(note, names, {owner.__name__: owner})
        return note
    except Exception:
        return Annotated[Any, "raw"]
