"""Pages for people: what a run promises, how it is doing, and what it has found."""
