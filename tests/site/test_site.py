"""The documentation site: pages made from the package are complete, and links are checked."""

import ast
import itertools
import re
import sys
from pathlib import Path

import pytest

from discreet import list_algorithms
from discreet.algorithms.option_help import HELP

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    sys.path.insert(0, str(SITE))
    try:
        import build

        folder = tmp_path_factory.mktemp("site") / "source"
        build.assemble(folder)
        yield folder
    finally:
        sys.path.remove(str(SITE))


def test_every_option_of_every_algorithm_has_a_help_text():
    named = {option for known in list_algorithms().values() for option in known.options}
    assert named == set(HELP), "docs show no option without help, and no help without an option"
    assert all(text.endswith(".") and len(text) < 160 for text in HELP.values())


@pytest.mark.parametrize("name", list_algorithms())
def test_every_algorithm_has_a_card_with_its_facts(source, name):
    page = (source / "algorithms" / f"{name}.md").read_text()
    known = list_algorithms()[name]
    for words in (f"# {name}\n", "| guarantee |", "| noise |", "| from |", "## Use", "## Options"):
        assert words in page
    assert ("## Measured" in page) == (not known.problem.stops)
    assert ("## In plain words" in page) == ("| model | no privacy |" not in page)


def test_code_on_cards_can_be_parsed(source):
    for page in (source / "algorithms").glob("*.md"):
        code = page.read_text().split("```python\n")[1].split("```")[0]
        names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
        assert "known" in names


@pytest.mark.full
@pytest.mark.parametrize("name", list_algorithms())
def test_code_on_cards_runs(source, name, capsys):
    """At a small size: what is slow is the size."""
    page = (source / "algorithms" / f"{name}.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    small = code.replace("rounds=10_000, trials=8", "rounds=400, trials=2")
    assert small != code
    exec(compile(small, name, "exec"), {})
    assert name in capsys.readouterr().out


def test_every_paper_has_a_page_with_all_its_statements(source):
    whole = (ROOT / "docs" / "papers.md").read_text()
    pages = "".join(page.read_text() for page in (source / "papers").glob("*.md"))
    headings = [line[1:] for line in whole.splitlines() if line.startswith("### ")]
    assert len(headings) > 100
    assert [line for line in headings if line not in pages] == []


def test_every_page_that_somebody_wrote_is_in_the_contents(source):
    contents = (source / "index.md").read_text()
    for page in (source / "docs").glob("*.md"):
        assert f"docs/{page.stem}\n" in contents, page.name


def test_the_gallery_has_at_least_fifteen_titled_scripts():
    scripts = sorted((SITE / "gallery").glob("show_*.py"))
    assert len(scripts) >= 15
    for script in scripts:
        title, line, *_ = ast.get_docstring(ast.parse(script.read_text())).splitlines()
        assert line == "=" * len(title)


def test_broken_links_and_foreign_scripts_are_found(tmp_path, source):
    import links

    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">x</a><a href="b.html#there">x</a><a href="c.html">x</a>'
        '<script src="//elsewhere.example/x.js"></script><a href="https://example.org">x</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    assert links.broken_links(tmp_path) == [
        "a.html: b.html#there has no such place",
        "a.html: c.html is no file",
        "a.html: loads //elsewhere.example/x.js",
    ]


@pytest.mark.full
def test_sphinx_makes_the_site_without_a_warning(tmp_path):
    import subprocess

    command = [sys.executable, str(SITE / "build.py"), str(tmp_path)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "no broken link" in made.stdout


def test_every_environment_that_needs_no_file_has_a_picture(source):
    page = (source / "docs" / "environments.md").read_text()
    sections = dict(
        re.findall(r"^#+ ([a-z0-9-]+)\n(.*?)(?=^#+ |\Z)", page, re.MULTILINE | re.DOTALL)
    )
    without = {name for name, text in sections.items() if "<svg" not in text}
    assert without == {"linear-adaptive", "logged", "table"}  # an answer to players, or a file
    assert page.count("aria-label") == page.count("<svg") >= 40


def test_every_set_of_the_table_has_a_picture(source):
    page = (source / "docs" / "sets.md").read_text()
    assert page.count("<svg") == page.count("<figcaption>") >= 13
    assert "nan" not in page.split("## Pictures")[1]


def test_all_tutorials_are_in_the_contents(source):
    contents = (source / "index.md").read_text()
    named = ("trial", "notifications", "device-news", "slates", "prices", "own-algorithm")
    for name in (*named, "reproduce"):
        assert (source / "tutorials" / f"{name}.md").is_file()
        assert f"\ntutorials/{name}\n" in contents


def test_names_at_the_ends_of_lines_do_not_overlap_and_stay_inside(source):
    import svg

    lines = {f"arm {arm}": [0.0, value] for arm, value in enumerate((0.0, 0.01, 0.02, 1.0, 0.99))}
    drawn = "".join(svg.draw_lines([0.0, 9.0], lines, "a < b", low=0.0, top=1.0))
    ends = sorted(float(y) for y in re.findall(r'y="([\d.]+)" style', drawn))
    assert all(b - a > svg.APART - 0.2 for a, b in itertools.pairwise(ends))
    assert 0.0 < ends[0] <= ends[-1] < svg.HIGH - 12
    assert "a &lt; b" in drawn
