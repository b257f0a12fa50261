"""Servers that learn a model from reports, for devices that choose with it."""
