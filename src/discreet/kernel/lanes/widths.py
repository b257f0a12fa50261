"""How many trials are played side by side."""

LANES = 16  # doubles: two or four registers, so that the next can begin while one is computed
