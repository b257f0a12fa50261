"""The base class of all components of the library: ``componentjit.Component`` with our errors."""

from __future__ import annotations

import functools
from typing import ClassVar

import componentjit
from discreet.errors import DiscreetError

__all__ = ["Component", "SizeMismatch", "guard"]


class SizeMismatch(componentjit.GuardError, DiscreetError):
    """Two sizes do not fit together; the message names both."""


guard = functools.partial(componentjit.guard, error=SizeMismatch)


class Component(componentjit.Component):
    """A class whose methods run as plain Python, compiled, or vectorised over many trials."""

    error_class: ClassVar[type[ValueError]] = DiscreetError
    views: ClassVar[frozenset[str]] = frozenset({"observe", "feedback", "query"})
