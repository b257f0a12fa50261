"""A trial of 600 patients and three treatments, from the plan to the report.

Run it with: python examples/study.py

Four patients a day are enrolled. Whether a treatment has worked is known after 30 days; for one
patient in twenty it is never known. The run waits 30 days for every outcome, so what is seen
reveals neither outcomes nor who answered, or when. The outcomes are simulated, and the program's
own clock makes months pass in seconds. A real study omits ``simulation``, ``seed`` and ``clock``.
"""

from __future__ import annotations

import random
import tempfile
from datetime import timedelta
from pathlib import Path

from discreet import Bandit
from discreet.live.study_report import report_on

PATIENTS, A_DAY = 600, 4
WORKS = {"standard": 0.45, "low dose": 0.60, "high dose": 0.70}
DAY = 86_400.0


class Calendar:
    """A clock that the example moves forward, so that five months take some seconds."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0  # seconds since 1970

    def __call__(self) -> float:
        return self.now


def main() -> None:
    chance, calendar = random.Random(3), Calendar()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        trial = Bandit(
            arms=list(WORKS),
            horizon=PATIENTS,
            epsilon=1.0,
            algorithm="batched-ucb",
            wait=timedelta(days=30),
            default_reward=0.0,  # a missing outcome counts as a failure
            path=path,
            simulation=True,
            seed=3,
            clock=calendar,
        )
        due = []  # days, decisions and outcomes, in the order in which they become known
        for patient in range(PATIENTS):
            decision = trial.ask()
            worked = chance.random() < WORKS[str(decision.arm)]
            if chance.random() > 0.05:
                due.append((calendar.now + 29 * DAY, decision, float(worked)))
            calendar.now += DAY / A_DAY
            while due and due[0][0] <= calendar.now:
                _, earlier, outcome = due.pop(0)
                trial.tell(earlier, reward=outcome)
            if patient == PATIENTS // 2:  # an interim look: these intervals allow it
                print(trial.estimates(), end="\n\n")
                print(report_on(path).design.decisions, "patients are enrolled.\n")
        for when, earlier, outcome in due:
            calendar.now = max(calendar.now, when)
            trial.tell(earlier, reward=outcome)
        calendar.now += 31 * DAY
        trial.release_due()
        gap = trial.estimates().difference("high dose", "standard")
        print(f"High dose minus standard: {gap.mean:.2f}, {gap.low:.2f} to {gap.high:.2f}\n")
        trial.close()
        print(report_on(path).text())


if __name__ == "__main__":
    main()
