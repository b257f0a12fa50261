"""The narrow contracts of a private learner: learner, channel, noise, policy.

The contracts of games are in ``problems/base.py``. Each contract is a base class. Optional
abilities are declared on it with a default, so no component is asked with ``hasattr`` what it can
do. Recurring names: an *action* is an arm, a point or a distribution that is played. A *trace* is
the public record of how it was chosen, with everything that ``learn`` will need later. Its arrays
stay valid until the next ``act``; copy a trace to keep it longer. *Feedback* is raw and sensitive.
A *query* is the public factor by which the channel multiplies feedback for a learner. ``rng`` is a
``numpy.random.Generator``. Rounds inside a game count from 0.
"""

from discreet.contracts.channel import ENDLESS, Channel, sealed, unsealed
from discreet.contracts.learner import Learner, Policy, Server
from discreet.contracts.noise import Noise, NoiseScale
from discreet.contracts.passing import (
    Action,
    Asked,
    Estimate,
    Factor,
    Feedback,
    Floats,
    Generator,
    Integers,
    Model,
    Observation,
    Query,
    Record,
    Release,
    Toss,
    Trace,
)
from discreet.contracts.protected import Protected

__all__ = [
    "ENDLESS",
    "Action",
    "Asked",
    "Channel",
    "Estimate",
    "Factor",
    "Feedback",
    "Floats",
    "Generator",
    "Integers",
    "Learner",
    "Model",
    "Noise",
    "NoiseScale",
    "Observation",
    "Policy",
    "Protected",
    "Query",
    "Record",
    "Release",
    "Server",
    "Toss",
    "Trace",
    "sealed",
    "unsealed",
]
