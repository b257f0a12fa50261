"""ACTG 175 without contexts: which of four treatments is the best for patients like those of the trial."""

from __future__ import annotations

from discreet.contracts import Floats, Generator
from discreet.environments.actg175 import TREATMENTS, fitted_risks
from discreet.environments.contexts.actg175 import simulated
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError
from discreet.problems import ArmGame, Arms, ArmsEnvironment


@register_environment(
    "actg175-simulator", title="a fitted model of four HIV treatments", problem=Arms
)
class Actg175Arms(ArmsEnvironment):
    """The same patients and outcomes as those of actg175-simulator with contexts, of whom nothing is shown.

    Outcomes are those of a fitted model and not of the trial: on average 33.9, 19.4, 21.2 and 22.9
    % get worse by it. There are four arms. Needs lifelines.
    """

    on_unit_scale = True

    arms: int = len(TREATMENTS)

    @property
    def source(self) -> str:
        """The name of the data."""
        return "ACTG 175"

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        if self.arms != len(TREATMENTS):
            raise DiscreetError(
                f"arms is {self.arms}, but ACTG 175 has {len(TREATMENTS)} treatments."
            )
        return ArmGame(simulated(start, stop, rng)[2])

    def fixed_means(self) -> Floats:
        """Return how often each treatment fails, by the model."""
        means: Floats = fitted_risks().mean(axis=0)
        return means
