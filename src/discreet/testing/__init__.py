"""Tests for what others write: conformance of stores. They need pytest."""

from discreet.testing.stores import DurableStoreConformance, StoreConformance

__all__ = ["DurableStoreConformance", "StoreConformance"]
