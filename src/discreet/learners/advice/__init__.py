"""Learners that play arms on the advice of experts."""
