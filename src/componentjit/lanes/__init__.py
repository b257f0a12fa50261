"""Many trials side by side from the one definition of a loop: a third speed, with the same numbers.

Nothing outside of this folder is written for it: ``Program`` takes a loop as flattening leaves it,
one function without calls, and writes it once more for vectors of trials. See docs/kernel.md:
Lanes.
"""

from componentjit.lanes.normal import NotVectorizable
from componentjit.lanes.program import Lanes, Program, program_for, room_for
from componentjit.lanes.widths import LANES

__all__ = ["LANES", "Lanes", "Program", "NotVectorizable", "program_for", "room_for"]
