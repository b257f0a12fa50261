"""Errors in the papers: what is printed, what is right, and evidence that the code measures.

To add one, write a plugin with a function that measures the evidence, and decorate it with
:func:`register_erratum`.
"""

from discreet_papers.errata.registry import Erratum, errata, register_erratum, write_markdown

__all__ = ["Erratum", "errata", "register_erratum", "write_markdown"]
