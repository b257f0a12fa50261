"""What must not be: a second live object on the same raw sums, also in a forked process."""

from __future__ import annotations

import os
from typing import ClassVar, NoReturn, SupportsIndex

from discreet.errors import DiscreetError


class Process:
    """The process that this code runs in. Python tells it of every fork, so that it need not ask the system each time."""

    def __init__(self) -> None:
        self.number = os.getpid()
        if os.name == "posix":
            os.register_at_fork(after_in_child=self._ask_again)

    def _ask_again(self) -> None:
        self.number = os.getpid()


process = Process()


class NoTwin:
    """An object that cannot be copied or pickled."""

    _instead: ClassVar[str] = "keep it in a file (path=...), or make a snapshot"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise DiscreetError(
            f"{article} {name} cannot be copied or "
            "pickled, or "
            "what it "
            "holds "
            "would be "
            "released "
            f"twice: {self._instead}."
        )
