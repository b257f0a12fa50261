"""The budget: exact sums, what is accepted and what is refused, and what entries say."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from promises import KEY, charge_until_refused, exact, promise

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.ledger import BudgetExceeded, Cost, Ledger
from discreet.ledger import ledger as module


def test_a_promise_must_cover_as_many_rounds_as_users_may_take_part_in():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    once = promise(0.1, rounds=1)
    with pytest.raises(
        DiscreetError,
        match=r"guarantee is for one round replaced, but a user may be in 3 rounds: charge",
    ):
        ledger.charge(once)
    assert ledger.charge(once.for_user(rounds=3)) == 1
    assert ledger.spent.epsilon == pytest.approx(0.3)


def test_only_what_is_proved_and_holds_in_full_can_be_charged():
    ledger = Ledger(1.0)
    with pytest.raises(DiscreetError, match="only proved guarantees can be charged"):
        ledger.charge(promise(0.1, status="claimed by the paper only"))
    with pytest.raises(
        DiscreetError, match="guarantee holds for ideal noise, but only unconditional guarantees"
    ):
        ledger.charge(promise(0.1, caveat="for ideal noise"))
    assert ledger.entries() == []


def concentrated(parameter):
    class Concentrated(Guarantee):
        rho = parameter

    return Concentrated(
        epsilon=0.1, delta=0.01, model="central", status="proved", source="a theorem"
    )


# Sums


@pytest.mark.parametrize("in_file", [False, True])
def test_ten_times_a_tenth_is_one_and_no_more_fits(in_file, tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger" if in_file else None)
    assert [ledger.charge(promise(0.1)) for _ in range(10)] == list(range(1, 11))
    assert ledger.spent == Cost(1.0, 0.0)
    assert ledger.remaining == Cost(0.0, 0.0)
    for more in (0.1, 1e-12, 1e-300):
        with pytest.raises(
            BudgetExceeded,
            match=r"a charge of .* in all, but the budget is epsilon 1.0 and delta 0.0",
        ):
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
            st.floats(0.0, 0.6),
            st.integers(0, 40).map(lambda n: n / 100),
            st.sampled_from([1e-12, 1e-300, 5e-324]),
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


@given(
    st.lists(st.floats(1e-9, 1.5), max_size=15),
    st.sampled_from([0.5, 3.0]),
    st.sampled_from([1e-9, 0.01]),
)
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
    assert ledger.spent == Cost(
        pytest.approx(direct(accepted), rel=1e-14), delta, pytest.approx(accepted * mu**2 / 2)
    )
    assert ledger.remaining.rho < mu**2 / 2
    assert ledger.charge(concentrated(ledger.remaining.rho)) == accepted + 1
    assert ledger.spent.epsilon == 2.0


@pytest.mark.parametrize("size", [0.01, 0.1, 0.5])
def test_when_zcdp_is_better_is_as_the_docstring_says(size):
    delta = 1e-6
    bend = math.tanh(size / 2)
    turn = 4 * bend * math.log(1 / delta) / (size * (1 - bend) ** 2)
    for times, better in ((math.floor(turn * 0.98), False), (math.ceil(turn * 1.02), True)):
        by_rho = Ledger(100.0, delta, composition="zcdp")
        for _ in range(times):
            by_rho.charge(promise(size))
        assert (by_rho.spent.epsilon < times * size) == better


def test_zcdp_needs_a_delta_and_known_rho():
    for delta in (0.0, 1.0):
        with pytest.raises(
            DiscreetError,
            match=rf"delta is {delta}, but composition 'zcdp' needs delta above 0 and below 1",
        ):
            Ledger(1.0, delta, composition="zcdp")
    ledger = Ledger(1.0, 1e-6, composition="zcdp")
    assert ledger.spent == Cost(0.0, 0.0, 0.0)
    with pytest.raises(
        DiscreetError,
        match=r"guarantee is \(0.1, 1e-09\)-differential privacy, whose rho is unknown",
    ):
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
    assert first.rho == pytest.approx(0.25 * math.tanh(0.125))
    assert second[:5] == (2, "", 0.5, 1e-7, None)
    for entry in (first, second):
        when = datetime.fromisoformat(entry.time)
        assert when.utcoffset() == timedelta(0)
        assert start - timedelta(seconds=1) <= when <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            (Guarantee.none("nothing"),),
            "guarantee is no privacy, but only differentially private releases",
        ),
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
    with pytest.raises(
        DiscreetError,
        match=r"label is 'run 1', .* charged with epsilon 0\.75 .* guarantee has 0\.5",
    ):
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
        (
            {"max_rounds_per_user": 3, "key": b"short"},
            "key is 5 bytes, but must be at least 16 secret bytes",
        ),
        (
            {"max_rounds_per_user": 3, "key": "x" * 32},
            "key is a str, but must be at least 16 secret bytes",
        ),
        (
            {"max_rounds_per_user": 3, "path": "never"},
            r"key is None, but .* secrets.token_bytes\(32\)",
        ),
        ({"key": KEY}, "key is given, but max_rounds_per_user is None"),
        ({"path": 3.5}, "path is 3.5, but must be the path of a file"),
        ({"path": "nul\0"}, "but must be the path of a file"),
    ],
)
def test_bad_arguments_are_refused(arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        Ledger(**({"epsilon": 1.0} | arguments))
    assert "short" not in str(refusal.value)
    assert "xxx" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("composition", ["basic", "zcdp"])
@pytest.mark.parametrize(
    ("budget", "rounds", "runs"), [(1.0, 3, 1), (2.0, 4, 5), (0.7, 7, 3), (10.0, 1, 9)]
)
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
    with pytest.raises(
        BudgetExceeded, match=r"epsilon at most 0\.7, which is 0\.233333333333 per round, would fit"
    ):
        ledger.charge(promise(1.0, rounds=1).for_user(rounds=3))
    assert ledger.charge(promise(0.233333333333, rounds=1).for_user(rounds=3)) == 2
    ledger = Ledger(1.0)
    ledger.charge(promise(1.0, rounds=1))
    with pytest.raises(BudgetExceeded, match="nothing more fits"):
        ledger.charge(promise(1e-6, rounds=1))


def test_a_zcdp_ledger_offers_rho_for_gaussian_noise():
    ledger = Ledger(1.0, 1e-6, composition="zcdp")
    with pytest.raises(BudgetExceeded, match=r"a guarantee of rho at most 0\.01\d* would fit"):
        ledger.check_room(concentrated(0.5))
