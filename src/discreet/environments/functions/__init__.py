"""Functions on a convex set."""
