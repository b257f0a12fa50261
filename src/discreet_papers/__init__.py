"""The papers behind ``discreet``: reproductions, errata, calibrations, data sets, an inventory.

It is a plugin like any other: it uses the public interface of ``discreet``, and an entry point of
the group ``discreet`` names it. Importing it is cheap, because algorithms, environments and
commands are imported only when needed.
"""

from discreet.plugins import register_command, register_modules

register_modules("discreet_papers.calibrations", "discreet_papers.datasets")
register_command(
    "reproduce",
    "discreet_papers.cli.reproduce:reproduce",
    short_help="Compute a figure or table of a paper.",
)
register_command(
    "errata",
    "discreet_papers.cli.errata:errata",
    short_help="Measure where the papers are wrong or could be tighter.",
)
register_command(
    "counters",
    "discreet_papers.cli.counters:counters",
    short_help="Compare running sums: mean squared error at equal privacy.",
)
register_command(
    "papers",
    "discreet_papers.cli.papers:papers",
    short_help="List every statement of the papers, with its numbers.",
)
