"""The dashboard: what a run guarantees, how it is doing, and what it has found."""
