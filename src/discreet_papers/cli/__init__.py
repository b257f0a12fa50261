"""The commands that the papers add to ``discreet``."""
