"""discreet glossary: the terms of the field, each in a few plain sentences."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from discreet.errors import unknown_name

TERMS: dict[str, str] = {
    "round": (
        "One decision and its outcome. A run of T rounds makes T decisions, one after the other."
    ),
    "arm": (
        "One of the options of a decision: a treatment, a text, a price. To play an arm is to "
        "choose it in a round."
    ),
    "bandit": (
        "The problem of choosing between arms, round after round, when you see only the outcome of "
        "the arm that you played. To learn which arm is best, you also have to try the others."
    ),
    "expert": (
        "An option whose outcome you see in every round, whether you chose it or not. With "
        "expert *advice*, experts recommend arms, and you see only the outcome of the arm that "
        "you played."
    ),
    "loss": (
        "The outcome of a round as a number; smaller is better. A *reward* is the opposite: a "
        "reward r in the range from low to high is the loss low + high - r."
    ),
    "range": (
        "The smallest and the largest possible loss (low, high), declared in advance. The range "
        "determines the size of all noise. Losses outside it are refused or clipped."
    ),
    "environment": (
        "The source of losses in a simulation: random losses with fixed means, losses designed to "
        "mislead, or your own table. Also called adversary."
    ),
    "regret": (
        "The cost of learning: the total loss of an algorithm minus the total loss of the best "
        "fixed arm (or expert, or point), which is known only afterwards. Divided by the number "
        "of rounds, it should approach 0. For uniform play it stays constant."
    ),
    "uniform play": (
        "Playing all arms equally often. It learns nothing and so reveals nothing. An algorithm "
        "with the same regret is useless."
    ),
    "regret bound": (
        "A number that the expected regret provably does not exceed. It holds for all losses that "
        "are fixed in advance and do not react to what is played. A bound is *vacuous* if uniform "
        "play has no more regret than that; tables mark vacuous bounds with an asterisk."
    ),
    "trial": (
        "One independent run of a simulation. Results are means over trials with 95 % intervals: "
        "in about 95 of 100 simulations, the interval contains the true mean."
    ),
    "twin": (
        "The non-private version of an algorithm. The column *vs. non-private* of a table shows "
        "the price of privacy: regret divided by that of the twin."
    ),
    "differential privacy": (
        "A guarantee about everything that an observer can see of a program: replacing one outcome "
        "by any other hardly changes the probability of what they see. So they can infer little "
        "about one outcome, even if they know everything else. Epsilon and delta bound the change."
    ),
    "epsilon": (
        "How much the probability of anything visible may change when one outcome is replaced: "
        "by a factor of at most e^epsilon. Smaller is more private: 0.1 is strong, 1 is common, "
        "10 gives almost no protection."
    ),
    "e^1 times as likely": (
        "With epsilon 1, replacing one outcome makes anything visible no more than e^1 = 2.72 "
        "times as likely as it is now, and no less than 1/2.72. An observer who gives each of two "
        "values of an outcome a probability of 50 % beforehand will afterwards give either value a "
        "probability of at most e^1 / (1 + e^1) = 73.2 %. For epsilon 0.1 it is 52.5 %, for 3 it "
        "is 95.3 %, and for 10 it is nearly 100 %."
    ),
    "delta": (
        "A small probability added to what epsilon allows: anything visible is at most e^epsilon "
        "times as likely as it would be with one outcome replaced, plus delta. It should be far "
        "below 1 divided by the number of people. A guarantee with delta 0 is called *pure*. "
        "Pure algorithms ignore delta."
    ),
    "neighbours": (
        "Two inputs that differ in the outcome of one round, which is replaced by any other. All "
        "guarantees compare neighbours. That a round took place, and when, is public."
    ),
    "user": (
        "A person, who may have outcomes in several rounds. A person with m outcomes has m times "
        "the epsilon of one round (for pure guarantees; `for_user` computes it). A run or a "
        "ledger can limit the rounds of a user, in total or per period."
    ),
    "central": (
        "The *central model*: the program itself sees true outcomes and adds noise before it "
        "learns from them. You trust the program, but not the people who see its decisions or its "
        "learner's state."
    ),
    "local": (
        "The *local model*: noise is added to every single outcome before it is used in any way. "
        "You need not trust the server that collects the noisy outcomes. The price is more noise."
    ),
    "joint": (
        "The *joint model*: a trusted server sees the features and outcomes of everybody. Noise is "
        "added to everything that other people can see about a person. The decision about that "
        "person is not covered, because it depends on the person's own features."
    ),
    "channel": (
        "The only part of the program that sees true outcomes. It adds noise and passes the "
        "result to the learner."
    ),
    "noise": (
        "Random numbers that hide single outcomes. Their *scale* says how large they are, in "
        "units of the loss. Laplace noise gives pure guarantees; Gaussian noise needs a delta."
    ),
    "batch": (
        "Several rounds with the same arm whose outcomes are added up, so that one noise value "
        "serves all of them. Longer batches need less noise per round but learn less often."
    ),
    "hold-out": (
        "Rounds that are set aside for estimates. A public coin selects them. Their arms come in "
        "random order, independently of what was learned, and the learner does not see their "
        "outcomes. One noisy sum for each arm is released at the end."
    ),
    "slate": (
        "A decision that shows several items at once, such as three of ten articles. You see one "
        "outcome for the whole slate, or one for each item shown."
    ),
    "propensity": (
        "The probability with which a decision was made, given what was known before it. With "
        "propensities, a log can be used to evaluate decisions that were never made."
    ),
    "IPS": (
        "Inverse propensity scoring: an estimate of what a policy would have earned, from the log "
        "of another policy. Every outcome has a weight: its probability under the policy divided "
        "by its propensity. The weights should have mean 1. *SNIPS* divides by their sum, and "
        "*DR* (doubly robust) adds a model of outcomes; both vary less."
    ),
    "release": (
        "A noisy number that leaves the channel. A guarantee covers all releases of a run together."
    ),
    "running sum": (
        "The sum of all losses so far, released repeatedly with noise. Also called a counter."
    ),
    "learner": (
        "The part of the program that makes decisions. It sees releases, never outcomes, so "
        "everything it does is as private as they are."
    ),
    "live": (
        "Use with real people. Noise is exact and comes from the operating system's randomness. "
        "In a *simulation*, noise is fast and repeatable, and protects nobody."
    ),
    "search": (
        "*Best-arm search* looks for the best arm and stops when it knows the answer. The answer "
        "is wrong with at most a stated probability, the *error*. The cost of a search is its "
        "number of *samples* (rounds), not the loss during the search."
    ),
    "horizon": "The largest number of rounds that a run may have.",
    "composition": (
        "The total privacy loss of several releases about the same outcomes. At worst, epsilons "
        "and deltas add up."
    ),
    "ledger": (
        "A privacy budget. Every run is charged before it begins, and a charge that would exceed "
        "the budget is refused."
    ),
    "proved": (
        "A guarantee is *proved* if docs/proofs.md proves it for the program as it is implemented. "
        "It is *claimed by the paper only* if we know of no proof."
    ),
    "audit": (
        "An attack on an algorithm with known inputs. It measures how much of epsilon an attack "
        "can confirm. It can show that a guarantee is false, never that it is true."
    ),
    "zCDP": (
        "Zero-concentrated differential privacy: another measure of privacy loss, rho, that adds "
        "up better over many releases. It can be converted to epsilon and delta."
    ),
}


class Term(click.ParamType[str]):
    """A term of the glossary, completed by the shell."""

    name = "word"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the terms that begin with what was typed."""
        return [CompletionItem(word) for word in TERMS if word.startswith(incomplete)]


@click.command(epilog="Example: discreet glossary regret")
@click.argument("word", required=False, nargs=-1, type=Term())
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the whole glossary as a Markdown document.",
)
def glossary(word: tuple[str, ...], output: Path | None) -> None:
    """Explain the terms that discreet uses, or one of them."""
    if output is not None:
        output.write_text(markdown(), encoding="utf-8")
        click.echo(f"Written to {output}: {len(TERMS)} terms.")
        return
    wanted = [find(" ".join(word))] if word else list(TERMS)
    click.echo("\n\n".join(_entry(each) for each in wanted))


def find(word: str) -> str:
    """Return the entry that is meant, also for a plural, a part of it, or "central model"."""
    meant = word.lower().removesuffix(" model")
    for name in TERMS:
        if meant in (name.lower(), f"{name.lower()}s"):
            return name
    inside = [name for name in TERMS if meant and meant in name.lower()]
    if len(inside) == 1:
        return inside[0]
    raise unknown_name("term", word, TERMS)


def markdown() -> str:
    """Return the glossary as a document."""
    entries = [
        textwrap.fill(f"* **{word}.** {text}", 100, subsequent_indent="  ", break_on_hyphens=False)
        for word, text in TERMS.items()
    ]
    intro = "`discreet glossary` prints this page, `discreet glossary regret` one entry."
    return "\n".join(["# Glossary", "", intro, "", *entries, ""])


def _entry(word: str) -> str:
    text = TERMS[word].replace("*", "").replace("`", "")
    return f"{word}\n" + textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="  ")
