"""The papers' figures and tables: one module and one command each.

A reproduction that fits is a single file: its sweep, its analysis, its text, its drawing. What they
share is here once: what a reproduction is (``registry``), games and how they are played
(``games``), fitted exponents (``fitting``), the look of drawings (``drawing``), leaders with full
information (``leaders``). A table of rates is a value (``rates``); everything but its words follows
from it (``rate_reports``).

To add one of your own, build a :class:`Reproduction` in a plugin and register it.
"""

from discreet_papers.reproduce.registry import (
    FORMATS,
    Findings,
    Reproduction,
    SweepPlan,
    register_reproduction,
    reproduction,
    reproductions,
)

__all__ = [
    "FORMATS",
    "Findings",
    "Reproduction",
    "SweepPlan",
    "register_reproduction",
    "reproduction",
    "reproductions",
]
