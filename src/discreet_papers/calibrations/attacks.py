"""Which attacks audit the channels of the papers' calibrations."""

from __future__ import annotations

from discreet.auditing import GameFacts, OneEstimate, attack_estimates, attack_on, attack_releases
from discreet.contracts import Protected
from discreet_papers.calibrations.estimates import PaperEstimates
from discreet_papers.calibrations.per_point import PerPoint

attack_on(PerPoint)(attack_releases)


@attack_on(PaperEstimates)
def attack_paper_estimates(private: Protected, facts: GameFacts) -> OneEstimate:
    """Return the attack on estimates, for noise that is Laplace in every batch."""
    return attack_estimates(private, facts)._replace(always_laplace=True)
