"""Cases that only make full tries."""

from __future__ import annotations

import pytest


def in_full(*values):
    """Return values of a parameter that make full tries, and make test does not: they show no more than the others."""
    return pytest.param(*values, marks=pytest.mark.full)
