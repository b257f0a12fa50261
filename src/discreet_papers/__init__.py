"""The five papers behind ``discreet``: reproductions, errata, printed calibrations, data sets.

It is a plugin like any other: it uses the public interface of ``discreet`` and registers through the entry point group
``discreet``.
"""

from discreet.plugins import register_command
from discreet_papers import calibrations as calibrations

register_command("reproduce", "discreet_papers.cli.reproduce:reproduce")
register_command("errata", "discreet_papers.cli.errata:errata")
register_command("counters", "discreet_papers.cli.counters:counters")
