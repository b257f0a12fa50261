"""Errors in the papers: what is printed, what is right, and evidence that the code measures.

To add one of your own, decorate the function that measures its evidence in a plugin with
:func:`register_erratum`.
"""

from discreet_papers.errata.registry import Erratum, errata, register_erratum, write_markdown

__all__ = ["Erratum", "errata", "register_erratum", "write_markdown"]
