"""A program of coroutines gets the same decisions; methods are those of the library."""

# ruff: noqa: F811 - fixtures are arguments
from __future__ import annotations

import anyio
import pytest
from programs import PROGRAMS, arguments_of, names_of, play_async
from stub_fixtures import bridge, connected, service, stub  # noqa: F401 - fixtures

import discreet
from discreet.client import classes, classes_async
from discreet.client.makers import PROBLEMS

MORE = {"default"}  # what only a service has


@pytest.mark.parametrize("problem", PROGRAMS)
def test_coroutines_get_the_same_decisions(problem, stub, connected):
    direct = vars(discreet.live)[PROGRAMS[problem][0]](**arguments_of(problem))

    async def main():
        async with connected() as connection:
            return await play_async(lambda name: vars(connection)[name], problem)

    _, there = anyio.run(main)
    seen = []
    for _ in there:
        decision = direct.ask(**PROGRAMS[problem][2])
        seen.append(decision.id)
        direct.tell(decision, **PROGRAMS[problem][3](decision))
    assert [each["id"] for each in there] == seen
    assert stub.runs["run"].state() == direct.state()


def test_several_at_once(service):
    for problem, (name, _, asked, outcome) in PROGRAMS.items():
        run = vars(service)[name](path=f"many-{problem.replace(' ', '-')}", **arguments_of(problem))
        wanted = 5 if not asked else [next(iter(asked.values()))] * 5
        given = run.ask_many(wanted)
        assert len({each.id for each in given}) == 5
        first = next(iter(outcome(given[0])))
        pairs = [(each, outcome(each)[first]) for each in given]
        assert run.tell_all(**{first: pairs}) == 5
        assert run.state().round == 5
        assert run.state().open == 0


def test_labels_that_are_numbers_stay_numbers(service):
    bandit = service.Bandit(arms=3, horizon=100, epsilon=1.0, path="numbers", wait=None)
    decision = bandit.ask()
    bandit.tell(decision, reward=1.0)
    assert decision.arm in (0, 1, 2)
    assert list(bandit.state().shares) == [decision.arm]
    assert list(bandit.estimates().arms) == [0, 1, 2]


def test_a_search_ends(service):
    search = service.BestArmSearch(arms=["A", "B"], epsilon=8.0, path="search", wait=None)
    assert (search.finished, search.answer) == (False, None)
    while not search.finished:
        decision = search.ask()
        search.tell(decision, reward=0.9 if decision.arm == "B" else 0.1)
    assert search.answer == "B"
    with pytest.raises(discreet.DiscreetError, match="has its answer, 'B'"):
        search.ask()


def test_every_method_takes_what_the_library_s_takes():
    """The same names in the same order, so that a program need not change."""
    for problem in PROBLEMS.values():
        for name in ("ask", "ask_many", "tell", "tell_all", "estimates", "give_up", "rounds_of"):
            if name not in dir(problem.local):
                continue
            local = names_of(getattr(problem.local, name))
            for kind in (problem.remote, problem.coroutines):
                remote = names_of(getattr(kind, name))
                assert [each for each in remote if each[0] not in MORE] == local, (kind, name)


def test_coroutines_have_the_methods_of_the_blocking_classes():
    for name, blocking in vars(classes).items():
        if not name.startswith("Remote") or blocking.__module__ != classes.__name__:
            continue
        other = vars(classes_async)[name.replace("Remote", "Async")]
        for method, value in vars(blocking).items():
            if not method.startswith("_"):
                assert type(vars(other)[method]) is type(value), (name, method)
                assert vars(other)[method].__doc__ == value.__doc__
