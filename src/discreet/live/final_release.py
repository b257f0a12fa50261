"""The final release of a run: one sum per arm, with its own budget, which ends the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from discreet.channels import FinalSums
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import DiscreetError, check_positive, count
from discreet.estimates.released import SumAtEnd, sums_at_end
from discreet.guarantee import Guarantee
from discreet.live.engine import Engine
from discreet.live.frames import withhold_frames
from discreet.live.rows import FINAL, Change, Drawn, Draws, Recipe, Rows
from discreet.live.run_plan import with_exact_noise
from discreet.live.several import SeveralAtOnce
from discreet.private import Private
from discreet.ranges import make_range

ASK = -1  # the trace that triggers the release


class ArmNumbers(Learner[int, int, Floats, float]):
    """A learner that plays nothing: it only names the arm that a loss belongs to."""

    compiles = False

    def act(self, observation: object, rng: Generator) -> tuple[int, int]:
        """Return the first arm; it is never used."""
        return 0, 0

    def query(self, trace: int) -> float:
        """Return the arm of a loss, or a number below 0 to trigger the release."""
        return float(trace)

    def learn(self, trace: int, released: Floats) -> None:
        """Learn nothing."""


def plan_final(recipe: Recipe, main: Guarantee) -> Private | None:
    """Return the channel that sums outcomes for the final release; None if there is none."""
    given: Mapping[str, Any] = recipe
    epsilon = given.get("final")
    if epsilon is None:
        return None
    check_positive("final", epsilon)
    if recipe["horizon"] is None:
        raise DiscreetError("final is given, but the horizon is None: give a number of rounds.")
    if not main.is_private:
        raise DiscreetError(
            f"final is {epsilon!r}, but {recipe['algorithm']} is not private, so a private final "
            "release adds nothing."
        )
    if given.get("explore") is not None or given.get("holdout") is not None:
        raise DiscreetError(
            "final and a hold-out are both given, but serve the same estimates: give one of them."
        )
    channel = FinalSums.laplace(
        arms=recipe.get("capacity") or len(recipe["arms"]),
        size=recipe["horizon"] + 1,  # so that it never releases by itself
        epsilon=epsilon,
        bounds=make_range(recipe["low"], recipe["high"]),
    )
    private = Private(channel, ArmNumbers())
    return private if recipe["simulation"] else cast(Private, with_exact_noise(private))


class FinalRelease(SeveralAtOnce):
    """The part of a run that adds up the losses of each arm, beside its learner.

    The sums are the stream of the run, so they are committed together with every outcome, and
    encrypted like it.
    """

    __slots__ = ()

    def _with_outcome(self, rows: Rows, action: object, feedback: object) -> bytes | None:
        """Return the sums after one more outcome; None without a final release."""
        engine = self._final_engine()
        if engine is None:
            return None
        held = rows.stream or engine.stream
        return engine.hand_over(held, action, feedback, self._noise_rng, full=False)[2]

    def _final_engine(self) -> Engine | None:
        if self._sums is None and self._plan.final is not None:
            self._sums = Engine(self._plan.final, 0)
        return self._sums

    @withhold_frames
    def final_sums(self) -> list[SumAtEnd] | None:
        """Return the sums of the final release; None before it, or if there is none."""
        self._check_caller()
        with self._lock:
            released = self._committed().final
            return None if released is None else sums_at_end(released)

    @withhold_frames
    def finish(self) -> list[SumAtEnd]:
        """Release the sum of all outcomes of each arm, and end the run.

        Outcomes still missing are given up. Calling this again returns the same sums.
        """
        self._check_caller()
        with self._lock:
            rows = self._committed()
            if rows.drawn is not None:
                self._finish(rows)
            if rows.final is None:
                self._finish_several(rows)
            if rows.final is None:
                self._end_run(rows)
        found = self.final_sums()
        assert found is not None, "it was just made"
        return found

    def _end_run(self, rows: Rows) -> None:
        engine = self._final_engine()
        if engine is None:
            raise DiscreetError(
                "this run has no final release: start the run with final= and the epsilon of that "
                "release."
            )
        if self._wait is not None:
            now = self._clock()
            self._correct_clock(rows, now)
            self._pass_deadlines(rows, now, self._wait)
            newest = rows.open.newest()
            if newest is not None:
                last = rows.given_at(newest[0], newest[4]) + self._wait
                raise DiscreetError(
                    f"{count(len(rows.open), 'decision')} may still get an outcome: finish the run "
                    f"after the last deadline{_at(last)}."
                )
        self._changing = True
        asked, _, _, released, lost = rows.counters
        if rows.groups or rows.open:  # their content is erased
            counters = (asked, -1, 0, released, lost + len(rows.groups))
            self._commit(Change(counters, given_up=tuple(rows.open), epoch=rows.epoch))
        held = rows.stream or engine.stream
        _, value, after = engine.hand_over(held, ASK, 0.0, self._noise_rng, full=True)
        if not self._mark[0]:  # as for other releases
            self._check_caller()
        draws = None
        if rows.draws is not None:
            draws = Draws(rows.draws.learner, self._noise_rng.bit_generator.state)
        self._commit_draw(Drawn(FINAL, value, after, draws))
        self._complete_final(rows, value, after, draws)

    def _complete_final(
        self, rows: Rows, value: Floats, after: bytes | None, draws: Draws | None
    ) -> None:
        """Commit the final release, and the erasure of the sums."""
        asked, running, left, released, lost = rows.counters
        facts = -1, asked, None, self._clock()
        self._commit_tell(
            (asked, running, left, released + 1, lost),
            FINAL,
            released=FINAL,
            value=value,
            stream=after,
            draws=draws,
            facts=facts,
        )
        self._changing = True  # permanently: any later change reports that the run is over

    def _completed_final(self, rows: Rows, drawn: Drawn) -> bool:
        """Commit a drawn final release; return False if it is another release."""
        if drawn.decision != FINAL:
            return False
        self._complete_final(rows, drawn.value, drawn.held, drawn.draws)
        return True


def _at(seconds: float) -> str:
    """Return a time as part of a sentence; nothing if it is beyond the calendar."""
    try:
        moment = datetime.fromtimestamp(math.ceil(seconds), UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f", at {moment:%Y-%m-%d %H:%M:%S} (UTC)"
