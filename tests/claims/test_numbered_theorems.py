"""Proofs and regret are numbered theorems: numbers, lists, tests named, and well-formed formulas.

The n-th section of docs/proofs.md states Theorem n, that of docs/regret.md Theorem Rn; further
statements are n.1, n.2, ... (Rn.1, ...). Formulas are LaTeX between dollars.
"""

from __future__ import annotations

import re

import pytest
from common import ROOT

PAGES = {"proofs.md": "", "regret.md": "R"}
LABEL = re.compile(
    r"^\*\*(Theorem|Lemma|Corollary|Proposition) (R?\d+(?:\.\d+)?)(?=\.?\*\*|\.? \()", re.MULTILINE
)
ROW = re.compile(r"^\| (R?\d+) \| \[([^\]]+)\]\(#([^)]+)\) \| (.+) \|$", re.MULTILINE)
# what plain-text mathematics looked like: signs, Greek letters, powers and indices
PLAIN = re.compile(r"[≤≥≠±∫∑√∏∞‖⟨⟩·∂∇↦←→α-ωϑϕℓΓΔΘΛΞΠΣΦΨΩ²³¹⁰⁴-⁹⁻₀-₉]|\^|\bsqrt\b|\b\w_\{?\w")


def text_of(page):
    return (ROOT / "docs" / page).read_text()


def sections_of(text):
    return re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`", "code", text)


def paragraphs_of(text):
    return [each for each in re.split(r"\n[ \t]*\n", without_code(text)) if each.strip()]


def formulas_in(paragraph):
    """Return displayed formulas, formulas in the line, and the words around them."""
    shown = re.findall(r"\$\$(.*?)\$\$", paragraph, re.DOTALL)
    rest = re.sub(r"\$\$.*?\$\$", " ", paragraph, flags=re.DOTALL)
    return shown, re.findall(r"\$(.*?)\$", rest, re.DOTALL), re.sub(r"(?s)\$.*?\$", "x", rest)


def wrong_numbers(text, prefix):
    """Return what is wrong with the numbers of statements."""
    wrong = []
    for place, (title, body) in enumerate(sections_of(text), 1):
        number = f"{prefix}{place}"
        labels = LABEL.findall(body)
        further = [each for _, each in labels if each != number]
        if "**Statement" in body:
            wrong.append(f"{title}: a statement has no number")
        states = bool(labels) or "∎" in body or "**Proof" in body
        if states and labels.count(("Theorem", number)) != 1:
            wrong.append(f"{title}: there must be one Theorem {number}, not {labels}")
        if further != [f"{number}.{k}" for k in range(1, len(further) + 1)]:
            wrong.append(f"{title}: after {number} come {further}")
    return wrong


def wrong_list(text, prefix):
    """Return what is wrong with the list of theorems at the top."""
    wrong = []
    rows = ROW.findall(text.split("\n## ")[0])
    titles = [title for title, _ in sections_of(text)]
    if [number for number, *_ in rows] != [f"{prefix}{n}" for n in range(1, len(titles) + 1)]:
        wrong.append(f"{len(titles)} sections, but the list has {[row[0] for row in rows]}")
    for (number, shown, anchor, claim), title in zip(rows, titles, strict=False):
        words = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        # a long title may be shortened
        if not set(shown.split()) <= set(title.split()) or anchor != words or not claim.strip():
            wrong.append(f"{number} is {title}, not [{shown}](#{anchor})")
    return wrong


def wrong_tests(text):
    """Return what is wrong with the last paragraphs, which name tests."""
    wrong = []
    for title, body in sections_of(text):
        last = re.split(r"\n\s*\n", body.strip())[-1]
        named = re.findall(r"tests/[\w/]+\.py", last)
        if not (last.startswith("*Numbers: ") and last.endswith("*") and named):
            wrong.append(f"{title} does not end with its tests")
        if body.count("*Numbers:") != 1:
            wrong.append(f"{title} names its tests more than once, or never")
        wrong += [f"{title}: no {name}" for name in named if not (ROOT / name).exists()]
    return wrong


def wrong_formulas(text):
    """Return formulas that would not be typeset, or that Markdown would tear apart."""
    wrong = []
    for paragraph in paragraphs_of(text):
        start = paragraph.strip()[:60]
        shown, inline, words = formulas_in(paragraph)
        if paragraph.count("$$") % 2 or "$" in words:
            wrong.append(f"dollars without a partner: {start}")
            continue
        if any("$$" in line and line.strip() != "$$" for line in paragraph.splitlines()):
            wrong.append(f"$$ is not on a line of its own: {start}")
        if "\\" in words:
            wrong.append(f"TeX outside of dollars: {words.strip()[:60]}")
        if found := PLAIN.search(words):
            near = words[max(0, found.start() - 20) :][:60]
            wrong.append(f"plain-text mathematics, {found[0]!r}: {near}")
        for formula in inline:
            wrong += [f"{why}: ${formula}$" for why in faults_in_a_line(formula)]
        for formula in shown + inline:
            wrong += [f"{why}: {formula.strip()[:80]}" for why in faults(formula)]
    return wrong


def faults_in_a_line(formula):
    """Return what GitHub, which reads Markdown first, would not typeset between two dollars."""
    if not formula or formula != formula.strip():
        yield "a space next to a dollar"
    if "\n" in formula:
        yield "a formula that goes on in the next line"
    if "](" in formula:
        yield "Markdown would take it for a link"
    if re.search(r"\\[^A-Za-z\s]", formula):
        yield "Markdown would drop the backslash before a sign"


def faults(formula):
    """Return what is wrong with one formula."""
    if re.search(r"<[A-Za-z/!][^<>]*>", formula):
        yield "Markdown would take it for HTML"
    if not formula.isascii():
        yield "signs that are not TeX"
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", formula):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            break
    if depth:
        yield "braces without a partner"
    begun, ended = (re.findall(rf"\\{word}\{{(\w+\*?)\}}", formula) for word in ("begin", "end"))
    if sorted(begun) != sorted(ended) or formula.count(r"\left") - formula.count(
        r"\leftarrow"
    ) != formula.count(r"\right") - formula.count(r"\rightarrow"):
        yield "an environment or a bracket without its end"
    if any(re.match(r"[-+*#>=]|\d+[.)]\s", line.strip()) for line in formula.splitlines()[1:]):
        yield "Markdown would take the start of a line for a list, a heading or a quotation"


def wrong_layout(text):
    """Return indented formulas of the old style, and rows of tables that have too many cells."""
    wrong, cells, before = [], 0, ""
    outside = re.sub(r"^ *\$\$$.*?^ *\$\$$", "", without_code(text), flags=re.MULTILINE | re.DOTALL)
    for line in outside.splitlines():
        if line.startswith("    ") and line.strip() and not before.strip():
            wrong.append(f"an indented block: {line.strip()[:60]}")
        bars = line.count("|") if line.startswith("|") else 0
        if bars and cells and bars != cells:
            wrong.append(f"cells of a table: {line[:60]}")
        cells, before = bars, line
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_every_section_has_its_theorem_and_further_statements_count_up(page):
    assert not wrong_numbers(text_of(page), PAGES[page])


@pytest.mark.parametrize("page", PAGES)
def test_the_list_of_theorems_is_that_of_the_sections(page):
    assert not wrong_list(text_of(page), PAGES[page])


@pytest.mark.parametrize("page", PAGES)
def test_every_section_ends_with_the_tests_that_check_it(page):
    assert not wrong_tests(text_of(page))


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_tex_between_dollars(page):
    assert not wrong_formulas(text_of(page))


@pytest.mark.parametrize("page", PAGES)
def test_no_formula_is_an_indented_block(page):
    assert not wrong_layout(text_of(page))


def test_statements_that_are_referred_to_exist():
    """Numbers with R are ours; others may be those of a paper."""
    texts = {page: text_of(page) for page in PAGES}
    known = {number for text in texts.values() for _, number in LABEL.findall(text)}
    for page, text in texts.items():
        named = set(re.findall(r"(?:Theorem|Lemma|Corollary|Proposition)\s+(R\d+(?:\.\d+)?)", text))
        assert named <= known, f"{page} refers to {sorted(named - known)}"


GOOD = r"""# Page

| no. | section | claim |
|---|---|---|
| 1 | [One thing](#one-thing) | $a \le b$. |

## One thing

**Theorem 1.** *If* $a \lt b$, *then* $a \le b$:

$$
\begin{aligned}
a &\le \frac{b}{2} \\
{}- 1 &\le 0.
\end{aligned}
$$

**Lemma 1.1 (Small).** $x_1$ is small. ∎

*Numbers: tests/claims/test_numbered_theorems.py.*
"""


def all_wrong(text):
    found = wrong_numbers(text, "") + wrong_list(text, "") + wrong_tests(text)
    return found + wrong_formulas(text) + wrong_layout(text)


def test_a_good_page_passes():
    assert not all_wrong(GOOD)


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("Theorem 1", "Theorem 2"),
        ("Lemma 1.1", "Lemma 1.2"),
        ("**Theorem 1.**", "**Statement.**"),
        ("(#one-thing)", "(#another)"),
        ("| 1 | [One", "| 2 | [One"),
        ("$a \\le b$. |", "$a | b$. |"),
        ("*Numbers: tests/claims/test_numbered_theorems.py.*", "A last word."),
        ("test_numbered_theorems.py", "test_no_theorems.py"),
        ("$x_1$ is", "$x_1 is"),
        ("$x_1$", "$ x_1$"),
        ("$x_1$", "$x_1 =\nx_2$"),
        ("$x_1$", "$[0, 1](x)$"),
        ("$x_1$", r"$\{x_1\}$"),
        ("$x_1$", "$x <y > z$"),
        ("$x_1$", "x₁"),
        ("$x_1$", "x^2"),
        ("$x_1$", "$ε$"),
        ("{b}{2}", "{b}{2"),
        ("{}- 1", "- 1"),
        ("\\end{aligned}", ""),
        ("$$\n\\begin", "$$ \\begin"),
        ("**Lemma 1.1", "    a < b\n\n**Lemma 1.1"),
        ("small. ∎", "\\le small. ∎"),
    ],
)
def test_a_broken_page_does_not(now, then):
    assert now in GOOD
    assert all_wrong(GOOD.replace(now, then)), f"{then} was not noticed"
