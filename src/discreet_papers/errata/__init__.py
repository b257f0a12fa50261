"""Where the papers' constants are too small, too large or their claims false: with ours, and measured evidence."""

from discreet_papers.errata import (
    agarwal_singh,
    ene,
    ene_regret,
    faster_rates,
    tossou,
    zheng,
    zheng_search,
)
from discreet_papers.errata.document import markdown
from discreet_papers.errata.registry import Erratum, errata

__all__ = [
    "Erratum",
    "agarwal_singh",
    "ene",
    "ene_regret",
    "errata",
    "faster_rates",
    "markdown",
    "tossou",
    "zheng",
    "zheng_search",
]
