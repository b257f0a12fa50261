"""Workers and servers that are killed lose nothing; mistakes of stores are found."""

from __future__ import annotations

import os

import pytest
from broken_stores import (
    ChargesAgain,
    DrawsAgain,
    ForgetsDraws,
    KeepsDecisions,
    NoLock,
    NotDurable,
    RepliesFirst,
    TwoTransactions,
    mistaken,
)
from common import in_full
from kill_database import kill

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


SERVER = pytest.param("server", 2, marks=pytest.mark.long)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "kills"), [("sqlite", 8), ("postgres", 8), SERVER])
def test_kills_lose_nothing(kind, kills, server):
    _, faults = kill(kills, kind, 1, server)
    assert faults == []


@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "postgres", "server"])
def test_many_kills_lose_nothing(kind, server):
    killer, faults = kill(1_000, kind, 2, server)
    assert (killer.kills, faults) == (1_000, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "kind"),
    [
        (RepliesFirst, "sqlite"),
        (TwoTransactions, "sqlite"),
        (ForgetsDraws, "sqlite"),
        (KeepsDecisions, "sqlite"),
        (DrawsAgain, "sqlite"),
        (ChargesAgain, "sqlite"),
        (NoLock, "postgres"),
        in_full(NotDurable, "server"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_mistakes_are_found(mistake, kind, server):
    """Within 60 kills; each mistake shows in a few."""
    for seed in range(12):
        with mistaken(mistake):
            _, faults = kill(5, kind, seed, server, until_found=True)
        if faults:
            return
    pytest.fail("no fault was found")
