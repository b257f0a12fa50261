"""The papers behind ``discreet``: reproductions, errata, printed calibrations and data sets.

It is a plugin like any other. It uses the public interface of ``discreet``, and an entry point of
the group ``discreet`` names it. Importing it registers environments and commands, and is cheap: the
commands are imported when they run, and data are read when they are needed.
"""

from discreet.plugins import register_command
from discreet_papers import calibrations as calibrations
from discreet_papers import datasets

__all__ = ["datasets"]

register_command(
    "reproduce",
    "discreet_papers.cli.reproduce:reproduce",
    short_help="Compute a figure or table of a paper.",
)
register_command(
    "errata",
    "discreet_papers.cli.errata:errata",
    short_help="Measure and print every error in the papers.",
)
register_command(
    "counters",
    "discreet_papers.cli.counters:counters",
    short_help="Compare running sums: mean squared error at equal privacy.",
)
