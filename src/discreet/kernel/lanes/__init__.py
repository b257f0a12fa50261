"""Many trials side by side from the one definition of a loop: a third speed, with the same numbers.

Nothing outside of this folder is written for it: ``Program`` takes a loop as flattening leaves it, one function without
calls, and writes it once more for vectors of trials. See docs/kernel.md: Lanes.
"""

from discreet.kernel.lanes.normal import Unfit
from discreet.kernel.lanes.program import Lanes, Program, program_for, room_for
from discreet.kernel.lanes.widths import LANES

__all__ = ["LANES", "Lanes", "Program", "Unfit", "program_for", "room_for"]
