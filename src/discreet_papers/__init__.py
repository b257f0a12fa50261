"""The five papers behind ``discreet``: reproductions, errata, printed calibrations, data sets.

It is a plugin like any other: it uses the public interface of ``discreet`` and registers through the entry point group
``discreet``.
"""

from discreet.plugins import register_command

register_command(
    "reproduce",
    "discreet_papers.cli.reproduce:reproduce",
    summary="Reproduce a figure or table of a paper.",
)
register_command(
    "errata",
    "discreet_papers.cli.errata:errata",
    summary="Show errors found in the papers, with measured evidence.",
)
register_command(
    "counters",
    "discreet_papers.cli.counters:counters",
    summary="Compare ways to release running sums.",
)
