"""What test modules share: the project's folder, and cases that only ``make full`` runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def in_full(*values):
    """Return parameter values for ``make full`` only: they show no more than the others."""
    return pytest.param(*values, marks=pytest.mark.full)


def unbroken(source):
    """Return Python source in which strings that are written in several pieces are one."""
    return re.sub(r'"\n\s*f?"', "", source)
