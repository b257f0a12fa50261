"""Learners that play points of a convex set and see whole loss vectors."""
