"""Learners that see the values of functions at the points they play."""
