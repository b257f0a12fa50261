"""A server that learns nothing."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts import Floats, Query, Release, Server


class Unmoved(Server[Floats, Release, Query]):
    """Publishes the same model for ever: the yardstick of those that learn."""

    model: Floats

    @classmethod
    def start(cls) -> Self:
        """Return the server."""
        return cls(np.zeros(1))

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.start()

    def learn(self, trace: object, released: Release) -> None:
        """Learn nothing."""
