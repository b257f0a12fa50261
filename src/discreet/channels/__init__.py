"""Privacy channels: the only code that touches raw feedback."""

from discreet.channels.batch import Batch
from discreet.channels.constant import Constant
from discreet.channels.open import Open
from discreet.channels.per_round import PerRound
from discreet.channels.selection import Selection

__all__ = ["Batch", "Constant", "Open", "PerRound", "Selection"]
