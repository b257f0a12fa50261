"""Which attacks audit the channels of the papers' calibrations."""

from __future__ import annotations

from discreet.auditing import GameFacts, advice, attack_on, releases
from discreet.contracts import Protected
from discreet_papers.calibrations.estimates import PaperEstimates
from discreet_papers.calibrations.per_point import PerPoint

attack_on(PerPoint)(releases.every_release)


@attack_on(PaperEstimates)
def attack_estimates(private: Protected, facts: GameFacts) -> advice.OneEstimate:
    """Return the attack on estimates, for noise that is Laplace in every batch."""
    return advice.one_estimate(private, facts)._replace(always_laplace=True)
