"""Adversaries that deal loss vectors, for learners that play points."""
