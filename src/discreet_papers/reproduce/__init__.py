"""The papers' figures and tables: one module and one command each.

If it fits, a reproduction is a single file: its sweep, its analysis, its text, its drawing. They
share what a reproduction is (``registry``), games and how they are played (``games``), fitted
exponents (``fitting``), the look of drawings (``drawing``), and leaders with full information
(``leaders``). A table of rates is a value (``rates``); everything but its words follows from it
(``rate_reports``).

To add a reproduction, build a :class:`Reproduction` in a plugin and register it.
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
