"""Where the algorithms were published: one entry a paper, from which its key, its texts and its BibTeX are made.

Titles carry the braces that keep BibTeX from lowering a name's capitals; texts leave them out.
Volumes and pages are given for journals only, where they are part of the reference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
}  # combining, and in LaTeX
SMALL_WORDS = ("a", "an", "the")


@dataclass(frozen=True, kw_only=True)
class Citation:
    r"""Where an algorithm was published.

    >>> print(EXP3.short, EXP3.text, EXP3.bibtex, sep=chr(10))
    Auer et al. 2002
    P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire. The nonstochastic multiarmed bandit problem. SIAM J. Comput.
    32(1), 2002.
    @article{auer2002nonstochastic,
      author  = {Auer, Peter and Cesa-Bianchi, Nicol{\`o} and Freund, Yoav and Schapire, Robert E.},
      title   = {The nonstochastic multiarmed bandit problem},
      journal = {SIAM Journal on Computing},
      volume  = {32},
      number  = {1},
      pages   = {48--77},
      year    = {2002},
    }
    """

    key: str
    short: str
    text: str
    bibtex: str


def conference(authors: Sequence[str], title: str, venue: str, year: int) -> Citation:
    """Return the citation of a paper at a conference, known by its short name; authors are "Family, Given"."""
    return _citation(
        "inproceedings",
        authors,
        title,
        venue,
        {"booktitle": CONFERENCES[venue]},
        year,
        _short(authors, year),
    )


def journal(
    authors: Sequence[str],
    title: str,
    venue: str,
    year: int,
    *,
    volume: int,
    number: str = "",
    pages: str = "",
    about: str = "",
) -> Citation:
    """Return the citation of a paper in a journal, known by its short name; ``about`` tells two of one year apart."""
    place = f"{venue} {volume}" + (f"({number})" if number else "")
    fields = {"journal": JOURNALS[venue], "volume": str(volume), "number": number, "pages": pages}
    short = _short(authors, year) + (f" ({about})" if about else "")
    return _citation("article", authors, title, place, fields, year, short)


def software(name: str, title: str, version: str, year: int) -> Citation:
    """Return the citation of a program whose authors are its contributors."""
    title = f"{{{name}}}: {title}"
    fields = {
        "author": f"{{{name} contributors}}",
        "title": title,
        "year": str(year),
        "note": f"Version {version}",
    }
    return Citation(
        key=name,
        short=f"{name} {version}",
        text=f"{name} contributors. {_plain(title)}. Version {version}, {year}.",
        bibtex=_entry("misc", name, fields),
    )


def _citation(
    kind: str,
    authors: Sequence[str],
    title: str,
    place: str,
    fields: Mapping[str, str],
    year: int,
    short: str,
) -> Citation:
    family = authors[0].split(",")[0]
    word = next(
        word
        for word in re.findall(r"[a-z]+", _ascii(_plain(title)).lower())
        if word not in SMALL_WORDS
    )
    key = re.sub("[^a-z]", "", _ascii(family).lower()) + str(year) + word
    return Citation(
        key=key,
        short=short,
        text=f"{', '.join(_initials(author) for author in authors)}. {_plain(title)}. {place}, {year}.",
        bibtex=_entry(
            kind,
            key,
            {"author": " and ".join(authors), "title": title, **fields, "year": str(year)},
        ),
    )


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    used = {name: _latex(value) for name, value in fields.items() if value}
    width = max(len(name) for name in used)
    return "\n".join(
        [
            f"@{kind}{{{key},",
            *(f"  {name:<{width}} = {{{value}}}," for name, value in used.items()),
            "}",
        ]
    )


def _short(authors: Sequence[str], year: int) -> str:
    families = [author.split(",")[0] for author in authors]
    return f"{' & '.join(families) if len(families) < 3 else f'{families[0]} et al.'} {year}"


def _initials(author: str) -> str:
    """Return a name as texts have it.

    >>> _initials("Schapire, Robert E.")
    'R. E. Schapire'
    """
    family, given = author.split(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), family])


def _plain(title: str) -> str:
    return title.replace("{", "").replace("}", "")


def _ascii(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if letter not in ACCENTS)


def _latex(text: str) -> str:
    r"""Return a text whose accents BibTeX of any age understands.

    >>> print(_latex("Nicolò"))
    Nicol{\`o}
    """
    pairs = (unicodedata.normalize("NFD", letter) for letter in text)
    return "".join(
        f"{{\\{ACCENTS[pair[1]]}{pair[0]}}}" if len(pair) == 2 else pair for pair in pairs
    )


CONFERENCES = {
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "AISTATS": "Proceedings of the International Conference on Artificial Intelligence and Statistics",
    "COLT": "Proceedings of the Conference on Learning Theory",
    "ICML": "Proceedings of the International Conference on Machine Learning",
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "SODA": "Proceedings of the ACM-SIAM Symposium on Discrete Algorithms",
}
JOURNALS = {
    "Foundations and Trends in Machine Learning": "Foundations and Trends in Machine Learning",
    "J. Comput. Syst. Sci.": "Journal of Computer and System Sciences",
    "JMLR": "Journal of Machine Learning Research",
    "Machine Learning": "Machine Learning",
    "SIAM J. Comput.": "SIAM Journal on Computing",
}

NONE = Citation(key="", short="-", text="none needed", bibtex="")
ABBASI_YADKORI = conference(
    ["Abbasi-Yadkori, Yasin", "Pál, Dávid", "Szepesvári, Csaba"],
    "Improved algorithms for linear stochastic bandits",
    "NeurIPS",
    2011,
)
AGARWAL_SINGH = conference(
    ["Agarwal, Naman", "Singh, Karan"],
    "The price of differential privacy for online learning",
    "ICML",
    2017,
)
AZIZE_2022 = conference(
    ["Azize, Achraf", "Basu, Debabrota"],
    "When privacy meets partial information: a refined analysis of differentially private bandits",
    "NeurIPS",
    2022,
)
AZIZE_2025 = conference(
    [
        "Azize, Achraf",
        "Wu, Yulian",
        "Honda, Junya",
        "Orabona, Francesco",
        "Ito, Shinji",
        "Basu, Debabrota",
    ],
    "Optimal regret of bandits under differential privacy",
    "NeurIPS",
    2025,
)
ELIMINATION = journal(
    ["Even-Dar, Eyal", "Mannor, Shie", "Mansour, Yishay"],
    "Action elimination and stopping conditions for the multi-armed bandit and reinforcement "
    "learning problems",
    "JMLR",
    2006,
    volume=7,
    pages="1079--1105",
)
ENE = conference(
    ["Ene, Alina", "Nguyen, Huy L.", "Vladu, Adrian"],
    "Projection-free bandit optimization with privacy guarantees",
    "AAAI",
    2021,
)
EXP2 = conference(
    ["Bubeck, Sébastien", "Cesa-Bianchi, Nicolò", "Kakade, Sham M."],
    "Towards minimax policies for online linear optimization with bandit feedback",
    "COLT",
    2012,
)
EXP3 = journal(
    ["Auer, Peter", "Cesa-Bianchi, Nicolò", "Freund, Yoav", "Schapire, Robert E."],
    "The nonstochastic multiarmed bandit problem",
    "SIAM J. Comput.",
    2002,
    volume=32,
    number="1",
    pages="48--77",
)
EXP3_IX = conference(
    ["Neu, Gergely"],
    "Explore no more: improved high-probability regret bounds for non-stochastic bandits",
    "NeurIPS",
    2015,
)
EXP4_P = conference(
    ["Beygelzimer, Alina", "Langford, John", "Li, Lihong", "Reyzin, Lev", "Schapire, Robert E."],
    "Contextual bandit algorithms with supervised learning guarantees",
    "AISTATS",
    2011,
)
FASTER_RATES = conference(
    ["Asi, Hilal", "Raman, Vinod", "Talwar, Kunal"],
    "Faster rates for private adversarial bandits",
    "ICML",
    2025,
)
FKM = conference(
    ["Flaxman, Abraham D.", "Kalai, Adam Tauman", "McMahan, H. Brendan"],
    "Online convex optimization in the bandit setting: gradient descent without a gradient",
    "SODA",
    2005,
)
FTPL_ARMS = journal(
    ["Neu, Gergely", "Bartók, Gábor"],
    "Importance weighting without importance weights: an efficient algorithm for combinatorial "
    "semi-bandits",
    "JMLR",
    2016,
    volume=17,
    number="154",
)
FTPL_POINTS = conference(
    ["Abernethy, Jacob", "Lee, Chansoo", "Sinha, Abhinav", "Tewari, Ambuj"],
    "Online linear optimization via smoothing",
    "COLT",
    2014,
)
FTRL = journal(
    ["Shalev-Shwartz, Shai"],
    "Online learning and online convex optimization",
    "Foundations and Trends in Machine Learning",
    2012,
    volume=4,
    number="2",
    pages="107--194",
)
GARBER = conference(
    ["Garber, Dan", "Kretzu, Ben"],
    "Improved regret bounds for projection-free bandit convex optimization",
    "AISTATS",
    2020,
)
GLOC = conference(
    ["Jun, Kwang-Sung", "Bhargava, Aniruddha", "Nowak, Robert", "Willett, Rebecca"],
    "Scalable generalized linear bandits: online computation and hashing",
    "NeurIPS",
    2017,
)
HAN = conference(
    ["Han, Yuxuan", "Liang, Zhipeng", "Wang, Yang", "Zhang, Jiheng"],
    "Generalized linear bandits with local differential privacy",
    "NeurIPS",
    2021,
)
HEDGE = journal(
    ["Freund, Yoav", "Schapire, Robert E."],
    "A decision-theoretic generalization of on-line learning and an application to boosting",
    "J. Comput. Syst. Sci.",
    1997,
    volume=55,
    number="1",
    pages="119--139",
)
HTINF = conference(
    ["Huang, Jiatai", "Dai, Yan", "Huang, Longbo"],
    "Adaptive best-of-both-worlds algorithm for heavy-tailed multi-armed bandits",
    "ICML",
    2022,
)
KL_UCB = conference(
    ["Garivier, Aurélien", "Cappé, Olivier"],
    "The {KL-UCB} algorithm for bounded stochastic bandits and beyond",
    "COLT",
    2011,
)
LIL_UCB = conference(
    ["Jamieson, Kevin", "Malloy, Matthew", "Nowak, Robert", "Bubeck, Sébastien"],
    "lil' {UCB}: an optimal exploration algorithm for multi-armed bandits",
    "COLT",
    2014,
)
LINEAR_ORACLE = conference(
    ["McMahan, H. Brendan", "Blum, Avrim"],
    "Online geometric optimization in the bandit setting against an adaptive adversary",
    "COLT",
    2004,
)
SAJED = conference(
    ["Sajed, Touqir", "Sheffet, Or"],
    "An optimal private stochastic-{MAB} algorithm based on optimal private stopping rule",
    "ICML",
    2019,
)
LUCB = conference(
    ["Kalyanakrishnan, Shivaram", "Tewari, Ambuj", "Auer, Peter", "Stone, Peter"],
    "{PAC} subset selection in stochastic multi-armed bandits",
    "ICML",
    2012,
)
PRIV_UNIT = conference(
    ["Asi, Hilal", "Feldman, Vitaly", "Talwar, Kunal"],
    "Optimal algorithms for mean estimation under local differential privacy",
    "ICML",
    2022,
)
SCRIBLE = conference(
    ["Abernethy, Jacob", "Hazan, Elad", "Rakhlin, Alexander"],
    "Competing in the dark: an efficient algorithm for bandit linear optimization",
    "COLT",
    2008,
)
SHARIFF = conference(
    ["Shariff, Roshan", "Sheffet, Or"],
    "Differentially private contextual linear bandits",
    "NeurIPS",
    2018,
)
SMOOTH_BANDIT = conference(
    ["Saha, Ankan", "Tewari, Ambuj"],
    "Improved regret guarantees for online smooth convex optimization with bandit feedback",
    "AISTATS",
    2011,
)
SMOOTH_STRONGLY_CONVEX = conference(
    ["Hazan, Elad", "Levy, Kfir Y."],
    "Bandit convex optimization: towards tight bounds",
    "NeurIPS",
    2014,
)
STOCHASTIC_CONVEX = conference(
    [
        "Agarwal, Alekh",
        "Foster, Dean P.",
        "Hsu, Daniel J.",
        "Kakade, Sham M.",
        "Rakhlin, Alexander",
    ],
    "Stochastic convex optimization with bandit feedback",
    "NeurIPS",
    2011,
)
TOSSOU = conference(
    ["Tossou, Aristide C. Y.", "Dimitrakakis, Christos"],
    "Achieving privacy in the adversarial multi-armed bandit",
    "AAAI",
    2017,
)
TRACK_AND_STOP = conference(
    ["Garivier, Aurélien", "Kaufmann, Emilie"],
    "Optimal best arm identification with fixed confidence",
    "COLT",
    2016,
)
TSALLIS_INF = journal(
    ["Zimmert, Julian", "Seldin, Yevgeny"],
    "{Tsallis-INF}: an optimal algorithm for stochastic and adversarial bandits",
    "JMLR",
    2021,
    volume=22,
    number="28",
    pages="1--49",
)
TWO_POINT = conference(
    ["Agarwal, Alekh", "Dekel, Ofer", "Xiao, Lin"],
    "Optimal algorithms for online convex optimization with multi-point bandit feedback",
    "COLT",
    2010,
)
UCB1 = journal(
    ["Auer, Peter", "Cesa-Bianchi, Nicolò", "Fischer, Paul"],
    "Finite-time analysis of the multiarmed bandit problem",
    "Machine Learning",
    2002,
    volume=47,
    pages="235--256",
    about="UCB",
)
ZHENG = conference(
    ["Zheng, Kai", "Cai, Tianle", "Huang, Weiran", "Li, Zhenguo", "Wang, Liwei"],
    "Locally differentially private (contextual) bandits learning",
    "NeurIPS",
    2020,
)
