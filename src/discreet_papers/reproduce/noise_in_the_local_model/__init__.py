"""Reports that a server needs for equal error, by the noise that devices put on them: over epsilon and dimensions."""

from discreet_papers.reproduce.noise_in_the_local_model import analysis, drawing, reporting, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="reports of devices needed for equal error, by their noise, over epsilon and "
        "dimensions",
        trials=64,
        rounds=1_000,
        sweep=sweep.sweep,
        play=reporting.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
