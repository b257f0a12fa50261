"""Tests for what others write: conformance of stores. They need pytest."""

from discreet.testing.stores import StoreConformance

__all__ = ["StoreConformance"]
