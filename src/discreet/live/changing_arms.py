"""Runs whose arms come and go: batches are paused, arms are added and retired."""

from __future__ import annotations

from collections.abc import Hashable

from discreet.contracts import Generator
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.learners.arms.availability import Available
from discreet.learners.arms.specialists import has_shares, let_go
from discreet.live.frames import withhold_frames
from discreet.live.rows import Change, Group, Rows
from discreet.live.run_state import RunState
from discreet.live.slots import Slots, check_labels, with_condition

Acted = tuple[object, object, int, bytes | None]  # the result of ``Engine.act``


class ChangingArms(RunState):
    """The part of a run that handles arms that come and go.

    The batch of a round depends only on what is public at that time: the batches begun so far, the
    arms available, and what the learner chooses from earlier releases. A batch is paused while its
    arm is not available, or if the learner no longer prefers it after other arms have come; it
    continues when the learner chooses its arm again. Its length stays as it was at its start. So
    each round is still in one release (docs/proofs.md: Arms that come and go).
    """

    __slots__ = ()

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, with an added condition if arms come and go."""
        found = super().guarantee
        return found if self._store.rows.slots is None else with_condition(found)

    @property
    def slots(self) -> Slots | None:
        """The state of the arms if they come and go, otherwise None."""
        return self._store.rows.slots

    @withhold_frames
    def declare(self, labels: tuple[Hashable, ...]) -> Slots:
        """Switch to arms that come and go; return their state."""
        self._check_caller()
        with self._lock:
            self._recover()
            rows = self._committed()
            if self._side is not None:
                raise DiscreetError(
                    "the hold-out plays all arms in turn, so arms cannot be added or retired."
                )
            if rows.slots is None:
                arms = tuple(range(len(labels)))
                first = Slots(labels, considered=arms, present=arms, epoch=rows.epoch[0])
                self._keep_slots(rows, first)
            assert rows.slots is not None, "they were kept"
            return rows.slots

    @withhold_frames
    def add_label(self, label: Hashable) -> Slots:
        """Assign a label to the next spare slot."""
        self._check_caller()
        with self._lock:
            self._recover()
            rows = self._committed()
            slots, spare = rows.slots, self._plan.private.learner.choices
            assert slots is not None, "arms come and go"
            if len(slots.labels) >= spare:
                raise DiscreetError(
                    f"all {spare} slots are in use, including those of retired arms: start a new "
                    "run with a larger capacity."
                )
            if self._store.durable:
                check_labels([label])
            return self._keep_slots(rows, slots._replace(labels=(*slots.labels, label)))

    @withhold_frames
    def retire(self, arm: int) -> Slots:
        """Never play this arm again; drop its unfinished batch and late outcomes."""
        self._check_caller()
        with self._lock:
            self._recover()
            rows = self._committed()
            slots, counters = rows.slots, rows.counters
            assert slots is not None, "arms come and go"
            if slots.live == (arm,):
                raise DiscreetError(
                    "this is the last arm, and a run needs one: start a new run with other arms."
                )
            asked, running, left, released, lost = counters
            paused, unfinished = dict(slots.paused), None
            if left and rows.action_of(running) == arm:
                unfinished, left = running, 0
            for group in list(paused):
                if group in rows.groups and rows.action_of(group) == arm:
                    unfinished = group
                    del paused[group]
            whole = unfinished is not None and self._engine.holding
            slots = slots._replace(
                retired=(*slots.retired, arm),
                paused=tuple(paused.items()),
                present=tuple(each for each in slots.present if each != arm),
                absent=tuple(each for each in slots.absent if each[0] != arm),
            )
            counters = (asked, running, left, released, lost + whole)
            self._changing = True
            learner = None
            if unfinished is not None:
                learner = self._given_up(Group(*rows.groups[unfinished]).trace)
            self._commit(Change(counters, learner=learner, closed=unfinished, slots=slots))
            self._changing = False
            return slots

    def _keep_slots(self, rows: Rows, slots: Slots) -> Slots:
        self._changing = True
        self._commit(Change(rows.counters, slots=slots))
        self._running = -1, 0, None  # from now on, the batch has no known probability
        self._changing = self._several
        return slots

    def _turn_to(self, rows: Rows, available: Available, rng: Generator) -> Acted | None:
        """Let the learner choose again if arms came or went; return what begins a new batch.

        It chooses if no batch is running, if the arm of the running batch is not available, or if
        an arm is available that was not when the batch was chosen. If it chooses an arm with a
        paused batch, that batch continues, and the learner's state does not change.
        """
        slots = rows.slots
        assert slots is not None, "arms come and go"
        # another thread may have retired an arm meanwhile
        places = tuple(arm for arm in available.places if arm not in slots.retired)
        if not places:
            raise DiscreetError("all available arms are retired: at least one must be available.")
        asked, running, left, released, lost = rows.counters
        paused = {group: rest for group, rest in slots.paused if group in rows.groups}
        considered, interrupted = places, -1
        if left:
            known = set(slots.considered)
            if rows.action_of(running) in places and known.issuperset(places):
                return None
            paused[running], interrupted = left, running
        self._changing = True
        engine, later, moved = self._engine, slots, False
        if has_shares(engine.private.learner):
            later, moved = self._with_weights(slots, places, rows.epoch[0])
        before = engine.learner_state.tobytes()
        acted: Acted | None = engine.act(Available(places), rng)
        assert acted is not None, "it always acts"
        chosen = [group for group in paused if rows.action_of(group) == acted[0]]
        left = 0
        if chosen:
            acted, engine.learner_state[:] = None, before
            running, left = chosen[0], paused.pop(chosen[0])
            if running == interrupted:
                considered = tuple(sorted({*slots.considered, *places}))
        later = later._replace(paused=tuple(sorted(paused.items())), considered=considered)
        counters = (asked, running, left, released, lost)
        if later != slots or counters != rows.counters:
            self._commit(Change(counters, learner=before if moved else None, slots=later))
        return acted

    def _with_weights(
        self, slots: Slots, places: tuple[int, ...], epoch: int
    ) -> tuple[Slots, bool]:
        """Return the slots with these arms present, and whether this set new weights."""
        if slots.epoch != epoch:  # the learner has restarted: all arms are alike
            return slots._replace(present=places, absent=(), epoch=epoch), False
        if slots.present == places:
            return slots, False
        away = let_go(self._engine.private.learner, slots.present, places, slots.away)
        return slots.with_away(away)._replace(present=places), True
