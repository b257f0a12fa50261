"""Adversaries for learners that play arms."""
