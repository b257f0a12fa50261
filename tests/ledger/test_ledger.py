"""The budget: exact sums, refusals, users, files, threads, processes, and SIGKILL at any moment."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import hmac
import math
import os
import pickle
import random
import resource
import signal
import sqlite3
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.ledger import BudgetExceeded, Cost, Ledger, UserLimitReached
from discreet.ledger import ledger as module

KEY = bytes(range(100, 132))


def promise(epsilon=0.1, delta=0.0, **changes):
    facts = {"model": "central", "status": "proved", "source": "a theorem", "rounds": 30} | changes
    return Guarantee(epsilon=epsilon, delta=delta, **facts)


def test_a_promise_must_cover_as_many_rounds_as_users_may_take_part_in():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    once = promise(0.1, rounds=1)
    with pytest.raises(DiscreetError, match=r"guarantee is for one round replaced, but users may be in 3: charge"):
        ledger.charge(once)
    assert ledger.charge(once.for_user(rounds=3)) == 1
    assert ledger.spent.epsilon == pytest.approx(0.3)


def test_only_what_is_proved_and_holds_in_full_can_be_charged():
    ledger = Ledger(1.0)
    with pytest.raises(DiscreetError, match="only what is proved can be charged"):
        ledger.charge(promise(0.1, status="claimed by the paper only"))
    with pytest.raises(DiscreetError, match="guarantee holds for ideal noise, but only what holds in full"):
        ledger.charge(promise(0.1, caveat="for ideal noise"))
    assert ledger.entries() == []


def test_one_name_is_one_user_however_it_is_written():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert [ledger.admit("Ren\u00e9"), ledger.admit("Rene\u0301")] == [1, 2]


def concentrated(parameter):
    class Concentrated(Guarantee):
        rho = parameter

    return Concentrated(epsilon=0.1, delta=0.01, model="central", status="proved", source="a theorem")


def charge_until_refused(ledger, one, **more):
    accepted = 0
    with contextlib.suppress(BudgetExceeded):
        while True:
            ledger.charge(one, **more)
            accepted += 1
    return accepted


def exact(number):
    return Fraction(repr(float(number)))


# Sums


@pytest.mark.parametrize("in_file", [False, True])
def test_ten_times_a_tenth_is_one_and_no_more_fits(in_file, tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger" if in_file else None)
    assert [ledger.charge(promise(0.1)) for _ in range(10)] == list(range(1, 11))
    assert ledger.spent == Cost(1.0, 0.0)
    assert ledger.remaining == Cost(0.0, 0.0)
    for more in (0.1, 1e-12, 1e-300):
        with pytest.raises(BudgetExceeded, match=r"a charge of .* in all, but the budget is epsilon 1.0 and delta 0.0"):
            ledger.charge(promise(more))
    assert ledger.charge(promise(0.0)) == 11


def test_a_trillionth_too_much_is_refused_and_changes_nothing():
    ledger = Ledger(1.0, 1e-6)
    ledger.charge(promise(0.4, 5e-7), label="first")
    before = ledger.entries(), ledger.spent, ledger.remaining
    for one in (promise(0.600000000001), promise(0.1, 5.000001e-7)):
        with pytest.raises(BudgetExceeded):
            ledger.charge(one)
    assert (ledger.entries(), ledger.spent, ledger.remaining) == before
    assert ledger.charge(promise(0.6, 5e-7), label="second") == 2
    assert ledger.remaining == Cost(0.0, 0.0)


charges = st.lists(
    st.tuples(
        st.one_of(
            st.floats(0.0, 0.6), st.integers(0, 40).map(lambda n: n / 100), st.sampled_from([1e-12, 1e-300, 5e-324])
        ),
        st.sampled_from([0.0, 1e-7, 3e-7, 1e-9, 5e-324]),
    ),
    max_size=20,
)


@pytest.mark.slow
@given(charges, st.sampled_from([1.0, 0.3, 0.7000000000000001]), st.sampled_from([1e-6, 0.0]))
def test_what_is_accepted_is_exactly_what_fits(sequence, epsilon, delta):
    ledger = Ledger(epsilon, delta)
    sums = [Fraction(0), Fraction(0)]
    for pair in sequence:
        then = [total + exact(more) for total, more in zip(sums, pair, strict=True)]
        fits = then[0] <= exact(epsilon) and then[1] <= exact(delta)
        try:
            ledger.charge(promise(*pair))
            accepted = True
        except BudgetExceeded:
            accepted = False
        assert accepted == fits
        sums = then if fits else sums
        spent, left = ledger.spent, ledger.remaining
        assert exact(spent.epsilon) >= sums[0]
        assert exact(spent.delta) >= sums[1]
        assert 0 <= exact(left.epsilon) <= exact(epsilon) - sums[0]
        assert 0 <= exact(left.delta) <= exact(delta) - sums[1]
    ledger.charge(promise(*ledger.remaining[:2]))
    ledger.close()


@given(st.lists(st.floats(1e-9, 1.5), max_size=15), st.sampled_from([0.5, 3.0]), st.sampled_from([1e-9, 0.01]))
def test_no_accepted_sequence_exceeds_the_budget_by_zcdp(sequence, epsilon, delta):
    ledger = Ledger(epsilon, delta, composition="zcdp")
    total = Decimal(0)

    def direct(rho):
        return rho + 2 * (rho * -Decimal(repr(delta)).ln()).sqrt()

    with localcontext(prec=200):
        for size in sequence:
            more = Decimal(repr(promise(size).rho))
            try:
                ledger.charge(promise(size))
            except BudgetExceeded:
                assert direct(total + more) > Decimal(repr(epsilon)) * (1 - Decimal("1e-35"))
            else:
                total += more
                assert direct(total) <= Decimal(repr(epsilon))
            assert direct(total) <= Decimal(repr(ledger.spent.epsilon)) <= Decimal(repr(epsilon))
            assert ledger.spent.epsilon == pytest.approx(float(direct(total)), rel=1e-15)
    ledger.close()


@pytest.mark.parametrize("epsilon", [1e-200, 1e-6, 1.0, 50.0, 1e200])
@pytest.mark.parametrize("delta", [5e-324, 1e-6, 0.5, 0.9999999999999999])
def test_the_limit_of_rho_is_rounded_towards_refusing(epsilon, delta):
    (rho,) = module.RULES["zcdp"](epsilon, delta).limit
    with localcontext(prec=300):
        most = rho + 2 * (rho * -Decimal(repr(delta)).ln()).sqrt()
        assert 1 - Decimal("1e-35") < most / Decimal(repr(epsilon)) < 1


def test_zcdp_against_a_direct_computation():
    delta, mu = 1e-6, 0.05
    ledger = Ledger(2.0, delta, composition="zcdp")
    accepted = charge_until_refused(ledger, concentrated(mu**2 / 2))

    def direct(times):
        rho = times * mu**2 / 2
        return rho + 2 * math.sqrt(rho * math.log(1 / delta))

    assert direct(accepted) <= 2.0 < direct(accepted + 1)
    assert accepted == 54
    assert ledger.spent == Cost(pytest.approx(direct(accepted), rel=1e-14), delta, pytest.approx(accepted * mu**2 / 2))
    assert ledger.remaining.rho < mu**2 / 2
    assert ledger.charge(concentrated(ledger.remaining.rho)) == accepted + 1
    assert ledger.spent.epsilon == 2.0


@pytest.mark.parametrize("size", [0.01, 0.1, 0.5])
def test_when_zcdp_is_better_is_as_the_docstring_says(size):
    delta = 1e-6
    turn = 2 * math.log(1 / delta) / (1 - size / 2) ** 2
    for times, better in ((math.floor(turn * 0.98), False), (math.ceil(turn * 1.02), True)):
        by_rho = Ledger(100.0, delta, composition="zcdp")
        for _ in range(times):
            by_rho.charge(promise(size))
        assert (by_rho.spent.epsilon < times * size) == better


def test_zcdp_needs_a_delta_and_known_rho():
    for delta in (0.0, 1.0):
        with pytest.raises(
            DiscreetError, match=rf"delta is {delta}, but composition 'zcdp' needs one above 0 and below 1"
        ):
            Ledger(1.0, delta, composition="zcdp")
    ledger = Ledger(1.0, 1e-6, composition="zcdp")
    assert ledger.spent == Cost(0.0, 0.0, 0.0)
    with pytest.raises(DiscreetError, match=r"guarantee is \(0.1, 1e-09\)-differential privacy of unknown rho"):
        ledger.charge(promise(0.1, 1e-9))
    assert ledger.entries() == []


def test_the_programs_decimal_context_does_not_matter():
    with localcontext() as context:
        context.prec = 2
        ledger = Ledger(1.0)
        ledger.charge(promise(0.123456789))
        assert ledger.spent.epsilon == 0.123456789
        assert ledger.remaining.epsilon == 0.876543211
        zcdp = Ledger(1.0, 1e-6, composition="zcdp")
        zcdp.charge(promise(0.01))
        assert zcdp.spent.epsilon == pytest.approx(0.0526, abs=1e-4)
        assert getcontext().prec == 2


# Charges


def test_entries_say_what_was_charged_and_when():
    start = datetime.now(UTC)
    ledger = Ledger(1.0, 1e-6)
    ledger.charge(promise(0.25), label="täglich")
    ledger.charge(promise(0.5, 1e-7))
    first, second = ledger.entries()
    assert first[:4] == (1, "täglich", 0.25, 0.0)
    assert first.status == "proved"
    assert first.rho == pytest.approx(0.25**2 / 2)
    assert second[:5] == (2, "", 0.5, 1e-7, None)
    for entry in (first, second):
        when = datetime.fromisoformat(entry.time)
        assert when.utcoffset() == timedelta(0)
        assert start - timedelta(seconds=1) <= when <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((Guarantee.none("nothing"),), "guarantee is no privacy, but only differentially private releases"),
        ((0.5,), "guarantee is 0.5, but must be a Guarantee"),
        ((None,), "guarantee is None, but must be a Guarantee"),
    ],
)
def test_what_is_no_promise_is_refused(arguments, complaint):
    ledger = Ledger(1.0)
    with pytest.raises(DiscreetError, match=complaint):
        ledger.charge(*arguments)
    assert ledger.entries() == []


@pytest.mark.parametrize("in_file", [False, True])
def test_a_label_can_be_charged_once(in_file, tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger" if in_file else None)
    assert ledger.charge(promise(0.75), label="run 1", once=True) == 1
    assert ledger.charge(promise(0.75), label="run 1", once=True) == 1, "it would not fit twice"
    assert ledger.charge(promise(0.125), label="run 2", once=True) == 2
    assert ledger.charge(promise(0.125), label="run 2") == 3, "unless asked for, labels are free"
    assert ledger.spent.epsilon == 1.0
    with pytest.raises(DiscreetError, match=r"label is 'run 1', .* charged with epsilon 0\.75 .* guarantee has 0\.5"):
        ledger.charge(promise(0.5), label="run 1", once=True)
    with pytest.raises(BudgetExceeded):
        ledger.charge(promise(0.5), label="run 3", once=True)
    assert len(ledger.entries()) == 3


@pytest.mark.parametrize("label", [3, None, "two\nlines", "half \ud800"])
def test_a_label_is_printable_text(label):
    ledger = Ledger(1.0)
    with pytest.raises(DiscreetError, match=r"label is .*, but must be printable text"):
        ledger.charge(promise(), label=label)
    assert ledger.spent.epsilon == 0.0


def test_an_interrupted_charge_is_not_made(monkeypatch, tmp_path):
    for ledger in (Ledger(1.0), Ledger(1.0, path=tmp_path / "ledger")):

        def interrupt(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(ledger, "_last", interrupt)
            with pytest.raises(KeyboardInterrupt):
                ledger.charge(promise())
        assert ledger.entries() == []
        assert ledger.charge(promise()) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"epsilon": 0.0}, "epsilon is 0.0"),
        ({"epsilon": math.inf}, "epsilon is inf"),
        ({"epsilon": "1"}, "epsilon is '1'"),
        ({"delta": -1e-9}, "delta is -1e-09"),
        ({"delta": math.nan}, "delta is nan"),
        ({"composition": "zcpd"}, "unknown composition 'zcpd': did you mean 'zcdp'"),
        ({"composition": ["basic"]}, "unknown composition"),
        ({"max_rounds_per_user": 0}, "max_rounds_per_user is 0"),
        ({"max_rounds_per_user": 2.5}, "max_rounds_per_user is 2.5"),
        ({"max_rounds_per_user": 3, "key": b"short"}, "key is 5 bytes, but must be at least 16 secret bytes"),
        ({"max_rounds_per_user": 3, "key": "x" * 32}, "key is a str, but must be at least 16 secret bytes"),
        ({"max_rounds_per_user": 3, "path": "never"}, r"key is None, but .* secrets.token_bytes\(32\)"),
        ({"key": KEY}, "key is given, but max_rounds_per_user is None"),
        ({"path": 3.5}, "path is 3.5, where no file can be made"),
        ({"path": "nul\0"}, "where no file can be made"),
    ],
)
def test_bad_arguments_are_refused(arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        Ledger(**({"epsilon": 1.0} | arguments))
    assert "short" not in str(refusal.value)
    assert "xxx" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


# Users


def test_users_have_a_limit():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert ledger.max_rounds_per_user == 3
    assert [ledger.admit("Ada") for _ in range(3)] == [1, 2, 3]
    with pytest.raises(UserLimitReached, match="this user has been in 3 rounds, and no more is allowed") as refusal:
        ledger.admit("Ada")
    assert "Ada" not in str(refusal.value)
    assert refusal.value.__context__ is None
    assert ledger.rounds_of("Ada") == 3
    assert ledger.rounds_of("Bob") == 0
    assert ledger.admit("Bob") == 1
    assert ledger.spent.epsilon == 0.0


def test_a_user_is_one_text_however_it_is_given():
    ledger = Ledger(1.0, max_rounds_per_user=9)
    users = [17, "17", b"17", " 17", "17\n", np.int64(17)]
    assert [ledger.admit(user) for user in users] == [1, 2, 3, 4, 5, 6]
    others = [-17, "017", "1 7", "\ud800", "Ada", "ada"]
    assert [ledger.admit(user) for user in others] == [1] * len(others)


@pytest.mark.parametrize(
    ("user", "complaint"),
    [("", "is empty"), (" ", "is empty"), (b"\xff", "is no text"), pytest.param(10**5000, "is no", id="digits")],
)
def test_what_names_nobody_is_refused_without_showing_it(user, complaint):
    with pytest.raises(DiscreetError, match=f"user {complaint}") as refusal:
        Ledger(1.0, max_rounds_per_user=2).admit(user)
    assert refusal.value.__context__ is None


def test_a_file_that_counted_users_otherwise_is_refused(tmp_path):
    path = tmp_path / "ledger"
    Ledger(1.0, max_rounds_per_user=2, path=path, key=KEY).close()
    with sqlite3.connect(path) as file:
        file.execute("UPDATE terms SET key_check = ?", (hmac.digest(KEY, b"check", "sha256"),))
    file.close()
    with pytest.raises(DiscreetError, match="counted 17 and '17' as two users"):
        Ledger(1.0, max_rounds_per_user=2, path=path, key=KEY)


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
@pytest.mark.parametrize(("budget", "rounds", "runs"), [(1.0, 3, 1), (2.0, 4, 5), (0.7, 7, 3), (10.0, 1, 9)])
def test_the_epsilon_a_round_fits_and_hardly_any_more_does(composition, budget, rounds, runs):
    ledger = Ledger(budget, 1e-6, composition=composition, max_rounds_per_user=rounds)
    epsilon = ledger.epsilon_a_round(runs=runs)
    for run in range(runs):
        most = ledger.epsilon_a_round(runs=runs - run)
        assert most == pytest.approx(epsilon, rel=1e-9)
        for more in (
            promise(1.001 * most, rounds=1).for_user(rounds=rounds),
            promise(most, rounds=1).for_user(rounds=2 * rounds),
        ):
            if run == runs - 1:
                with pytest.raises(BudgetExceeded, match="would fit"):
                    ledger.charge(more)
        ledger.charge(promise(epsilon, rounds=1).for_user(rounds=rounds))
    with pytest.raises(BudgetExceeded):
        ledger.charge(promise(0.01 * epsilon, rounds=1).for_user(rounds=rounds))


def test_a_refused_charge_says_which_epsilon_would_fit():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    ledger.charge(promise(0.1, rounds=1).for_user(rounds=3))
    with pytest.raises(BudgetExceeded, match=r"epsilon at most 0\.7, which is 0\.233333333333 a round, would fit"):
        ledger.charge(promise(1.0, rounds=1).for_user(rounds=3))
    assert ledger.charge(promise(0.233333333333, rounds=1).for_user(rounds=3)) == 2
    ledger = Ledger(1.0)
    ledger.charge(promise(1.0, rounds=1))
    with pytest.raises(BudgetExceeded, match="nothing more fits"):
        ledger.charge(promise(1e-6, rounds=1))


@pytest.mark.parametrize("user", [1.5, None, True, ("Ada",), bytearray(b"Ada")])
def test_what_is_no_user_is_refused_without_showing_it(user):
    with pytest.raises(DiscreetError, match=r"user is of type .*, but must be text, a whole number or bytes") as refusal:
        Ledger(1.0, max_rounds_per_user=2).admit(user)
    assert "Ada" not in str(refusal.value)


def test_users_are_not_counted_without_a_limit():
    ledger = Ledger(1.0)
    for method in (ledger.admit, ledger.rounds_of):
        with pytest.raises(DiscreetError, match="max_rounds_per_user is None, but must be set") as refusal:
            method("Ada")
        assert "Ada" not in str(refusal.value)


@pytest.mark.parametrize(
    ("user", "tagged"), [("ada@example.com", b"user:ada@example.com"), (123456789, b"user:123456789")]
)
def test_the_file_holds_neither_users_nor_the_key(user, tagged, tmp_path):
    ledger = Ledger(1.0, max_rounds_per_user=3, path=tmp_path / "ledger", key=KEY)
    ledger.charge(promise(), label="the label")
    ledger.admit(user)
    ledger.admit("another")
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    plain = str(user).encode()
    for digest in (hashlib.sha256(plain), hashlib.sha256(tagged)):
        assert digest.digest() not in raw
        assert digest.hexdigest().encode() not in raw
    for secret in (plain, tagged, KEY, KEY[:8], KEY.hex().encode(), (123456789).to_bytes(4, "big")):
        assert secret not in raw
    assert hmac.digest(KEY, tagged, "sha256") in raw, "what is looked for would be found"
    assert b"the label" in raw


def test_repr_shows_the_state_and_no_secrets(tmp_path):
    ledger = Ledger(1.0, 1e-6, max_rounds_per_user=3, path=tmp_path / "ledger", key=KEY)
    ledger.charge(promise(0.25))
    ledger.admit("Ada")
    for text in (repr(ledger), str(ledger)):
        assert text.startswith("Ledger(epsilon=1.0, delta=1e-06, composition='basic', max_rounds_per_user=3; spent ")
        assert "0.25" in text
        assert str(tmp_path / "ledger") in text
        for secret in ("Ada", repr(KEY)[2:-1], KEY.hex()):
            assert secret not in text
    ledger.close()
    assert "; closed; kept in" in repr(ledger)
    assert "; kept in memory)" in repr(Ledger(1.0))


# Files


def test_a_file_remembers(tmp_path):
    path = tmp_path / "a file with #, ? and %20"
    with Ledger(1.0, 1e-6, max_rounds_per_user=2, path=path, key=KEY) as ledger:
        ledger.charge(promise(0.5, 1e-7), label="first")
        ledger.admit("Ada")
        before = ledger.entries(), ledger.spent, ledger.remaining
    with Ledger(1.0, 1e-6, max_rounds_per_user=2, path=str(path), key=KEY) as ledger:
        assert (ledger.entries(), ledger.spent, ledger.remaining) == before
        assert ledger.admit("Ada") == 2
        with pytest.raises(UserLimitReached):
            ledger.admit("Ada")
        assert ledger.charge(promise(0.5)) == 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_charge_is_on_the_disk_before_it_returns(tmp_path):
    with Ledger(1.0, path=tmp_path / "ledger")._transaction(writing=True) as file:
        assert file.execute("PRAGMA synchronous").fetchone() == (3,)
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert file.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
        assert file.in_transaction


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"epsilon": 2.0}, "epsilon is 2.0, but the ledger in '.*' has 1.0 for good"),
        ({"delta": 1e-5}, "delta is 1e-05, but the ledger in '.*' has 1e-06 for good"),
        ({"composition": "zcdp"}, "composition is 'zcdp', but the ledger in '.*' has 'basic' for good"),
        ({"max_rounds_per_user": 4}, "max_rounds_per_user is 4, but the ledger in '.*' has 3 for good"),
        (
            {"max_rounds_per_user": None, "key": None},
            "max_rounds_per_user is None, but the ledger in '.*' has 3 for good",
        ),
        ({"key": KEY[::-1]}, "key is not the one with which the ledger in '.*' was made"),
    ],
)
def test_a_file_keeps_its_terms(changes, complaint, tmp_path):
    terms = {"epsilon": 1.0, "delta": 1e-6, "max_rounds_per_user": 3, "path": tmp_path / "ledger", "key": KEY}
    Ledger(**terms).charge(promise())
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        Ledger(**terms | changes)
    assert repr(KEY)[2:-1] not in str(refusal.value)
    assert Ledger(**terms).spent.epsilon == 0.1


def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("To be, or not to be: that is the question. " * 50)
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE entries (number)")
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(DiscreetError, match=rf"the ledger in '{path}' is a file of another kind\.$"):
            Ledger(1.0, path=path)
        assert path.read_bytes() == before
    with pytest.raises(DiscreetError, match="cannot be used"):
        Ledger(1.0, path=tmp_path)
    with pytest.raises(DiscreetError, match="where no file can be made"):
        Ledger(1.0, path=tmp_path / "nowhere" / "ledger")


@pytest.mark.parametrize("left", ["nothing", "an empty file", "text"])
def test_a_file_that_was_lost_while_in_use_is_not_begun_again(left, tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    ledger.charge(promise())
    (tmp_path / "ledger").unlink()
    if left != "nothing":
        (tmp_path / "ledger").write_text("" if left == "an empty file" else "x" * 5000)
    with pytest.raises(DiscreetError, match=r"cannot be used|another kind"):
        ledger.charge(promise())
    assert "unreadable" in repr(ledger)
    assert (tmp_path / "ledger").exists() == (left != "nothing")


def test_a_path_is_of_the_directory_where_it_was_given(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(1.0, path="ledger")
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.charge(promise())
    assert Ledger(1.0, path=tmp_path / "ledger").spent.epsilon == 0.1


def test_a_file_that_stays_locked_is_refused_in_one_sentence(tmp_path, monkeypatch):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.02)
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DiscreetError, match=r"cannot be used \(database is locked\), so nothing may be released\.$"):
            ledger.charge(promise())
        other.execute("ROLLBACK")
    assert ledger.charge(promise()) == 1


def test_a_closed_ledger_refuses(tmp_path):
    for ledger in (Ledger(1.0, max_rounds_per_user=1), Ledger(1.0, max_rounds_per_user=1, path=tmp_path / "l", key=KEY)):
        ledger.close()
        ledger.close()
        for use in (
            lambda: ledger.charge(promise()),  # noqa: B023
            lambda: ledger.admit("Ada"),  # noqa: B023
            lambda: ledger.spent,  # noqa: B023
            lambda: ledger.entries(),  # noqa: B023
        ):
            with pytest.raises(DiscreetError, match="this ledger is closed: make it again to use it"):
                use()
        assert ledger.budget == Cost(1.0, 0.0)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_cannot_be_copied(copied):
    with pytest.raises(DiscreetError, match="a Ledger cannot be copied or pickled, or its budget would be spent twice"):
        copied(Ledger(1.0))


# Threads and processes


def fork(work):
    """Run work in a child and return its process id; it ends with status 0 if work returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
        process = os.fork()
    if process:
        return process
    status = 1
    signal.alarm(100)  # rather killed than waited for without end
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def joined(processes):
    assert [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes] == [0] * len(processes)


@pytest.fixture
def eager_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.usefixtures("eager_threads")
def test_threads_spend_the_budget_once(in_file, tmp_path):
    where = {"path": tmp_path / "ledger", "key": KEY} if in_file else {}
    ledger = Ledger(1.0, max_rounds_per_user=30, **where)
    accepted, admitted = [], []

    def work():
        for _ in range(12):
            with contextlib.suppress(BudgetExceeded):
                accepted.append(ledger.charge(promise(0.02)))
            with contextlib.suppress(UserLimitReached):
                admitted.append(ledger.admit("Ada"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(accepted) == list(range(1, 51))
    assert sorted(admitted) == list(range(1, 31))
    assert ledger.spent.epsilon == 1.0


def test_processes_spend_the_budget_once(tmp_path):
    """Each opens the file itself; all begin at the same moment, which the closing of a pipe gives them."""
    waiting, go = os.pipe()

    def work():
        os.close(go)
        os.read(waiting, 1)
        with Ledger(1.0, max_rounds_per_user=10, path=tmp_path / "ledger", key=KEY) as ledger:
            number = charge_until_refused(ledger, promise(0.02))
            admitted = 0
            with contextlib.suppress(UserLimitReached):
                while True:
                    ledger.admit("Ada")
                    admitted += 1
        (tmp_path / f"accepted {os.getpid()}").write_text(f"{number} {admitted}")

    processes = [fork(work) for _ in range(4)]
    os.close(waiting)
    os.close(go)
    joined(processes)
    counts = [list(map(int, path.read_text().split())) for path in tmp_path.glob("accepted *")]
    assert len(counts) == 4
    assert [sum(column) for column in zip(*counts, strict=True)] == [50, 10]
    ledger = Ledger(1.0, max_rounds_per_user=10, path=tmp_path / "ledger", key=KEY)
    assert ledger.spent.epsilon == 1.0
    assert [entry.number for entry in ledger.entries()] == list(range(1, 51))


@pytest.mark.slow
@pytest.mark.usefixtures("eager_threads")
def test_children_may_go_on_with_a_file_even_if_forked_beside_busy_threads(tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    done = threading.Event()
    charged = []

    def work():
        while not done.is_set():
            charged.append(ledger.charge(promise(1e-4)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        joined([fork(lambda: ledger.charge(promise(1e-4), label="child")) for _ in range(12)])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    entries = ledger.entries()
    assert sum(entry.label == "child" for entry in entries) == 12
    assert len(entries) == 12 + len(charged)
    assert len(charged) > 0


def test_a_child_cannot_spend_a_budget_in_the_memory_of_its_parent():
    ledger = Ledger(1.0)

    def work():
        with pytest.raises(DiscreetError, match="this ledger is in the memory of another process: give it a path"):
            ledger.charge(promise())

    joined([fork(work)])
    assert ledger.charge(promise()) == 1


def test_a_full_disk_refuses_the_charge_and_keeps_the_others(tmp_path):
    def work():
        ledger = Ledger(1.0, path=tmp_path / "ledger")
        size = (tmp_path / "ledger").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 512, size + 512))
        with pytest.raises(DiscreetError, match=r"cannot be used .*, so nothing may be released"):
            charge_until_refused(ledger, promise(0.001), label="x" * 400)

    joined([fork(work)])
    entries = Ledger(1.0, path=tmp_path / "ledger").entries()
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert 0 < len(entries) < 100
    assert Ledger(1.0, path=tmp_path / "ledger").charge(promise(0.001)) == len(entries) + 1


# SIGKILL

BUDGET = 1.0
SMALL = promise(1e-6)


def charge_then_release(ledger, output):
    while True:
        number = ledger.charge(SMALL)
        os.write(output, b"%d\n" % number)
        os.fsync(output)


def release_then_charge(ledger, output):
    """What must not be done: the negative control."""
    while True:
        number = len(ledger.entries()) + 1
        os.write(output, b"%d\n" % number)
        os.fsync(output)
        ledger.charge(SMALL)


class Killer:
    """Starts children that work on a ledger and kills them at random moments."""

    def __init__(self, directory, seed):
        self.path, self.output, self.random = directory / "ledger", directory / "released", random.Random(seed)
        probe = Ledger(BUDGET, path=directory / "probe")
        start = time.perf_counter()
        for _ in range(5):
            probe.charge(SMALL)
        self.longest = min(0.15, 0.003 + 6 * (time.perf_counter() - start) / 5)  # some charges, however slow the disk

    def kill_one(self, loop):
        def work():
            output = os.open(self.output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            loop(Ledger(BUDGET, path=self.path), output)

        process = fork(work)
        time.sleep(self.random.uniform(0.0, self.longest))
        os.kill(process, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL, "it was still at work"

    def charged_and_released(self):
        charged = [entry.number for entry in Ledger(BUDGET, path=self.path).entries()]
        released = list(map(int, self.output.read_text().split())) if self.output.exists() else []
        return charged, released


def uncharged(charged, released):
    """Return the releases that no charge of their own stands for."""
    return sorted((Counter(released) - Counter(charged)).elements())


@pytest.mark.slow
@pytest.mark.parametrize("least", [60, pytest.param(200, marks=pytest.mark.full)])
def test_nothing_is_released_uncharged_after_many_kills(least, tmp_path):
    killer = Killer(tmp_path, seed=7)
    within_a_charge = between_charge_and_release = 0
    known, gap = [], 0
    kills = 0
    while kills < least or (len(known) < least // 2 and kills < 2000):  # a busy machine needs more of them
        kills += 1
        killer.kill_one(charge_then_release)
        within_a_charge += (tmp_path / "ledger-journal").exists()
        charged, released = killer.charged_and_released()
        assert uncharged(charged, released) == []
        assert len(charged) >= len(released)
        assert charged[: len(known)] == known, "no charge is ever forgotten"
        assert charged == list(range(1, len(charged) + 1))
        between_charge_and_release += len(charged) - len(released) > gap
        known, gap = charged, len(charged) - len(released)
    ledger = Ledger(BUDGET, path=tmp_path / "ledger")
    assert exact(ledger.spent.epsilon) == len(known) * exact(1e-6)
    assert len(known) >= least // 2
    assert within_a_charge > 0
    assert between_charge_and_release > 0
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger")) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_kill_test_would_notice_a_release_before_its_charge(tmp_path):
    killer = Killer(tmp_path, seed=8)
    for _ in range(100):
        killer.kill_one(release_then_charge)
        caught = uncharged(*killer.charged_and_released())
        if caught:
            break
    assert caught != []


@pytest.mark.slow
def test_a_ledger_killed_while_it_is_made_can_be_made_again(tmp_path):
    chance = random.Random(9)
    found = set()
    for number in range(40):
        path = tmp_path / str(number)
        process = fork(lambda: [Ledger(BUDGET, path=path), signal.pause()])  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.005 + 0.001 * number))  # a busy machine begins late
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        found.add(path.stat().st_size if path.exists() else None)
        ledger = Ledger(BUDGET, path=path)
        assert ledger.charge(SMALL) == 1
        assert path.stat().st_mode & 0o777 == 0o600
    assert len(found) > 1, "some were killed before they were done"
