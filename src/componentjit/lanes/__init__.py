"""Many trials side by side, from the single definition of a loop, with the same results.

``program_for`` takes a loop that declares its interface (``componentjit.vectorizable``), inlines
all calls, and writes it once more for vectors of trials.
"""

from componentjit.errors import NotVectorizable
from componentjit.lanes.layout import LANES, room_for
from componentjit.lanes.program import Lanes, Program, program_for

__all__ = ["LANES", "Lanes", "NotVectorizable", "Program", "program_for", "room_for"]
