"""Learners that search for the best arm, and stop."""
