"""A plan says what was simulated, can be repeated, and recommends what it measured."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import discreet
from discreet.algorithms import algorithm
from discreet.planning.findings import Plan
from discreet.planning.making import answer, repeat
from discreet.planning.measures import (
    Threshold,
    find_threshold,
    least_rounds,
    max_rounds,
    monotone_regression,
)
from discreet.planning.program import program
from discreet.planning.question import Question
from discreet.planning.sweeps import (
    NO_NOISE,
    UNCHANGING_ONLY,
    PlayCounts,
    Variant,
    candidates,
    choosing_sweeps,
    comparing_sweep,
    other_epsilons,
    other_rounds,
    play,
    references,
)
from discreet.planning.words import epsilon_words, headline, rounds_words
from discreet.simulation.statistics import Interval

ASKED = {
    "arms": 3,
    "rounds": 400,
    "high": 10.0,
    "difference": 3.0,
    "spread": 2.0,
    "epsilon": [0.02, 2.0],
    "trials": 16,
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Shared: to make it takes some seconds, most of them to compile."""
    return discreet.plan(**ASKED, rounds_per_user=4, seed=7)


@pytest.mark.slow
def test_a_plan_says_how_precisely_a_difference_will_be_known(plan):
    known = plan.precision[plan.epsilon]
    words = " ".join(str(plan).split())
    assert f"will be known to ± {known.learning:.2g} (95 % interval" in words
    assert f"would give ± {known.equal:.2g}" in words
    assert plan.figures()["precision"][-1]["learning"] == known.learning


@pytest.mark.slow
def test_the_recommendation_is_what_cost_least_while_choosing(plan):
    totals = {}
    for scene in plan.choosing.values():
        for variant, cost in scene.items():
            if variant.is_private:
                totals[variant.algorithm] = totals.get(variant.algorithm, 0.0) + cost
    assert plan.recommended == min(totals, key=totals.get)
    assert set(totals) == set(candidates(plan.question))
    best = {name: total for name, total in totals.items() if algorithm(name).growth is not None}
    assert plan.proved == min(best, key=best.get)


@pytest.mark.slow
def test_more_privacy_costs_more_and_much_privacy_learns_nothing(plan):
    much, little = plan.unchanging.private
    assert little.beats_guessing
    assert not much.beats_guessing
    assert plan.unchanging.ordinary.cost.value < little.cost.value < much.cost.value
    assert plan.epsilon == 2.0
    assert plan.enough
    assert 0.02 < plan.least_epsilon.value < 2.0
    assert plan.least_rounds.value > 400
    assert "epsilon 0.02 learns nothing measurable" in headline(plan)
    assert little.most_played.value > 0.9 > little.most_played.low
    assert plan.unchanging.ordinary.share_of_gain.value == 1.0


@pytest.mark.slow
def test_a_plan_says_everything(plan):
    text = str(plan)
    for part in (
        "Plan for 3 arms and 400 rounds, outcomes from 0 to 10, higher is better",
        "Recommended: tracking-ucb",
        "its regret has no proved bound",
        "An algorithm with a proved bound, ",
        "one arm has a mean outcome of 8, all others 5",
        "If outcomes do not change (16 simulations",
        "If outcomes drift (16 simulations",
        "Smallest epsilon: ",
        "Smallest number of rounds: at epsilon 0.02",
        "2-differential privacy for the outcome of any one round (proved, central model).",
        "A person with up to 4 rounds: 8-differential privacy",
        "For an ethics board: The method makes 400 decisions one after the other",
        "with 4 of them, the bound rises to 2,990 times",
        "with equal randomisation)",
    ):
        assert " ".join(part.split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 122


@pytest.mark.slow
def test_a_plan_is_repeated_from_its_json(plan):
    facts = json.loads(json.dumps(plan.to_json(), allow_nan=False))
    question = repeat(facts)
    assert question == plan.question
    again = answer(question, workers=1)
    assert json.loads(json.dumps(again.figures())) == facts["figures"]
    assert [each["verdict"][:6] for each in facts["verdicts"][:2]] == ["learns", "keeps "]
    assert facts["guarantees"][1]["one_user"]["epsilon"] == 8.0
    assert facts["guarantees"][0]["one_round"]["epsilon"] == 0.02
    assert facts["recommendation"]["regret_bound_is_proved"] is False


@pytest.mark.slow
def test_a_plan_is_drawn_and_saved(plan, tmp_path):
    from matplotlib.figure import Figure

    files = plan.save(tmp_path / "new")
    assert [file.name for file in files] == ["plan.json", "plan.txt", "plan.png"]
    assert all(file.stat().st_size > 1000 for file in files)
    axes = Figure().subplots()
    assert plan.plot(axes) is axes
    assert [line.get_label() for line in axes.get_lines()][:3] == [
        "equal randomisation",
        "unchanging",
        "unchanging, no privacy",
    ]


@pytest.mark.slow
def test_past_outcomes_take_the_place_of_what_is_expected(tmp_path):
    rng = np.random.default_rng(1)
    past = {"A": rng.random(30), "B": 0.6 + 0.4 * rng.random(20), "C": 0.5 * rng.random(25)}
    found = discreet.plan(rounds=300, outcomes=past, better="lower", epsilon=2.0, trials=8)
    assert found.question.means == pytest.approx([each.mean() for each in past.values()])
    assert found.question.shortfall.argmin() == 2
    assert "without privacy: show it only to people who may see them" in " ".join(
        str(found).split()
    )
    facts = json.loads(json.dumps(found.to_json()))
    assert str(past["A"][0])[:8] not in json.dumps(facts)
    with pytest.raises(discreet.DiscreetError, match=r"came from Python: give them again"):
        repeat(facts)
    assert repeat(facts, outcomes=past).outcomes.digest == found.question.outcomes.digest
    with pytest.raises(
        discreet.DiscreetError, match="does not contain the outcomes from which the plan was made"
    ):
        repeat(facts, outcomes=past | {"A": rng.random(30)})


@pytest.mark.slow
def test_where_nobody_learns_the_plan_says_so():
    from matplotlib.figure import Figure

    found = discreet.plan(arms=3, rounds=20, difference=0.01, epsilon=1.0, trials=8)
    assert "nothing can be learned: even without privacy" in headline(found)
    assert found.least_epsilon.value is None
    assert "because there is no gain without privacy either" in epsilon_words(found)
    assert json.dumps(found.to_json(), allow_nan=False)
    axes = found.plot(Figure().subplots())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1"], "of one epsilon too"
    interval, _ = axes.collections
    assert interval.get_segments()[0][:, 1].tolist() == list(found.unchanging.private[0].cost[1:])


@pytest.mark.full
def test_a_plan_for_outcomes_that_surely_do_not_change():
    found = discreet.plan(**ASKED, may_drift=False)
    assert len(found.scenes) == 1
    assert found.recommended in UNCHANGING_ONLY
    assert "bounded only for losses that do not change" in " ".join(str(found).split())


@pytest.mark.full
def test_a_plan_for_options_that_are_all_seen():
    found = discreet.plan(
        dimension=3,
        rounds=400,
        difference=0.3,
        spread=0.2,
        epsilon=[0.1, 20.0],
        delta=1e-6,
        trials=16,
    )
    assert found.recommended in ("private-ftrl-experts", "private-ftpl")
    assert found.unchanging.private[1].cost.value < found.unchanging.private[0].cost.value
    assert f'algorithm="{found.recommended}"' in program(found)


QUESTION = Question(arms=3, rounds=400, difference=0.3, epsilons=(0.1, 1.0))


def test_what_is_chosen_from_and_what_is_shown_are_different_games():
    chosen = {sweep.seed for sweep in choosing_sweeps(QUESTION)}
    variant = Variant("tracking-ucb", 1.0)
    shown = {
        comparing_sweep(QUESTION, (variant,), drifting=drifting).seed for drifting in (False, True)
    }
    shown |= {
        other_epsilons(QUESTION, (variant,)).seed,
        other_rounds(QUESTION, (variant,), 100).seed,
    }
    assert not chosen & shown
    assert not chosen & {sweep.seed for sweep in choosing_sweeps(replace(QUESTION, seed=1))}


def test_candidates_follow_from_what_is_known():
    assert candidates(QUESTION)[0] == discreet.Bandit(3, 400, 0.1, simulation=True).algorithm
    assert discreet.Bandit(3, 400, 0.1, algorithm="best", simulation=True).algorithm in candidates(
        QUESTION
    )
    assert not set(candidates(QUESTION)) & set(UNCHANGING_ONLY)
    longer = replace(QUESTION, may_drift=False, rounds=10_000)
    assert set(UNCHANGING_ONLY) < set(candidates(longer))
    assert [each.algorithm for each in references(QUESTION)] == ["tsallis-inf", "tracking-ucb"]
    assert references(QUESTION)[1].label == "tracking-ucb without noise"
    assert not any(each.is_private for each in references(QUESTION))


def test_trials_are_fewer_where_games_are_longer():
    numbers = [QUESTION.trials_for(rounds) for rounds in (10, 2000, 100_000, 10**7)]
    assert numbers == [200, 200, 40, 32]
    assert replace(QUESTION, arms=50).trials_for(2000) == 160
    assert replace(QUESTION, trials=50).trials_for(10**7) == 50


@pytest.mark.slow
def test_without_noise_a_private_algorithm_plays_as_well_as_it_can():
    """Ten times as much noise, still hardly any, changes less than a tenth of the possible gain."""
    none, hardly = Variant("tracking-ucb", NO_NOISE), Variant("tracking-ucb", NO_NOISE / 10)
    sweep = replace(comparing_sweep(QUESTION, (none, hardly), drifting=False), trials=24)
    counts = play(sweep, QUESTION).counts
    best = [counts[each][:, :, 0].mean() / 400 for each in (none, hardly)]
    assert abs(best[0] - best[1]) < 0.1
    assert min(best) > 0.5


def test_the_number_of_rounds_is_searched_up_and_down():
    """With a made-up share of T / (T + 1000) + 1/4, half is reached at 333 rounds."""
    for rounds, wanted in ((100, 333), (3200, 333)):
        question = Question(
            arms=2, rounds=rounds, difference=1.0, low=-1.0, high=1.0, epsilons=(1.0,)
        )
        private, reference = Variant("x", 1.0), Variant("y")
        asked = []

        def made_up(sweep, private=private, reference=reference, asked=asked):
            asked.append(sweep.rounds)
            share = sweep.rounds / (sweep.rounds + 1000) + 0.25
            best = sweep.rounds * (0.5 + 0.5 * share + np.array([-0.001, 0.001]))
            counts = {private: np.stack([best, sweep.rounds - best], axis=1)[:, None, :]}
            counts[reference] = np.array([[[sweep.rounds, 0.0]]] * 2)
            return PlayCounts(sweep=sweep, counts=counts)

        found = least_rounds(question, "x", reference, made_up)
        assert found.value == pytest.approx(wanted, rel=0.05)
        assert found.low < wanted < found.high
        assert len(asked) == len(set(asked)) <= 6
        assert max(asked) <= max_rounds(rounds)


def test_levels_are_reached_where_a_rising_curve_says():
    noisy = {
        1.0: Interval(0.3, 0.2, 0.4),
        2.0: Interval(0.2, 0.1, 0.3),
        4.0: Interval(0.75, 0.65, 0.85),
    }
    assert monotone_regression([0.3, 0.2, 0.75]) == [0.25, 0.25, 0.75]
    assert find_threshold(noisy, 0.5).value == pytest.approx(2.0 * 2.0**0.5)
    assert find_threshold(noisy, 0.2).value == 1.0
    nowhere = find_threshold(noisy, 0.9)
    assert (nowhere.value, nowhere.largest) == (None, 4.0)
    assert find_threshold({}, 0.5) == Threshold(
        share=0.5, value=None, low=None, high=None, shares={}
    )


@pytest.mark.slow
def test_what_was_not_reached_is_said(plan):
    nowhere = replace(plan, least_rounds=find_threshold({400.0: Interval(0.1, 0.0, 0.2)}, 0.5))
    assert "400 rounds do not keep half of the gain; more were not tried." in rounds_words(nowhere)
    already = replace(plan, least_epsilon=find_threshold({0.01: Interval(0.6, 0.5, 0.7)}, 0.5))
    assert "0.01 already keeps half of the gain; smaller values were not tried." in epsilon_words(
        already
    )
    never = replace(plan, least_epsilon=find_threshold({20.0: Interval(0.1, 0.0, 0.2)}, 0.5))
    assert "none up to 20 keeps half of the gain." in epsilon_words(never)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"arms": 1}, "arms is 1, but must be a whole number of at least 2."),
        ({"arms": None}, "arms is missing: give the number of options to choose from."),
        ({"arms": 2000}, "arms is 2000, which is too large: at most 1,000 is possible."),
        ({"rounds": 5}, "rounds is 5, but must be a whole number of at least 10."),
        ({"rounds": 1e4}, "rounds is 10000.0, but must be a whole number of at least 10."),
        ({"low": 20.0}, "low is 20.0 and high is 10.0, but low must be below high."),
        ({"better": "bigger"}, "better is 'bigger', but must be one of higher, lower."),
        (
            {"difference": None},
            "difference is missing: give the smallest difference between the best arm and the "
            "others that matters",
        ),
        ({"difference": 0.0}, "difference is 0.0, but must be a finite number above 0."),
        (
            {"difference": 1e-5},
            "difference is 1e-05, but must be at least 0.001, 1/10,000 of the range.",
        ),
        (
            {"difference": 6.0},
            "difference is 6.0 and the other arms have mean 5, so the best mean would be 11",
        ),
        ({"typical": 11.0}, "typical is 11.0, but must be between 0 and 10."),
        ({"spread": -1.0}, "spread is -1.0, but must be a finite number above 0."),
        (
            {"spread": 5.0},
            "spread is 5.0, but outcomes from 0 to 10 with a mean of 5 or 8 have a standard "
            "deviation of",
        ),
        ({"epsilon": []}, "epsilon is [], but must be a number or a list of at most 20."),
        ({"epsilon": [1.0, 1.0]}, "epsilon 1 is listed twice; list each once."),
        ({"epsilon": 0.0}, "epsilon is 0.0, but must be a finite number above 0."),
        ({"epsilon": "x"}, "epsilon is 'x', but must be a finite number above 0."),
        ({"epsilon": 1e4}, "epsilon is 10000.0, but must be between 0.0001 and 100."),
        ({"delta": 2.0}, "delta is 2.0, but must be between 0 and 0.5."),
        ({"rounds_per_user": 0}, "rounds_per_user is 0, but must be a whole number of at least 1."),
        (
            {"rounds_per_user": 500},
            "rounds_per_user is 500, which is too large: at most 400 is possible.",
        ),
        ({"may_drift": "no"}, "may_drift is 'no', but must be True or False."),
        ({"share": 1.5}, "share is 1.5, but must be above 0 and below 1."),
        ({"wanted_epsilon": -1.0}, "wanted_epsilon is -1.0, but must be between 0.0001 and 100."),
        ({"trials": 2}, "trials is 2, but must be a whole number of at least 8."),
        ({"seed": -1}, "seed is -1, but must be a whole number of at least 0."),
        ({"experts": 5}, "experts is 5, but the value of advice depends on what the experts say"),
        ({"dimension": 3}, "arms is 3 and dimension is 3, but a plan takes only one of the two."),
        (
            {"arm_column": "x"},
            "arm_column and outcome_column name columns of a file, but outcomes is not given.",
        ),
        (
            {"outcomes": {"A": [1, 2], "B": [3, 4]}},
            "difference is given, but so are past outcomes, which imply it",
        ),
        (
            {"outcomes": {"A": [1, 2], "B": [3, 4]}, "difference": None, "spread": None},
            "arms is 3, but outcomes has 2 arms.",
        ),
        (
            {"outcomes": {"A": [1, 2], "B": [2, 1]}, "difference": None, "spread": None, "arms": 2},
            "outcomes has the same mean for all arms, so there is nothing to learn.",
        ),
    ],
)
def test_bad_questions_get_one_sentence(changed, sentence):
    with pytest.raises(discreet.DiscreetError) as raised:
        discreet.plan(**ASKED | changed)
    assert str(raised.value).startswith(sentence)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "facts", [{}, {"question": 3}, {"question": {"outcomes": None, "epsilons": [1.0], "x": 3}}]
)
def test_what_is_no_plan_is_not_repeated(facts):
    with pytest.raises(discreet.DiscreetError, match="this is not a plan that discreet wrote"):
        repeat(facts)
