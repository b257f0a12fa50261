"""A server that learns nothing."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Release, Server, Trace


class Unmoved(Server):
    """Publishes the same model for ever: the yardstick of those that learn."""

    model: Floats

    @classmethod
    def start(cls) -> Unmoved:
        """Return the server."""
        return cls(np.zeros(1))

    @classmethod
    def example(cls) -> Unmoved:
        """Return one to check the contract with."""
        return cls.start()

    def learn(self, trace: Trace, released: Release) -> None:
        """Learn nothing."""
