"""
The dashboard
=============

The decision service renders its charts on the server, without JavaScript. This one, from the page
of a run, shows the share of each text over time. The run is simulated: one visitor a minute for a
week. Outcomes count after two hours, whether the visitor clicked or not.
"""

# sphinx_gallery_thumbnail_path = 'docs/dashboard-light.png'

from collections import Counter
from datetime import timedelta

import numpy as np

from discreet import Bandit
from discreet.service.pages.charts import Column, Series, shares

TEXTS = {"news": 0.08, "back in stock": 0.12, "free delivery": 0.30, "your list": 0.10}
MINUTES, HOURS = 7 * 24 * 60, 4  # of the whole run; of one column of the chart


class Clock:
    """The time, which the simulation moves forward."""

    now = 1_800_000_000.0

    def __call__(self):
        return self.now


class Shown:
    """A chart in a page."""

    def __init__(self, drawn):
        self._drawn = drawn

    def _repr_html_(self):
        return f'<div class="dashboard">{self._drawn}</div>'


clock, people = Clock(), np.random.default_rng(1)
bandit = Bandit(
    arms=list(TEXTS),
    horizon=MINUTES,
    epsilon=1.0,
    algorithm="best",
    wait=timedelta(hours=2),
    default_reward=0.0,
    simulation=True,
    seed=1,
    clock=clock,
)
columns, chosen, began = [], Counter(), clock.now
for minute in range(MINUTES):
    decision = bandit.ask()
    chosen[decision.arm] += 1
    if people.random() < TEXTS[decision.arm]:
        bandit.tell(decision, reward=1.0)  # silence needs no call
    clock.now += 60.0
    if (minute + 1) % (60 * HOURS) == 0:
        columns.append(Column(began, clock.now, tuple(chosen[text] for text in TEXTS)))
        began, chosen = clock.now, Counter()

# %%
# The share of each text in periods of four hours:

Shown(shares(columns, [Series(text, place) for place, text in enumerate(TEXTS)], name="texts"))

# %%
# The page of a run also shows released means with intervals, and the page of all runs the privacy
# budget (``make serve`` starts a service with simulated visitors). The guarantee of the run covers
# everything that the dashboard shows:

print(bandit.guarantee.short)
