"""Routes to raw data: retries, forks, modified files, frames of errors, and sealed noise."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import test_authentic as authentic
import test_durable as durable
import test_exact as exact
import test_keys as keys
import test_one_draw as one_draw
import test_store as store
import test_tampering as tampering
import test_waiting as waiting
import test_withheld as withheld
from attack_report import attack
from corrupt_live import corruptions
from makers import MAKERS, ask, make, tell

from discreet import DiscreetError
from discreet.mechanisms.exact import SEALED


def shares(tries, parts):
    """Return parts, at most so many as there are tries, and how many tries each of them has."""
    chosen = list(parts)[: max(1, tries)]
    return [(part, max(1, tries // len(chosen))) for part in chosen]


def faults_of(calls):
    """Call tests, each in a new folder; return how many, and those that fail, in words."""
    faults = []
    for number, (name, call) in enumerate(calls):
        place = Path.cwd() / f"place {number}"
        place.mkdir()
        try:
            with pytest.MonkeyPatch.context() as patch:
                call(place, patch)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # failures of pytest are no exceptions
            faults.append(f"{name}: {error!r}"[:300])
    return len(calls), faults


@attack(
    "learning fails, and the program retries tell or asks for the next decision",
    holds="every attempt hands the learner the same value; one release is counted",
    tries=4_000,
)
def retries(tries):
    faults, made = [], 0
    for kind, turns in shares(tries, MAKERS):
        face, seen = make(kind), []
        learner = type(face._run._engine.private.learner)
        right = learner.learn

        def fail(self, trace, released, seen=seen):
            seen.append(np.array(released, copy=True).tobytes())
            raise RuntimeError("on purpose")

        learner.learn, decision = fail, None
        try:
            for turn in range(200 + turns):
                try:
                    if seen and turn % 2:
                        ask(face)
                    elif seen:
                        tell(face, decision, loss=0.75)
                    else:
                        decision = ask(face)
                        tell(face, decision)
                except RuntimeError:
                    if len(seen) > turns:
                        break
        finally:
            learner.learn = right
        made += len(seen)
        if len(set(seen)) != 1 or face.state().released != 1:
            faults.append(f"{kind}: {len(set(seen))} values, {face.state().released} releases")
    return made, faults, f"{len(shares(tries, MAKERS))} kinds of runs, one value each"


@attack(
    "a process forked by the C library, unseen by Python, uses the run",
    holds="the child is refused; the parent releases its batch once",
    tries=400,
)
def forks(tries):
    faults, made = [], 0
    for in_file, turns in shares(tries, (False, True)):
        bandit = make("batch", path=Path("run.db") if in_file else None)
        decisions = [bandit.ask() for _ in range(4)]
        for decision in decisions[:3]:
            bandit.tell(decision, loss=0.5)
        uses = [bandit.ask, bandit.state, bandit.close, bandit.release_due]
        uses.append(lambda: bandit.tell(decisions[3], loss=0.5))  # noqa: B023 - called at once
        for turn in range(turns):
            made += 1
            told = one_draw.in_hidden_fork(uses[turn % len(uses)])
            if not told.startswith("this run belongs to another process"):
                faults.append(f"use {turn % len(uses)}: {told!r}")
        bandit.tell(decisions[3], loss=0.5)
        if bandit.state().released != 1:
            faults.append(f"the parent has {bandit.state().released} releases")
        bandit.close()
    return made, faults


@attack(
    "one wrong byte in a run file, or in the files left by a kill",
    holds="refused with a one-sentence error, or no effect",
    tries=2_000,
)
def wrong_bytes(tries):
    found = corruptions(tries, Path.cwd(), seed=1)
    faults = [what for what, times in found.items() for _ in range(times) if "fault" in what]
    figure = f"{found['refused']:,} refused, {found['the same']:,} without effect"
    return tries, faults, f"{figure}, {found['an ask undone']:,} undid an ask that promised nothing"


@attack(
    "a run file is edited without the key: recipe, sums, learner, counters, tags, triggers",
    holds="refused with a one-sentence error; the unedited file opens",
    tries=40,
)
def edits(tries):
    calls = [
        (name, lambda place, _, name=name: authentic.test_any_edit_is_refused_in_one_sentence(
            name, place
        ))
        for name in authentic.EDITS
    ]  # fmt: skip
    changed = tampering.test_a_run_whose_rows_were_changed_by_another_program_is_refused
    calls += [(n, lambda place, _, n=n: changed(n, place)) for n in tampering.TAMPERED]
    forged = authentic.test_a_live_run_cannot_be_replaced_by_one_without_a_key
    calls += [
        (f"without a key, simulation {each}", lambda place, _, each=each: forged(each, place))
        for each in (False, True)
    ]
    return faults_of(calls[:tries])


@attack(
    "a sum in memory or in a file is impossible for its outcomes",
    holds="not released",
    tries=20,
)
def impossible_sums(tries):
    test = authentic.test_a_sum_that_its_batch_cannot_have_is_not_released
    calls = [(kind, lambda *_, kind=kind: test(kind)) for kind in authentic.SUMMED]
    stream = authentic.test_a_running_sum_that_its_rounds_cannot_have_is_not_released
    calls += [
        (kind, lambda *_, kind=kind, wrong=wrong: stream(kind, wrong))
        for kind in authentic.STREAMS
        for wrong in (2.0**60, np.nan)
    ]
    return faults_of(calls[:tries])


@attack(
    "outdated copies, deleted, replaced and truncated files, and invalid or truncated keys",
    holds="refused with a one-sentence error; no acknowledged outcome is lost",
    tries=20,
)
def old_files(tries):
    cut, odd = (
        authentic.test_a_key_that_was_cut_short_says_so,
        authentic.test_what_cannot_be_a_key_is_refused_in_one_sentence,
    )
    gone, shorter, backup = (
        authentic.test_a_run_whose_file_is_deleted_says_so,
        authentic.test_a_run_whose_file_is_cut_short_says_so,
        keys.test_a_restored_backup_is_refused,
    )
    calls = [
        ("old copy", lambda place, _: authentic.test_a_copy_from_within_a_batch_is_refused(place)),
        (
            "old copy, few syncs",
            lambda place, _: durable.test_a_copy_from_before_the_run_was_closed_is_refused(place),
        ),
    ]
    calls += [("deleted", lambda place, _, new=new: gone(new, place)) for new in (False, True)]
    calls += [("cut", lambda place, _, left=left: shorter(left, place)) for left in (0, 1_500)]
    calls += [("backup", lambda place, _, each=each: backup(each, place)) for each in BACKUPS]
    calls += [
        (f"key {each!r}", lambda place, _, each=each: odd(each, place))
        for each in ("", 5, "a\0b", b"key", 3.5)
    ]
    calls += [
        (f"{size} bytes of a key", lambda place, _, size=size: cut(size, place))
        for size in (0, 5, 8, 20, authentic.SIZE - 1)
    ]
    return faults_of(calls[:tries])


BACKUPS = ("batch", "blt")


@attack(
    "an error at any line of ask or tell, in memory and in a file; a full disk; an odd outcome",
    holds="no frame, message or note of the error contains an outcome, a sum or noise",
    tries=2_000,
)
def frames(tries):
    faults, made = [], 0
    kinds = [(kind, in_file) for kind in withheld.KINDS for in_file in (False, True)]
    for number, ((kind, in_file), turns) in enumerate(shares(tries, kinds)):
        path = Path(f"{number}.db") if in_file else None
        thrown, found = withheld.fail_at_every_line(kind, path, every=max(1, 200 // turns))
        made, faults = made + thrown, faults + [f"{kind}: {each}" for each in found]
    calls = [("no thread", lambda _, patch: withheld.test_noise_needs_no_thread(patch))]
    for kind in withheld.KINDS[:tries]:
        calls += [
            (kind, lambda *given, k=kind: withheld.test_a_full_disk_shows_nothing_of_others(
                k, *given
            )),
            (kind, lambda *_, k=kind: withheld.test_refused_outcomes_are_not_in_frames(k)),
        ]  # fmt: skip
    count, found = faults_of(calls)
    return made + count, faults + found


@attack(
    "drawing noise ahead fails in another thread",
    holds="the thread's error report contains no noise",
    tries=12,
)
def drawing_ahead(tries):
    lines = withheld.test_an_error_at_any_line_of_drawing_ahead_shows_no_noise
    whole = withheld.test_noise_that_fails_to_be_drawn_ahead_is_in_no_frame
    calls = [("a draw", lambda _, patch: whole(patch))]
    calls += [(f"line {at}", lambda _, patch, at=at: lines(at, patch)) for at in range(1, tries)]
    return faults_of(calls)


@attack(
    "a live channel that holds feedback is used outside a run",
    holds="it releases nothing, with any arguments",
    tries=2_000,
)
def sealed(tries):
    faults, made, refused = [], 0, Counter()
    for kind, turns in shares(tries, authentic.LIVE):
        rng = np.random.default_rng(1)
        live = authentic.live_example(kind)
        for _ in range(turns):
            made += 1
            try:
                ready, _ = live.offer(kind.example_feedback, kind.example_query, rng)
            except DiscreetError as refusal:
                refused[kind] += str(refusal) == SEALED
                live = authentic.live_example(kind)
            else:
                faults += [f"{kind.__name__} releases"] * bool(ready)
        if turns > 20 and not refused[kind]:
            faults.append(f"{kind.__name__} never refuses")
    return made, faults, f"{len(authentic.LIVE)} kinds of channels"


@attack(
    "a signal handler uses the run in the middle of a tell; SIGTERM arrives",
    holds="a one-sentence error and no deadlock; the run is closed and can be reopened",
    tries=30,
)
def signals(tries):
    test = one_draw.test_a_signal_handler_that_uses_the_run_meanwhile_is_refused
    uses = ("close", "state", "ask")
    calls = [
        (use, lambda place, patch, use=use: test(use, place, patch))
        for use in (uses * tries)[: max(1, tries - tries // 4)]
    ]
    calls += [("SIGTERM", lambda place, _: one_draw.test_sigterm_closes_the_run(place))] * (
        tries // 4
    )
    return faults_of(calls)


@attack(
    "the disk is searched for outcomes: in batches, waiting, given up or released",
    holds="no file contains a raw number or noise drawn ahead",
    tries=5,
)
def disk_scans(tries):
    calls = [
        keys.test_no_raw_number_is_in_the_file_while_a_batch_is_unfinished,
        keys.test_who_has_answered_cannot_be_seen_in_the_file,
        waiting.test_what_is_given_up_is_erased_from_the_file,
        store.test_raw_sums_are_erased_with_their_release,
        exact.TestEachNumberIsUsedOnce().test_files_do_not_hold_what_was_drawn_ahead,
    ]
    return faults_of([(each.__name__, lambda place, _, e=each: e(place)) for each in calls[:tries]])
