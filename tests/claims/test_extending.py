"""Registration says in one sentence what is missing; so does a class that cannot be compiled."""

from __future__ import annotations

import numpy as np
import pytest

from componentjit import ComponentError
from discreet import (
    Bandit,
    Contender,
    DiscreetError,
    Private,
    Range,
    algorithm,
    register_algorithm,
    register_environment,
    simulate,
)
from discreet.algorithms.registry import _algorithms
from discreet.channels import Batch, Open
from discreet.checks import check_learner
from discreet.checks.parts import CheckFailed
from discreet.contracts import Learner
from discreet.environments.registry import _environments
from discreet.learners import Exp3, Uniform
from discreet.plugins import VARIABLE, load_plugin
from discreet.problems import ArmGame, Arms, ArmsEnvironment, Environment
from discreet.simulation import rehearsing


@pytest.fixture(autouse=True)
def forgotten():
    """Forget what a test registered."""
    before, others = dict(_algorithms), dict(_environments)
    yield
    for known, kept in ((_algorithms, before), (_environments, others)):
        known.clear()
        known.update(kept)


def built(setting, *, size: int = 3):
    return Private(Open(setting.bounds), Uniform(setting.problem.arms))


@pytest.mark.parametrize("problem", [Arms, Arms(), Arms(7)])
def test_a_problem_is_named_by_its_class_or_by_an_example(problem):
    register_algorithm(name="mine", title="mine", problem=problem)(built)
    known = algorithm("mine")
    assert isinstance(known.problem, Arms)
    assert list(known.options) == ["size"]
    instance = known.build()
    assert (instance.regret_bound, instance.bound_source) == (None, "no bound is stated")
    assert simulate("mine", rounds=50, trials=1).summary()[0]["regret_bound"] is None

    @register_environment("my-losses", title="mine", problem=problem)
    class Mine(ArmsEnvironment):
        arms: int

        def deal(self, start, stop, rng):
            return ArmGame(rng.random((stop - start, self.arms)))

    assert simulate("mine", environment="my-losses", rounds=50, trials=1).rounds == 50


EXAMPLE = '@register_algorithm(name="mine", title="my algorithm", problem=Arms)'
OTHER = '@register_environment("mine", title="my losses", problem=Arms)'
ALGORITHMS = [
    (lambda: register_algorithm(built), f"register_algorithm needs name and title and problem: "
     f"write {EXAMPLE}."),
    (lambda: register_algorithm("mine", name="mine", title="x", problem=Arms),
     f"register_algorithm needs its arguments by name: write {EXAMPLE}."),
    (lambda: register_algorithm(name="mine", title="x"),
     f"register_algorithm needs problem: write {EXAMPLE}."),
    (lambda: register_algorithm(name="mine", title="x", problem=4),
     "problem is 4, but must be a problem such as Arms or Arms(4)."),
    (lambda: register_algorithm(name="mine", title="x", problem=Arms)(3),
     "'mine' decorates 3, but must decorate a function of a setting."),
    (lambda: register_algorithm(name="mine", title="x", problem=Arms)(lambda: None),
     "'mine' decorates a function of (), but it must take a setting, and options by keyword "
     "only: (setting)."),
    (lambda: register_algorithm(name="mine", title="x", problem=Arms)(lambda setting, size: None),
     "'mine' decorates a function of (setting, size), but it must take a setting, and options by "
     "keyword only: (setting, *, option=default)."),
    (lambda: register_algorithm(name="mine", title="x", problem=Arms)(lambda setting, *, a: None),
     "'mine' has an option a without a default: write a=..., or None if it is derived from the "
     "setting."),
    (lambda: register_environment(ArmsEnvironment),
     f"register_environment needs a name and title and problem: write {OTHER}."),
    (lambda: register_environment("mine", title="x"),
     f"register_environment needs problem: write {OTHER}."),
    (lambda: register_environment("mine", title="x", problem=Arms)(Arms),
     "'mine' decorates Arms, which must extend Environment: for arms, class "
     "Mine(ArmsEnvironment)."),
    (lambda: register_environment("mine", title="x", problem=Arms)(ArmsEnvironment),
     "ArmsEnvironment has no deal(self, start, stop, rng), which returns a game of the rounds "
     "from start to stop."),
]  # fmt: skip


def sentence_of(each):
    return each[:60] if isinstance(each, str) else ""


@pytest.mark.parametrize(("register", "sentence"), ALGORITHMS, ids=sentence_of)
def test_a_registration_says_what_is_missing(register, sentence):
    with pytest.raises(DiscreetError) as raised:
        register()
    assert str(raised.value) == sentence


def test_an_environment_says_which_problem_it_is_for():
    class NoProblem(Environment):
        def deal(self, start, stop, rng):
            return ArmGame(np.zeros((stop - start, 2)))

    with pytest.raises(DiscreetError, match="NoProblem has no property problem: return a problem"):
        register_environment("mine", title="x", problem=Arms)(NoProblem)


def test_a_function_that_returns_something_else_is_named():
    register_algorithm(name="mine", title="x", problem=Arms)(lambda setting: 3)
    with pytest.raises(DiscreetError) as raised:
        algorithm("mine").build()
    assert str(raised.value) == (
        "the function of 'mine' returned 3, but must return a Private(channel, learner), an "
        "OnDevice or an Instance."
    )


def test_a_learner_with_a_constructor_is_told_about_fields():
    with pytest.raises(DiscreetError) as raised:

        class Mine(Learner):
            def __init__(self, arms):
                self.sums = np.zeros(arms)

    assert str(raised.value) == (
        "Mine defines __init__, but a component is made from its fields: annotate them in the "
        "class (sums: np.ndarray), and compute what they hold in a class method such as start."
    )


class Dictionary(Learner):
    """Numba has no ``min`` with a key."""

    sums: np.ndarray

    def act(self, observation, rng):
        means = {arm: float(total) for arm, total in enumerate(self.sums)}
        arm = min(means, key=means.get)
        return arm, arm

    def learn(self, trace, released):
        self.sums[trace] += released


class PlainDictionary(Dictionary):
    compiles = False


def contender(kind):
    channel = Batch.laplace(size=10, epsilon=1.0, bounds=Range(0.0, 1.0))
    return Contender(label="mine", private=Private(channel, kind(np.zeros(4))))


@pytest.mark.slow
def test_what_numba_cannot_compile_is_named_with_the_remedy():
    with pytest.raises(DiscreetError) as raised:
        simulate(contender(Dictionary), environment="stochastic", rounds=100_000, trials=50)
    assert str(raised.value) == (
        "Dictionary.act cannot be compiled (Numba has no min for these arguments): write it with "
        "numbers, arrays and loops, or set compiles = False in the class to run it as plain Python."
    )
    assert raised.value.__cause__ is None
    plain = simulate(contender(PlainDictionary), environment="stochastic", rounds=200, trials=2)
    assert plain.trials.size == 2


class Greedy(Learner):
    sums: np.ndarray

    def act(self, observation, rng):
        arm = int(np.argmin(self.sums))
        return arm, arm

    def learn(self, trace, released):
        self.sums[trace] += released


class FarTrace(Greedy):
    def act(self, observation, rng):
        return 1, 4000


class NoTrace(Greedy):
    def act(self, observation, rng):
        return 1


class NoAct(Learner):
    sums: np.ndarray


class Beyond(Greedy):
    def act(self, observation, rng):
        return 7, 0


class Below(Greedy):
    def act(self, observation, rng):
        return -1, 0


class Printing(Greedy):
    def learn(self, trace, released):
        text = f"{trace!r}"
        self.sums[trace] += released * len(text)


FAULTS = {
    FarTrace: f"in line [0-9]+ of .*{__name__}.py .index 4000 is out of bounds .*would not notice",
    NoTrace: r"^NoTrace\.act returned 1, but must return an action and a trace\.$",
    NoAct: r"^NoAct has no method act, but a learner needs act and learn\.$",
    Beyond: r"(^Beyond\.act|^action 7 was) played.* (from 0 to 3|4 arms, counted from 0)\.$",
    Below: r"(^Below\.act|^action -1 was) played.* (from 0 to 3|4 arms, counted from 0)\.$",
}


@pytest.mark.parametrize(("kind", "sentence"), FAULTS.items())
def test_a_faulty_learner_is_refused_before_it_plays(kind, sentence):
    wrong = contender(kind)
    for rounds in (200, 200_000):  # in plain Python, and compiled
        with pytest.raises(ComponentError, match=sentence):
            simulate(wrong, environment="stochastic", rounds=rounds, trials=20)
    register_algorithm(name="mine", title="mine", problem=Arms)(lambda setting: wrong.private)
    if kind is not FarTrace:
        with pytest.raises(DiscreetError, match=sentence):
            Bandit(4, 100, 1.0, algorithm="mine")
    if kind in (NoAct, NoTrace, FarTrace):
        with pytest.raises((DiscreetError, CheckFailed), match=sentence):
            check_learner(kind(np.zeros(4)))


def test_the_rounds_in_plain_python_change_no_result(monkeypatch):
    game = {"environment": "stochastic", "rounds": 3000, "trials": 4}
    wanted = simulate(contender(Greedy), **game)
    with monkeypatch.context() as patch:
        patch.setattr(rehearsing, "OURS", (*rehearsing.OURS, __name__))
        assert np.array_equal(simulate(contender(Greedy), **game).regret, wanted.regret)


@pytest.mark.slow
def test_bytecode_that_numba_cannot_read_is_named():
    with pytest.raises(DiscreetError, match=r"^Printing\.learn cannot be compiled \(format spec"):
        simulate(contender(Printing), environment="stochastic", rounds=100_000, trials=50)


@pytest.mark.parametrize("name", [None, 3])
def test_what_is_no_name_lists_the_algorithms_of_the_problem(name):
    with pytest.raises(DiscreetError, match=r"^unknown algorithm (None|3): choose from ") as raised:
        Bandit(2, 100, 1.0, algorithm=name)
    assert "exp3" in str(raised.value)
    assert "track-and-stop" not in str(raised.value)


def test_suggestions_come_from_the_same_problem():
    for ask in (
        lambda: Bandit(4, 100, 1.0, algorithm="ftrl-bal"),
        lambda: simulate(["exp3", "ftrl-bal"]),
        lambda: simulate("ftrl-bal", environment="stochastic"),
        lambda: simulate("ftrl-bal", problem=Arms(3)),
    ):
        with pytest.raises(DiscreetError, match="unknown algorithm 'ftrl-bal'") as raised:
            ask()
        assert "exp3" in str(raised.value)
        assert "ftrl-ball" not in str(raised.value)
        assert "linucb" not in str(raised.value)
    with pytest.raises(DiscreetError, match="did you mean 'ftrl-ball'"):
        simulate("ftrl-bal")
    with pytest.raises(DiscreetError, match="unknown environment 'contexts-gausian'") as raised:
        simulate("exp3", environment="contexts-gausian")
    assert "contexts-gaussian" not in str(raised.value)
    assert "stochastic" in str(raised.value)


def test_a_plugin_file_can_import_its_neighbours(tmp_path, python):
    (tmp_path / "my_numbers.py").write_text("SIZE = 3\n")
    (tmp_path / "my_plugin.py").write_text(
        "from discreet import Private, register_algorithm\n"
        "from discreet.channels import Open\n"
        "from discreet.learners import Uniform\n"
        "from discreet.problems import Arms\n"
        "from my_numbers import SIZE\n"
        "@register_algorithm(name='mine', title='mine', problem=Arms(SIZE))\n"
        "def mine(setting):\n"
        "    import my_numbers\n"
        "    return Private(Open(setting.bounds), Uniform(setting.problem.arms))\n"
    )
    program = "import discreet; print(discreet.algorithm('mine').build().private.learner)"
    assert "3" in python(program, **{VARIABLE: str(tmp_path / "my_plugin.py")})


def test_a_plugin_file_takes_no_other_module_s_name(tmp_path):
    for name in ("random", "numpy", "wave"):
        path = tmp_path / f"{name}.py"
        path.write_text("")
        with pytest.raises(DiscreetError, match=f"there is already a module {name}: rename"):
            load_plugin(str(path))


def test_learners_of_ones_own_can_be_examples_of_others():
    """A class method is the way to compute fields; that of Exp3 is called start."""
    assert Exp3.start(arms=3, learning_rate=0.1).choices == 3
