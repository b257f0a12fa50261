"""Classes that run as plain Python, compiled, or for many trials at once.

A component is a class with methods and with annotated fields, which are parameters and NumPy
arrays. It is a named tuple, and inherits fields and methods from its bases. Its public methods can
be compiled, and give the same results in plain Python.

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

* A field must not have the name of a method. A method that overrides one of a base takes the same
  arguments. (Unrelated classes may use the same names for anything.)
* Compiled methods should allocate no memory, and work on arrays that are fields. Then loops need no
  reference counting, and are up to four times faster. A component that allocates still runs.
* Mutable state lives in arrays; scalar fields are parameters.
* Fields of a base come before those of a subclass, so construct components by keyword.
* ``super()`` cannot be compiled. A base that leaves a step to its subclasses calls a method that
  they define.
"""

from __future__ import annotations

import functools
import inspect
import sys
from abc import ABCMeta
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
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
Raw = Annotated[T, "raw"]  # marks a field that is never shown
COPIED = ("_make", "_asdict", "__getnewargs__", "__match_args__", "_fields", "_field_defaults")

# Registered with Numba when they are needed.
helpers: list[Callable[..., Any]] = []  # plain functions that methods call
apart: set[Callable[..., Any]] = set()  # of these, the ones that are not inlined
stand_ins: dict[Callable[..., Any], Callable[..., Any]] = {}  # for what cannot be compiled
records: dict[Callable[..., Any], type] = {}  # made by functions that do nothing else

if TYPE_CHECKING:
    Tuple = object
else:
    Tuple = tuple


class ComponentType(ABCMeta):
    """The class of component classes: their instances have no dictionary, unless they cache in it.

    Python finds methods faster where there is none. A component may also be abstract, hence the
    base; but isinstance works as for any class.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __new__(
        mcs, name: str, bases: tuple[type, ...], members: dict[str, Any], **options: Any
    ) -> ComponentType:
        """Return a component class."""
        others = [base for base in bases if not isinstance(base, ComponentType)]
        parts = [members, *(vars(each) for base in others for each in base.__mro__)]
        caches = any(
            isinstance(each, functools.cached_property) for part in parts for each in part.values()
        )
        slots = {} if caches else {"__slots__": ()}
        return super().__new__(mcs, name, bases, {**slots, **members}, **options)


@dataclass_transform(frozen_default=True)
class Component(Tuple, metaclass=ComponentType):
    """The root of all components.

    A subclass adds fields after those of its bases, and may replace their methods.
    """

    # The error that a wrong definition, or a part of the wrong kind, raises.
    error_class: ClassVar[type[ValueError]] = ComponentError
    # Whether its methods can be compiled; else a loop around it runs as plain Python.
    compiles: ClassVar[bool] = True
    # Methods that may return an array, or a view of one. Without reference counting, no function
    # can, so Numba types these as if there were reference counting, and inlines them.
    views: ClassVar[frozenset[str]] = frozenset()

    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}
    _hidden: ClassVar[frozenset[str]] = frozenset()
    _checks_fields: ClassVar[bool] = False  # whether the class defines __new__
    _methods: ClassVar[dict[str, FunctionType]] = {}  # those that are compiled, by name

    if TYPE_CHECKING:

        def _asdict(self) -> dict[str, Any]: ...

        @classmethod
        def _make(cls, values: Any) -> Self: ...

        def __iter__(self) -> Iterator[Any]: ...

        def __getitem__(self, position: int) -> Any: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            raise cls.error_class(
                f"{cls.__name__} defines __init__, but a component is made from its fields: "
                "annotate them in the class (sums: np.ndarray), and compute what they hold in a "
                "class method such as start."
            )
        fields, defaults = _fields_of(cls)
        late = list(fields)[len(fields) - len(defaults) :]
        if set(late) != set(defaults):
            raise cls.error_class(
                f"{cls.__name__}: fields with defaults must come after fields without, including "
                "inherited ones."
            )
        cls._methods = _methods_of(cls, fields) if cls.compiles else {}
        make: Any = namedtuple
        model = make(cls.__name__, fields, defaults=[defaults[name] for name in late])
        record = vars(model)  # held, because the class itself may be collected
        for name in (*COPIED, *fields):
            setattr(cls, name, record[name])
        cls._checks_fields = "__new__" in vars(cls) or (
            cls._checks_fields and not inspect.get_annotations(cls)
        )
        if not cls._checks_fields:
            # The class of each field: Channel for Channel[float].
            kinds = {name: get_origin(note) or note for name, note in fields.items()}
            parts = {
                n: kind
                for n, kind in kinds.items()
                if isinstance(kind, type) and issubclass(kind, Component)
            }
            new = record["__new__"]
            cls.__new__ = staticmethod(_check_parts(new, parts) if parts else new)  # type: ignore[method-assign]
        cls._hidden = frozenset(name for name, note in fields.items() if _is_raw(note))

    def __repr__(self) -> str:
        shown = (
            f"{n}={'<hidden>' if n in self._hidden else repr(getattr(self, n))}"
            for n in self._fields
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__}.{name} is read-only: keep mutable state in arrays, or use "
            "_replace."
        )

    def _replace(self, **changes: Any) -> Self:
        """Return the component with some fields changed."""
        self._check_copy()
        values = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
        if changes:
            raise ValueError(
                f"{type(self).__name__} has no field {' or '.join(map(repr, changes))}."
            )
        return self._make(values)

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._check_copy()  # all kinds of copies and pickles use what this returns
        return super().__reduce_ex__(protocol)

    def _check_copy(self) -> None:
        """Refuse copies, pickles and replacing; components that must not be copied override it."""


def helper(function: Function) -> Function:
    """Let a plain function be called from compiled methods."""
    helpers.append(function)
    return function


def helper_apart(function: Function) -> Function:
    """Let a plain function be called from compiled methods, without being inlined.

    Use it for a function that is long and called in several places: what is inlined is compiled
    again in each of them.
    """
    apart.add(function)
    return helper(function)


def compiled_as(
    stand_in: Callable[..., Any], *, record: type | None = None
) -> Callable[[Function], Function]:
    """Let compiled methods call ``stand_in`` instead of the decorated function; both do the same.

    ``record`` is a class, if the function does nothing but construct it.
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
    """Return whether a class defines public methods; a plain record of numbers does not."""
    return any(
        inspect.isfunction(member) for name, member in vars(cls).items() if not name.startswith("_")
    )


def _fields_of(cls: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all fields with their annotated types, those of bases first, and their defaults."""
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        own = vars(base)
        given = (
            own.get("_field_defaults", {}) if base is not cls and "_field_defaults" in own else own
        )
        for name, note in inspect.get_annotations(base).items():
            if not _is_class_variable(note):
                fields[name] = _evaluate(note, base)
                if name in given:
                    defaults[name] = given[name]
    return fields, defaults


def _methods_of(cls: type[Component], fields: Iterable[str]) -> dict[str, FunctionType]:
    """Return the public methods of a class by name, inherited ones included, or refuse them."""
    found: dict[str, FunctionType] = {}
    for base in reversed(cls.__mro__[: cls.__mro__.index(Component)]):
        for name, method in vars(base).items():
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            if name in fields:
                raise cls.error_class(
                    f"{cls.__name__} has both a field and a method called {name}: rename one."
                )
            before = found.setdefault(name, method)
            if arguments_of(before) != arguments_of(method):
                raise cls.error_class(
                    f"{cls.__name__}.{name} takes ({', '.join(arguments_of(method))}), but the "
                    f"method that it replaces takes ({', '.join(arguments_of(before))})."
                )
            found[name] = method
    return found


def arguments_of(method: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a method's arguments.

    ``inspect.signature`` would take a tenth of a second for the methods of some hundred classes.
    """
    code = cast(FunctionType, method).__code__
    extra = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]


def _check_parts(new: Callable[..., Any], parts: dict[str, type]) -> Callable[..., Any]:
    """Return a constructor that refuses a part that is not of its declared class."""

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
    """Return whether an annotation, or a part of it, is raw, as in ``Raw[Floats] | None``."""
    return "raw" in getattr(note, "__metadata__", ()) or any(
        _is_raw(part) for part in get_args(note)
    )


def _evaluate(note: Any, owner: type) -> Any:
    """Return the annotated type; an unknown one counts as raw, so that nothing is shown."""
    try:
        names = vars(sys.modules[owner.__module__])
        while isinstance(note, str):  # quoted twice with "from __future__ import annotations"
            note = eval(note, names, {owner.__name__: owner})
        return note
    except Exception:
        return Annotated[Any, "raw"]
