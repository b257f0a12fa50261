"""Private algorithms with expert advice: over T in two environments, and over N and epsilon in one.

The map is measured in ``advice-random``: one expert is good and all others guess, so that blind
play loses the same for every N, and more experts are harder. In ``advice-adversarial`` a fourth of
all experts is good at any time, and N would hardly matter; regret over T is measured in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.algorithms import Setting
from discreet.channels import Open
from discreet.learners import Uniform
from discreet.private import Private
from discreet.problems import Advice, Problem
from discreet.simulation import Contender
from discreet_papers.reproduce import fitting
from discreet_papers.reproduce.games import Game, Player, contender

ARMS, DELTA = 4, 1e-6
EXPERTS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
EPSILONS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SIZE, EPSILON = 16, 1.0  # where the others vary; both are in the lists above
FOLLOW, LOCAL, BATCHED, LONG = "expert-arms", "local-exp4", "batched-exp4", "batched-exp4, long"
ALGORITHMS = (FOLLOW, LOCAL, BATCHED, LONG)
OPEN, BLIND = "exp4", "uniform"
RANDOM, SWITCHING = "advice-random", "advice-adversarial"
TIGHT, PAPER = "tight", "paper"


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return games over T at N = 16 and epsilon 1, and over N and epsilon at an eighth of the longest game."""
    return (
        *(
            game(world, SIZE, length, (EPSILON,))
            for world in (RANDOM, SWITCHING)
            for length in lengths(rounds)
        ),
        *(game(RANDOM, experts, map_length(rounds), EPSILONS) for experts in map_sizes(rounds)),
    )


def lengths(rounds: int) -> list[int]:
    """Return the lengths of games over T."""
    return fitting.lengths(rounds, count=5, least=2**8)


def map_length(rounds: int) -> int:
    """Return the length of the games over N and epsilon."""
    return rounds // 8


def map_sizes(rounds: int) -> list[int]:
    """Return the numbers of experts on the map: short games cannot tell more apart."""
    return [experts for experts in EXPERTS if experts <= max(SIZE, map_length(rounds) // 256)]


def game(world: str, experts: int, rounds: int, epsilons: Sequence[float]) -> Game:
    """Return a game of all algorithms at all epsilons; what would be the same play is played once."""
    frame = Game(
        part=f"{world}, N = {experts}, T = {rounds:,}",
        environment=world,
        problem=Advice(ARMS, experts),
        rounds=rounds,
        players=(
            Player(algorithm=BLIND, role=BLIND, build=blind_play),
            Player(algorithm=OPEN, role=OPEN),
        ),
    )
    private = (player for epsilon in epsilons for player in _distinct(frame, epsilon))
    return replace(frame, players=(*frame.players, *private))


def players(experts: int, rounds: int, epsilon: float) -> dict[tuple[str, str], Player]:
    """Return all private players with our tuning and with the paper's; the last one has long batches.

    Our tuning of batched-exp4 takes the batch size with the least proved bound, which is 1 almost
    everywhere: then it is local-exp4. To see the row of Table 1 at all, one more plays batches as
    long as Theorem 6 has them without constants and logarithms, (N T)^(1/3) / ε^(2/3), with our
    noise and the learning rate that is best for them.
    """
    long = min(
        max(2, round((experts * rounds) ** (1 / 3) / epsilon ** (2 / 3))), max(2, rounds // 4)
    )
    found = {
        (name, how): _player(name, how, epsilon)
        for name in (FOLLOW, LOCAL, BATCHED)
        for how in (TIGHT, PAPER)
    }
    found[LONG, TIGHT] = _player(BATCHED, TIGHT, epsilon, ("batch_size", long))
    return found


def alike(local: Contender, batched: Contender) -> bool:
    """Return whether batches of one round make EXP4 with noise every round: the same numbers, the same Laplace noise."""
    same = local.facts["parameters"] == batched.facts["parameters"]
    return same and all(noise.kind == "laplace" for noise in local.private.channel.noise_scales)


def blind_play(game: Game, setting: Setting[Problem]) -> Contender:
    """Return uniform play, which hears no advice."""
    return Contender(
        label=BLIND, private=Private(Open(setting.bounds), Uniform(game.problem.actions))
    )


def _distinct(frame: Game, epsilon: float) -> list[Player]:
    """Return the players of one epsilon, without batched-exp4 where it is local-exp4."""
    assert isinstance(frame.problem, Advice), "there is advice"
    found = players(frame.problem.experts, frame.rounds, epsilon)
    local, batched = (contender(frame, found[name, TIGHT]) for name in (LOCAL, BATCHED))
    return [
        player
        for who, player in found.items()
        if who != (BATCHED, TIGHT) or not alike(local, batched)
    ]


def _player(name: str, how: str, epsilon: float, *more: tuple[str, int]) -> Player:
    role = f"{LONG if more else name}, {how}"
    return Player(
        algorithm=name,
        epsilon=epsilon,
        delta=DELTA,
        options=(("calibration", how), *more),
        role=role,
    )
