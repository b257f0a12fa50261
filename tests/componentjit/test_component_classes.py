"""The class of component classes, and how their parts are copied fast."""

from __future__ import annotations

import abc
import copy
import pickle
from collections.abc import Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np

import componentjit
from componentjit import Component

Kind = TypeVar("Kind")


class Holder(Component, Generic[Kind]):
    total: np.ndarray


class Pair(NamedTuple):
    number: int
    holder: Holder


class Caching:
    __slots__ = ()

    @cached_property
    def twice(self):
        return 2 * self.size()


class Sized(Component, abc.ABC):
    count: int

    @abc.abstractmethod
    def size(self): ...


class Own(Sized):
    def size(self):
        return self.count


class Cached(Caching, Own):
    pass


class Listed(Own, Sequence):
    pass


def test_a_component_may_be_abstract_and_cache():
    assert (Own(2).size(), Cached(2).twice) == (2, 4)
    assert isinstance(Listed(3), Sequence)
    assert isinstance(Cached(2), Sized)
    assert not isinstance((2,), Sized)


def test_a_component_has_a_dictionary_only_if_it_caches():
    assert [hasattr(each(2), "__dict__") for each in (Own, Cached, Listed)] == [False, True, False]


def test_components_are_copied_and_pickled_without_a_dictionary():
    holder = Holder(np.arange(2.0))
    for twin in (copy.copy(holder), copy.deepcopy(holder), pickle.loads(pickle.dumps(holder))):
        assert type(twin) is Holder
        assert twin.total.tolist() == [0.0, 1.0]


def test_a_copier_keeps_the_classes_of_all_parts():
    value = Pair(3, Holder(np.arange(2.0)))
    twin = componentjit.copier(value)(value)
    assert (type(twin), type(twin.holder), twin.number) == (Pair, Holder, 3)
    value.holder.total[0] = 5.0
    assert twin.holder.total.tolist() == [0.0, 1.0]
