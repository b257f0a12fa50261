"""The words of the field, each in a few plain sentences: the glossary."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "round": (
        "One decision and its outcome. A run of T rounds makes T decisions, one after the other."
    ),
    "arm": (
        "One of the options of a decision: a treatment, a text, a price. To play an arm is to "
        "choose it in a round."
    ),
    "bandit": (
        "The problem of choosing among arms round after round, where only the outcome of the arm "
        "that was played is seen. To learn which arm is good one has to try the others too."
    ),
    "expert": (
        "An option whose outcome is seen in every round, whether it was chosen or not. With expert "
        "*advice*, experts recommend arms, and only the outcome of the arm that was played is seen."
    ),
    "loss": (
        "The outcome of a round as a number: smaller is better. A *reward* is the opposite; a "
        "reward r in the range from low to high is the loss low + high - r."
    ),
    "range": (
        "The least and the largest loss that there can be, declared in advance (low, high). All "
        "noise is sized by it; losses outside of it are refused or moved to its ends."
    ),
    "environment": (
        "Where losses come from in a simulation: random ones with fixed means, ones made to "
        "mislead, or a table of your own. Also called adversary."
    ),
    "regret": (
        "What it cost to have to learn: the total loss of an algorithm minus the total loss of the "
        "best fixed arm (or expert, or point), which is known afterwards only. Divided by the "
        "number of rounds it should go towards 0; uniform play has the same regret in every round."
    ),
    "uniform play": (
        "Playing every arm as often as any other. It learns nothing, and so reveals nothing: an "
        "algorithm with as much regret is of no use."
    ),
    "regret bound": (
        "A number that the expected regret is proved not to exceed, whatever the losses are, as "
        "long as they are fixed in advance and do not react to what is played. It says nothing (is "
        "*vacuous*) if it is no less than the regret of who learns nothing; such bounds are marked "
        "with an asterisk."
    ),
    "trial": (
        "One independent run of a simulation. Results are means over trials with 95 % intervals: "
        "in about 95 of 100 simulations the interval holds the true mean."
    ),
    "twin": (
        "The same algorithm without privacy. Regret divided by that of the twin is the price of "
        "privacy."
    ),
    "differential privacy": (
        "A promise about what is seen of a program: it is nearly as likely with one outcome "
        "replaced by any other as without. So nobody can tell much about one outcome, whatever "
        "else they know. How nearly is told by epsilon and delta."
    ),
    "epsilon": (
        "How much the probability of anything that is seen may change when one outcome is "
        "replaced: by a factor of at most e^epsilon. Smaller is more private: 0.1 is strong, 1 is "
        "usual, 10 protects practically nobody."
    ),
    "e^1 times as likely": (
        "With epsilon 1, whatever is seen is at most e^1 = 2.72 times as likely as it would be had "
        "one outcome been another. Who held two outcomes for equally likely before (50 %) can hold "
        "one of them for at most e^1 / (1 + e^1), 73.2 %, likely afterwards. For epsilon 0.1 it is "
        "52.5 %, for 3 it is 95.3 %, for 10 it is nearly 100 %."
    ),
    "delta": (
        "A small probability that is added to what epsilon allows: P(seen) is at most e^epsilon "
        "P'(seen) + delta. It should be far below 1 divided by the number of people. A guarantee "
        "with delta 0 is called *pure*; where an algorithm is pure, a given delta is not used."
    ),
    "neighbours": (
        "Two inputs that differ in the outcome of one round, which is replaced by any other. All "
        "guarantees compare neighbours. That a round took place, and when, is public."
    ),
    "user": (
        "A person may have outcomes in several rounds. Who has m of them gets m times the epsilon "
        "of one round (for pure guarantees; `for_user` computes it). A ledger can limit the rounds "
        "of a user."
    ),
    "central": (
        "The *central model*: the program itself sees true outcomes and adds noise before it "
        "learns from them. One trusts the program, and nobody who sees its decisions or its memory."
    ),
    "local": (
        "The *local model*: noise is added to every single outcome before anything is done with "
        "it. One need not trust who collects the noisy outcomes; the price is more noise."
    ),
    "joint": (
        "The *joint model*: a trusted server sees features and outcomes of everybody, and whatever "
        "others see of a person has noise. The decision about that person is not counted: it "
        "depends on the person's own features."
    ),
    "channel": (
        "The only part of the program that sees true outcomes. It adds noise and passes the result "
        "on to the learner."
    ),
    "noise": (
        "Random numbers that hide single outcomes. Its *scale* says how large they are, in the "
        "units of the loss. Laplace noise gives pure guarantees, Gaussian noise needs a delta."
    ),
    "batch": (
        "Some rounds with the same arm whose outcomes are added up, so that one noise serves all "
        "of them. Longer batches hide more with less noise, and learn less often."
    ),
    "release": (
        "A number with noise that leaves the channel. A guarantee covers all releases of a run "
        "together."
    ),
    "running sum": (
        "The sum of all losses so far, released again and again with noise; also called a counter."
    ),
    "learner": (
        "The part that decides. It sees releases, never outcomes, so whatever it does is as "
        "private as they are."
    ),
    "live": (
        "Use with real people: noise is exact, drawn from the operating system's randomness. In a "
        "*simulation* noise is fast and repeatable, and protects nobody."
    ),
    "search": (
        "*Best-arm search* asks which arm is the best, and stops when it knows: its answer is "
        "wrong with at most a stated probability, the *error*. What counts is how many *samples* "
        "(rounds) it takes, not what is lost on the way."
    ),
    "horizon": ("The number of rounds there will be at most."),
    "composition": (
        "What several releases about the same outcomes come to together: at worst epsilons and "
        "deltas add up."
    ),
    "ledger": (
        "A budget of privacy. Every run is charged before it begins, and what would exceed the "
        "budget is refused."
    ),
    "proved": (
        "A guarantee is *proved* if docs/proofs.md has an argument for what the program really "
        "does, and *claimed by the paper only* if we know no proof."
    ),
    "audit": (
        "An attack on an algorithm with known inputs, which measures how much of its epsilon is "
        "known to leak. It can find that a guarantee is false, never that it is true."
    ),
    "zCDP": (
        "Zero-concentrated differential privacy: another way to count loss, in rho, that adds up "
        "better over many releases. It can be turned into epsilon and delta."
    ),
}
