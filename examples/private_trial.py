"""ACTG 175 as a private trial: what late outcomes cost, the trial itself, and its estimates.

Run it with: python examples/private_trial.py   (needs lifelines, which has the data)

2,139 patients get one of four HIV treatments, six a day. Whether the disease got worse is known
after two months, so some 360 outcomes are outstanding at any time. Outcomes come from a model
fitted to the real trial, and the program's own clock makes a year pass in seconds. A real trial
omits ``simulation``, ``seed`` and ``clock``.
"""

from __future__ import annotations

import random
import tempfile
from collections import deque
from datetime import timedelta
from pathlib import Path

from discreet import Bandit, simulate
from discreet.live.study_report import report_on
from discreet_papers.datasets.actg175 import TREATMENTS, fit_risks

PATIENTS, A_DAY = 2_139, 6
FOLLOW_UP = timedelta(days=60)
LATE = A_DAY * FOLLOW_UP.days  # outcomes that are outstanding
DAY = 86_400.0


class Calendar:
    """A clock that the example moves forward, so that a year takes some seconds."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0  # seconds since 1970

    def __call__(self) -> float:
        return self.now


def price_of_delay() -> None:
    """Print how many of 1,000 patients get worse, by the delay of outcomes."""
    for delay in (0, LATE):
        results = simulate(
            ["uniform", "tracking-ucb"],
            environment="actg175-simulator",
            rounds=PATIENTS,
            epsilon=0.5,
            trials=32,
            seed=1,
            delay=delay,
        )
        equal, private = 1000 * results.loss[:, :, -1].mean(axis=1) / PATIENTS
        print(f"{delay:4} outcomes late: {private:.0f} get worse; {equal:.0f} without learning")


def start(path: Path, calendar: Calendar) -> Bandit:
    """Start the trial: half of epsilon is for learning, half for the estimates at the end."""
    return Bandit(
        arms=list(TREATMENTS),
        horizon=PATIENTS,
        epsilon=0.5,
        final=0.5,
        algorithm="tracking-ucb",
        wait=FOLLOW_UP,  # every outcome counts after two months, whenever it came
        default_loss=0.0,  # lost to follow-up: nothing is known to have gone wrong
        path=path,
        simulation=True,
        seed=3,
        clock=calendar,
    )


def enrol(trial: Bandit, calendar: Calendar) -> None:
    """Treat all patients; tell each outcome when it becomes known, two months later."""
    chance, risks = random.Random(3), fit_risks()
    known = deque()  # when, for which decision, and whether the patient got worse
    for patient in range(PATIENTS):
        decision = trial.ask()
        risk = risks[chance.randrange(len(risks)), TREATMENTS.index(decision.arm)]
        known.append((calendar.now + 59 * DAY, decision, float(chance.random() < risk)))
        calendar.now += DAY / A_DAY
        while known[0][0] <= calendar.now or patient == PATIENTS - 1:
            when, earlier, worse = known.popleft()
            calendar.now = max(calendar.now, when)
            trial.tell(earlier, loss=worse)
            if not known:
                break
    calendar.now += FOLLOW_UP.total_seconds()


def estimate(trial: Bandit) -> str:
    """Make the final release, end the trial, and return its estimates as text."""
    found = trial.finish()
    standard, other = TREATMENTS[0], TREATMENTS[1]
    gap = found.difference(other, standard)
    trial.close()
    return (
        f"{found}\n\nWith {other}, more patients do well than with {standard} alone:\n"
        f"the share is larger by {gap.mean:.3f} (95 % interval {gap.low:.3f} to {gap.high:.3f}).\n"
    )


def main() -> None:
    """Plan, run and report."""
    price_of_delay()
    with tempfile.TemporaryDirectory() as folder:
        path, calendar = Path(folder) / "trial.db", Calendar()
        trial = start(path, calendar)
        print(f"\n{trial.guarantee.short} for learning and estimates together\n")
        enrol(trial, calendar)
        print(estimate(trial))
        print(report_on(path).text())


if __name__ == "__main__":
    main()
