"""Citations for algorithms: BibTeX of their papers, and of discreet itself."""

from __future__ import annotations

from discreet.algorithms.references import Citation, cite_discreet
from discreet.algorithms.registry import algorithm


def cite(*names: str) -> str:
    """Return BibTeX for the papers of these algorithms and for discreet itself.

    >>> print(cite("exp3-ix").split("@misc")[0].strip())
    @inproceedings{neu2015explore,
      author    = {Neu, Gergely},
      title     = {Explore no more: improved high-probability regret bounds for non-stochastic
                   bandits},
      booktitle = {Advances in Neural Information Processing Systems},
      year      = {2015},
    }
    """
    return "\n\n".join(citation.bibtex for citation in citations(*names))


def citations(*names: str) -> list[Citation]:
    """Return the citations for these algorithms: each paper once, then discreet itself.

    >>> [citation.short for citation in citations("batched-htinf")][:2]
    ['Asi et al. 2025', 'Huang et al. 2022']
    """
    known = [algorithm(name) for name in names]
    papers = [paper for each in known for paper in (each.citation, *each.builds_on) if paper.bibtex]
    return [*dict.fromkeys(papers), cite_discreet()]
