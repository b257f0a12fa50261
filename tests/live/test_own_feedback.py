"""What a run of a custom learner refuses: one sentence each, which never shows the outcome."""

from __future__ import annotations

import math
import re
from decimal import Decimal

import numpy as np
import pytest
from makers import UNIT, Recorder, contextual, run_of
from raw_frames import SECRET, leaks

from discreet import DiscreetError, Private, channels
from discreet.contracts import Channel, Record

TEXT = f"{SECRET} (patient 17: HIV positive)"
NO_NUMBERS = {
    "text": TEXT,
    "bytes": TEXT.encode(),
    "bytearray": bytearray(b"0.5"),
    "masked": np.ma.masked,
    "masked array": np.ma.array(SECRET, mask=True),
    "array of text": np.array(TEXT),
    "vector": np.array([SECRET]),
    "nan": math.nan,
    "infinite": math.inf,
    "none": None,
    "list": [SECRET],
    "mapping": {"a": SECRET},
    "complex": complex(SECRET),
    "huge": 10**5000,
}
NUMBER = re.compile(r"the feedback is (not|of type \w+, but must be) a finite number\.")
RANGE = "the feedback is outside the declared range 0 to 1."


def refusal_of(run, feedback):
    """Return the message with which feedback is refused; the decision stays open."""
    ticket = run.ask()
    with pytest.raises(DiscreetError) as refusal:
        run.tell(ticket, feedback)
    assert leaks(refusal.value, {SECRET, 1.0 + SECRET}, []) == []
    assert refusal.value.__context__ is None
    assert ticket.id in [each.id for each, _, _ in run.open_decisions()]
    return str(refusal.value)


def batches():
    batch = channels.Batch.laplace(size=2, epsilon=1.0, bounds=UNIT)
    return run_of(Private(batch, Recorder([])))


@pytest.mark.parametrize("feedback", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number_is_refused(feedback):
    assert NUMBER.fullmatch(refusal_of(batches(), feedback))


@pytest.mark.parametrize("feedback", [1.0 + SECRET, -SECRET, Decimal(7)])
def test_numbers_outside_the_range_are_refused(feedback):
    assert refusal_of(batches(), feedback) == RANGE


@pytest.mark.parametrize("feedback", [0, True, 0.5, Decimal("0.5"), np.float32(0.5), np.array(0.5)])
def test_all_kinds_of_numbers_are_accepted(feedback):
    run = batches()
    assert run.tell(run.ask(), feedback)


VECTORS = {
    "running sum": (channels.RunningSum.example(), 3),
    "open sum": (channels.OpenSum.example(), 3),
    "slates": (channels.SlateBits.example(), 3),
    "pairs": (channels.PerDifference.example(), 2),
    "sums of differences": (channels.DifferenceSums.example(), 2),
}


@pytest.mark.parametrize(("channel", "size"), VECTORS.values(), ids=VECTORS)
def test_vectors_are_finite_and_of_the_right_length(channel, size):
    run = run_of(Private(channel, Recorder([])), simulation=True)
    wanted = f"must be a vector of {size} finite numbers."
    for wrong in (TEXT, None, {"a": SECRET}, bytearray(24), [SECRET, math.nan, 0.0], [TEXT] * size):
        assert refusal_of(run, wrong) == f"feedback {wanted}"
    for wrong in ([SECRET] * (size + 1), [SECRET] * (size - 1), np.full((size, 1), SECRET)):
        shape = np.shape(wrong)
        assert refusal_of(run, wrong) == f"feedback has the shape {shape}, but {wanted}"
    assert refusal_of(run, SECRET) == f"feedback has the shape (), but {wanted}"


def test_a_vector_may_be_a_list():
    run = run_of(Private(channels.RunningSum.example(), Recorder([])))
    assert run.tell(run.ask(), [0.5, -0.25, Decimal(1)])
    assert run.tell(run.ask(), np.array([0.5, -0.25, 1.0], np.float32))


def test_records_are_records_of_numbers():
    run = run_of(Private(channels.Moments.example(), Recorder([])), simulation=True)
    features = np.array([0.6, -0.3, 0.2])
    for wrong in (SECRET, TEXT, None, (features, SECRET)):
        kind = type(wrong).__name__
        assert refusal_of(run, wrong) == f"feedback is of type {kind}, but must be a Record."
    assert refusal_of(run, Record(features, TEXT)) == (
        "the outcome of the record is of type str, but must be a finite number."
    )
    assert "outcome of the record is outside" in refusal_of(run, Record(features, 5.0 + SECRET))
    assert refusal_of(run, Record([TEXT], 0.5)) == (
        "the features of the record must be a vector of finite numbers."
    )
    assert "has 1 features" in refusal_of(run, Record([SECRET], 0.5))
    assert run.tell(run.ask(), Record(features, 0.75))


class Words(Channel):
    """A channel of a custom type."""

    compiles = False
    holds_feedback = False
    example_feedback = "a word"

    def offer(self, feedback, query, rng):
        return True, 0.0

    @property
    def guarantee(self):
        return channels.Open.example().guarantee


def test_other_feedback_has_the_type_of_the_example():
    run = run_of(Private(Words(), Recorder([])))
    assert refusal_of(run, SECRET) == "feedback is of type float, but must be a str."
    assert run.tell(run.ask(), "another word")


def test_a_run_that_keeps_contexts_takes_numbers():
    face = contextual()
    face.ask([0.5])
    run = face._run
    (ticket, _, _), *_ = run.open_decisions()
    for wrong, said in ((TEXT, NUMBER.pattern), (1.0 + SECRET, re.escape(RANGE))):
        with pytest.raises(DiscreetError) as refusal:
            run.tell(ticket, wrong)
        assert re.fullmatch(said, str(refusal.value))
        assert leaks(refusal.value, {SECRET, 1.0 + SECRET}, []) == []


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda run: run.give_up([]), "number is of type list, but must be the id of a decision."),
        (lambda run: run.give_up("x"), "number is of type str, but must be the id of a decision."),
        (lambda run: run.give_up(10**5000), "does not belong to this run."),
        (lambda run: run.give_up(-5), "decision -5 does not belong to this run."),
        (lambda run: run.give_up(0, []), "token is of type list, but must be text or None."),
        (
            lambda run: run.open_decisions(after="x"),
            "after is 'x', but must be a whole number of at least -1.",
        ),
        (
            lambda run: run.open_decisions(limit=-1),
            "limit is -1, but must be a whole number of at least 0.",
        ),
        (lambda run: run.read_learner(5), "read is 5, but must be a function of the learner."),
    ],
)
def test_other_arguments_are_refused_in_one_sentence(use, said):
    run = batches()
    run.ask()
    with pytest.raises(DiscreetError) as refusal:
        use(run)
    assert str(refusal.value).endswith(said)


def test_a_page_of_open_decisions():
    run = batches()
    given = [run.ask().id for _ in range(4)]
    assert [each.id for each, _, _ in run.open_decisions()] == given
    assert [each.id for each, _, _ in run.open_decisions(after=given[0], limit=2)] == given[1:3]
    assert run.open_decisions(limit=0) == ()
    assert run.give_up(np.int64(given[3]))
