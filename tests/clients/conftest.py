"""Which programs the tests of other languages' clients need, and a line if one is missing."""

from __future__ import annotations

import shutil

import pytest

PROGRAMS = {"node": "nodejs", "chromium": "chromium"}  # and Debian's packages


@pytest.fixture
def program(request):
    """Return the path of a program, or leave the test out."""
    found = shutil.which(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed (Debian: {PROGRAMS[request.param]})")
    return found
