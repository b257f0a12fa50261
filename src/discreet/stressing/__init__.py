"""How large regret can become: a search for the worst losses, compared with the proved bound."""

from discreet.stressing.games import StressGame
from discreet.stressing.reacting import worst_reacting
from discreet.stressing.searching import Stress, stress

__all__ = ["Stress", "StressGame", "stress", "worst_reacting"]
