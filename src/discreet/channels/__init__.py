"""Privacy channels: the only code that touches raw feedback."""

from discreet.channels.batch import Batch
from discreet.channels.buffered import Buffered
from discreet.channels.constant import Constant
from discreet.channels.epochs import Epochs
from discreet.channels.estimates import Estimates
from discreet.channels.open import Open
from discreet.channels.open_sum import OpenSum
from discreet.channels.paper_estimates import PaperEstimates
from discreet.channels.per_round import PerRound
from discreet.channels.selection import Selection
from discreet.channels.square_root import SquareRoot
from discreet.channels.tree import Tree

__all__ = [
    "Batch",
    "Buffered",
    "Constant",
    "Epochs",
    "Estimates",
    "Open",
    "OpenSum",
    "PaperEstimates",
    "PerRound",
    "Selection",
    "SquareRoot",
    "Tree",
]
