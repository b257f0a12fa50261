"""Learners that play arms."""
