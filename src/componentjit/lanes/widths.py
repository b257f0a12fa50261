"""How many trials are played side by side, and what their generators are called."""

LANES = 16  # doubles: two or four registers, so that the next can begin while one is computed
GENERATORS = ("learner_rng", "privacy_rng", "rng")
