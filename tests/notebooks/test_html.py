"""What notebooks show: tables and facts as HTML, escaped, without anything from elsewhere."""

from __future__ import annotations

import html
import html.parser
import sys
import types

import pytest

from discreet import Bandit, DiscreetError, audit, plan, simulate
from discreet.display import Display, ShownTable, facts_html
from discreet.progress import NotebookBar, TerminalBar, make_progress

BAD = "<script>alert('x')</script> & \"y\""


class Tags(html.parser.HTMLParser):
    """Checks that tags match, and collects their names, attributes and texts."""

    def __init__(self):
        super().__init__()
        self.open, self.names, self.attributes, self.texts = [], set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(text):
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.names <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert tags.attributes <= {"style"}
    assert "url(" not in text
    return tags.texts


@pytest.fixture(scope="module")
def results():
    return simulate(["batched-exp3", "exp3", "uniform"], rounds=200, trials=3, seed=1)


def test_every_text_is_escaped():
    texts = read(Display((BAD, ShownTable([BAD], [[BAD]])))._repr_html_())
    assert texts == [BAD] * 3
    assert read(facts_html(BAD, [(BAD, BAD)])) == [BAD] * 3


def test_results_are_the_table_that_is_printed(results):
    texts = read(results._repr_html_())
    for row in results.summary():
        assert row["label"] in texts
    printed = str(results)
    assert printed.splitlines()[0] == texts[0]
    assert all(text in " ".join(printed.split()) for text in texts)
    assert repr(results).startswith("Results(batched-exp3")


def test_the_shell_prints_the_same(results, call):
    _, text, _ = call(
        *("simulate", "batched-exp3", "exp3", "uniform"),
        *("--rounds", 200, "--trials", 3, "--seed", 1, "--quiet"),
    )

    def without_seconds(lines):
        return [line.rsplit(maxsplit=1)[0] for line in lines.splitlines() if line.strip()]

    assert without_seconds(text) == without_seconds(str(results))


def test_guarantees_audits_and_estimates(results):
    guarantee = results.contenders[0].private.guarantee
    texts = read(guarantee._repr_html_())
    assert texts[0] == str(guarantee)
    assert "proved" in texts
    found = audit("batched-exp3", trials=2000, seed=1)
    assert str(found) == read(found._repr_html_())[0]


def test_a_live_run_shows_no_outcome():
    def shown(outcomes):
        bandit = Bandit(["A", BAD], horizon=100, epsilon=1.0, simulation=True, seed=3)
        for outcome in outcomes:
            bandit.tell(bandit.ask(), reward=outcome)
        return bandit, read(bandit._repr_html_())

    (bandit, one), (_, other) = shown([0.25, 0.125]), shown([0.75, 1.0])
    assert one == other
    assert "2 arms" in one
    assert str(bandit.guarantee) in one
    texts = read(bandit.estimates()._repr_html_())
    assert BAD in texts


@pytest.mark.slow
def test_a_plan_is_shown_with_its_answer_first():
    found = plan(arms=2, rounds=300, epsilon=[1.0], difference=0.4, trials=8, seed=1)
    texts = read(found._repr_html_())
    assert texts[0].startswith("With 300 rounds,")
    assert found.ethics in texts


def test_progress_is_a_bar_in_a_terminal(capsys):
    simulate("exp3", rounds=50, trials=3, progress=True)
    said = capsys.readouterr().err
    assert said.startswith("\rtrials")
    assert said.endswith("3/3\n")
    assert isinstance(make_progress(True), TerminalBar)
    assert make_progress(False) is None
    seen = []
    simulate("exp3", rounds=50, trials=3, progress=lambda *done: seen.append(done))
    assert seen[-1] == (3, 3)
    with pytest.raises(DiscreetError, match="progress is 'yes', but must be True, or a function"):
        simulate("exp3", progress="yes")


def test_progress_is_drawn_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        def update(self, drawn):
            shown.append(drawn)

    def display(drawn, *, display_id):
        shown.append(drawn)
        return Handle()

    notebook = types.ModuleType("IPython")
    notebook.display = types.SimpleNamespace(HTML=str, display=display)
    notebook.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    bar = make_progress(True, "a < b")
    assert isinstance(bar, NotebookBar)
    bar(0, 4)
    bar(4, 4)
    assert shown[0] == '<progress value="0" max="4"></progress> 0/4 a &lt; b'
    assert shown[-1] == '<progress value="4" max="4"></progress> 4/4 a &lt; b'
    notebook.get_ipython = lambda: None
    assert not isinstance(make_progress(True), NotebookBar)
