"""What all live classes take: the same options, with the same types and defaults."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import discreet
from discreet.live import RunOptions

CLASSES = [
    discreet.Advisor,
    discreet.Bandit,
    discreet.BestArmSearch,
    discreet.ContextualBandit,
    discreet.Experts,
    discreet.Optimizer,
    discreet.SlateBandit,
    discreet.VectorOptimizer,
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_takes_all_options_of_a_run(kind):
    taken = inspect.signature(kind.__init__).parameters
    for option in dataclasses.fields(RunOptions):
        mine = taken[option.name]
        assert mine.kind is inspect.Parameter.KEYWORD_ONLY
        assert (mine.annotation, mine.default) == (option.type, option.default), option.name


def test_every_option_is_explained():
    for option in dataclasses.fields(RunOptions):
        assert option.name in inspect.getdoc(RunOptions).split("Parameters")[1]
