"""Reserved letters (NOTATION.md) stand only where their quantity is the subject.

That a letter means the same everywhere cannot be tested. But a section or a module that begins to
use one of the rarer reserved letters fails here, until somebody has read it and lists it.
"""

from __future__ import annotations

import re

import pytest
from common import ROOT
from test_numbered_theorems import formulas_in, paragraphs_of, sections_of, text_of

SECTIONS = {
    ("proofs.md", r"\rho"): {
        "Gaussian on a grid",
        "Selection",
        "Groups",
        "Composition",
        "Concentration",
    },
    ("proofs.md", r"\zeta"): {"Sums of gradients", "A noisy leader", "Noise paid once"},
    ("proofs.md", r"\nu"): {"Best-arm search"},
    ("proofs.md", r"\Omega"): {"One bit"},
    ("proofs.md", "b"): set(),
    ("proofs.md", "u"): {"Directions", "Sums of gradients", "A noisy leader", "Noise paid once"},
    ("regret.md", r"\rho"): set(),
    ("regret.md", r"\zeta"): {"Two points"},
    ("regret.md", r"\nu"): set(),
    ("regret.md", r"\Omega"): {"One bit", "Semi-bandits"},
    ("regret.md", "b"): {"EXP3 on gains", "Clipped noise", "Rounds added up"},
    ("regret.md", "u"): {"Linear and generalised linear rewards", "Two points"},
}
MODULES = {  # where the letter stands in src/discreet: folders, or modules
    "ρ": ("channels/selection.py", "curves.py", "ledger/"),
    "ζ": ("algorithms/functions/", "channels/", "learners/functions/", "sensitivities.py"),
    "ϑ": ("learners/functions/", "sets/"),
    "ν": ("learners/search/", "plot/searches.py", "simulation/"),
    "Ω": ("algorithms/arms/tsallis.py", "channels/", "mechanisms/bits.py"),
}


def letters_in(formula):
    """Return the letters of a formula: Greek ones with a backslash, names of functions left out."""
    formula = re.sub(r"\\(text|mathrm|operatorname|begin|end)\*?\{[^}]*\}", " ", formula)
    greek = set(re.findall(r"\\[A-Za-z]+", formula))
    return greek | set(re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", formula)))


def sections_with(letter, text):
    """Return the titles of sections that use a letter in a formula."""
    found = set()
    for title, body in sections_of(text):
        for paragraph in paragraphs_of(body):
            shown, inline, _ = formulas_in(paragraph)
            if any(letter in letters_in(formula) for formula in shown + inline):
                found.add(title)
    return found


@pytest.mark.parametrize(("page", "letter"), SECTIONS)
def test_reserved_letters_stand_in_known_sections(page, letter):
    assert sections_with(letter, text_of(page)) == SECTIONS[page, letter]


@pytest.mark.parametrize("letter", MODULES)
def test_reserved_letters_stand_in_known_modules(letter):
    package = ROOT / "src" / "discreet"
    using = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if letter in path.read_text()
    }
    assert not {name for name in using if not name.startswith(MODULES[letter])}


def test_a_new_use_is_found():
    text = "## Pairs\n\nLet $u(c)$ be $\\rho_1$ with $\\text{bub}$.\n"
    assert sections_with("u", text) == sections_with(r"\rho", text) == {"Pairs"}
    assert not sections_with("b", text)
