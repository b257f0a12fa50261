"""What tests of reproductions share."""

from __future__ import annotations

import pytest

from discreet.plot import save


@pytest.fixture(autouse=True)
def every_figure_is_legible(monkeypatch, legible):
    """Look at all figures that are written: no text covers another or is cut off."""

    def look_and_save(figure, path):
        assert legible(figure)
        return save(figure, path)

    monkeypatch.setattr("discreet_papers.reproduce.registry.save", look_and_save)
