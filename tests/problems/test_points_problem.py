"""Games of points: their checks are compiled where that is repaid."""

from __future__ import annotations

import numpy as np
import pytest

from componentjit import compiling
from discreet.problems import LinearGame, Points
from discreet.ranges import make_range


@pytest.mark.parametrize(("experts", "worth"), [(10, False), (1000, True)])
def test_a_check_is_compiled_by_how_many_numbers_it_goes_through(experts, worth, monkeypatch):
    """In plain Python a thousand experts take a hundred times as long as ten."""
    compiled = []
    monkeypatch.setattr(compiling, "_numbers", {})
    monkeypatch.setattr(compiling, "was_compiled", lambda *_: False)
    monkeypatch.setattr(
        compiling, "compile_for", lambda function, *_: compiled.append(function) or function
    )
    rounds = compiling.WORTH // 1000
    game = LinearGame(np.full((rounds, experts), 0.5))
    for seen in (False, worth):
        assert Points("experts", experts).check(game, make_range(), clip=False) == (game, 0)
        assert bool(compiled) == seen
