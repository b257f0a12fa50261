"""What must not be: a second live object on the same raw sums."""

from __future__ import annotations

from typing import ClassVar, NoReturn, SupportsIndex

from discreet.errors import DiscreetError


class NoTwin:
    """An object that cannot be copied or pickled."""

    _instead: ClassVar[str] = "keep it in a file (path=...), or make a snapshot"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise DiscreetError(
            f"{article} {name} cannot be copied or pickled, or what it holds would be released twice: {self._instead}."
        )
