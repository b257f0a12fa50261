"""How trials are played: one by one, as plain Python or compiled, or side by side, one loop for many of them.

All ways give the same numbers, so what is done sooner is done. A loop for trials side by side
(lanes) pays where there is much to play, and where there is little, because it is compiled sooner;
where there is hardly anything, nothing is compiled. Learners whose loop cannot be turned play the
same games one trial at a time.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Sequence

import numpy as np

from componentjit import compilable, type_signature
from componentjit.lanes import LANES, NotVectorizable, Program, program_for
from discreet.contracts import Floats, Integers, Protected
from discreet.problems import Environment
from discreet.randomness import Streams, streams, streams_of
from discreet.ranges import Range
from discreet.simulation.dealing import Piece, dealt
from discreet.simulation.loop import Player, Prototype, play
from discreet.simulation.trial import (
    Dealer,
    Outcome,
    Remembered,
    Stretch,
    deal,
    run_in_turn,
    stacked,
    stretches,
)

# What everything takes, in rounds of one trial that is played by itself:
COMPILING, WRITING = (
    2**25,
    2**23,
)  # a loop for single trials, and one for lanes, unless it is kept from an earlier time
LOADING = 2**23  # a loop for single trials that is kept, if Numba is yet to be imported
FASTEST = 2**7  # a round in plain Python, at least; it is measured
TURN, LONG_TURN = 4, 24  # a round in all lanes; and in a loop so long that they rarely do the same
PROBE, ROUND, DOUBT = (
    16,
    5e-8,
    2.0,
)  # rounds that are measured; seconds of one, compiled; later ones may take longer
SHORT = 2**14  # rounds that a thread is given at once, if trials are shorter
MOST_ARMS = 128  # with more, games for all lanes would take too much memory
TOGETHER, NUMBERS = 64, 2**18  # trials, and numbers in them, of short games that are dealt together

# Side by side, or singly as the prototype is played; None stands for a compiled one.
Way = Program | Prototype | None
Ways = Sequence[Way]

_plain_so_far: dict[object, float] = {}  # rounds that were, by what plays them


def choose_backend(
    private: Protected,
    environment: Environment,
    rounds: int,
    trials: int,
    bounds: Range,
    *,
    clip: bool,
    threads: int,
) -> Way:
    """Return the way to play some trials that is done first, compiled as far as it is.

    Where little is played, that is a matter of compiling, which takes longer than playing. What was
    played before as plain Python counts, too: who plays little again and again does not wait for
    much longer than it takes to compile.
    """
    whole = Prototype(private)
    if not whole.compiled:
        return whole
    few = min(PROBE, rounds)
    game, _ = deal(environment, 0, few, streams(0).environment, bounds, clip=clip)
    loading = 0 if "numba" in sys.modules else LOADING
    singly = rounds * -(-trials // threads) + (
        loading if Player(whole, streams(0)).is_kept(game) else COMPILING
    )
    key = type_signature((private, game))
    plainly = _plain_so_far.get(key, 0.0) + rounds * trials * FASTEST
    plain = None
    if plainly < singly:
        plain = Prototype(private, compiled=False)
        before = time.perf_counter()
        Player(plain, streams(0)).play(game, np.array([few]))
        taken = (time.perf_counter() - before) / few / ROUND
        plainly = _plain_so_far.get(key, 0.0) + rounds * trials * max(FASTEST, DOUBT * taken)
    program = _program_sooner(
        private, environment, rounds, trials, bounds, threads=threads, than=min(singly, plainly)
    )
    if program or not plain or plainly >= singly:
        return program or whole
    _plain_so_far[key] = plainly
    return plain


def _program_sooner(
    private: Protected,
    environment: Environment,
    rounds: int,
    trials: int,
    bounds: Range,
    *,
    threads: int,
    than: float,
) -> Program | None:
    """Return the loop for trials side by side, compiled, if there is one and all is done sooner with it."""
    turns = rounds * -(-trials // (LANES * threads))
    if TURN * turns >= than:
        return None
    try:
        program = lanes_of(private, environment, bounds)
        turn = LONG_TURN if program.sheet.is_long else TURN
        if turn * turns + (0 if program.is_compiled() else WRITING) >= than:
            return None
        program.compile()
    except NotVectorizable:
        return None
    return program


def trials_at_once(ways: Ways, rounds: int, trials: int, *, threads: int) -> int:
    """Return how many trials a thread is given: as many as there are lanes, or a few if they are short."""
    if _some_in_lanes(ways):
        return -(-trials // -(-trials // LANES))  # groups of almost the same size
    return max(1, min(SHORT // rounds, trials // (4 * threads)))


def lanes_of(private: Protected, environment: Environment, bounds: Range) -> Program:
    """Return the loop for trials side by side, or raise ``NotVectorizable``."""
    return program_for(play, lanes_arguments(private, environment, bounds))


def lanes_arguments(
    private: Protected, environment: Environment, bounds: Range
) -> dict[str, object]:
    """Return what the loop is given, by name, as one trial has it, or raise ``NotVectorizable``."""
    if environment.answers or private.learner.follows or not compilable(private):
        raise NotVectorizable("a game that answers, or a learner that follows")
    if environment.problem.actions > MOST_ARMS:
        raise NotVectorizable("games so large that few are dealt at once")
    some = streams(0)
    game, _ = deal(environment, 0, 2, some.environment, bounds, clip=True)
    if (
        "losses" not in game.by_round
        or game.action_shape
        or not all(isinstance(field, np.ndarray) for field in game)
    ):
        raise NotVectorizable("a game that is more than tables of numbers")
    player = Player(private, some)
    held = player.first(game)
    marks = np.array([1, 2])
    arguments = {"private": player.private, "game": game, "marks": marks, "scores": np.zeros(2)}
    rest = {"t": 0, "mark": 0, "loss": 0.0, "held": held, "learner_rng": 0, "privacy_rng": 0}
    return arguments | rest


def run_trials(
    privates: Sequence[Protected],
    environment: Environment,
    marks: Integers,
    *,
    seed: int,
    trials: Sequence[int],
    bounds: Range,
    clip: bool,
    stop: threading.Event,
    ways: Ways = (),
) -> list[Outcome] | None:
    """Play some trials, each algorithm in its way, or return None if told to stop before the end."""
    dealer, found = Dealer(environment, bounds, clip=clip), list[Outcome]()
    if _some_in_lanes(ways):
        for first in range(0, len(trials), LANES):
            group = _Group(privates, marks, seed, trials[first : first + LANES], ways)
            outcomes = group.played(dealer, stop)
            if outcomes is None:
                return None
            found += outcomes
        return found
    shared = [_prototype(way, each) for way, each in itertools.zip_longest(ways, privates)]
    parts = stretches(environment, marks)
    size = (
        1
        if len(parts) > 1
        else max(1, min(TOGETHER, NUMBERS // (int(marks[-1]) * dealer.problem.actions)))
    )
    for first in range(0, len(trials), size):
        outcomes = run_in_turn(
            shared, dealer, marks, parts, seed=seed, trials=trials[first : first + size], stop=stop
        )
        if outcomes is None:
            return None
        found += outcomes
    return found


def _some_in_lanes(ways: Ways) -> bool:
    return any(isinstance(way, Program) for way in ways)


def _prototype(way: Way, private: Protected) -> Prototype:
    return way if isinstance(way, Prototype) else Prototype(private)


class _Group:
    """Up to as many trials as there are lanes; lanes that are left over play the last one again."""

    def __init__(
        self,
        privates: Sequence[Protected],
        marks: Integers,
        seed: int,
        trials: Sequence[int],
        ways: Ways,
    ) -> None:
        self.marks, self.count = marks, len(trials)
        numbers = [*trials, *[trials[-1]] * (LANES - len(trials))]
        own = streams_of(seed, numbers)
        self.rngs = [each.environment for each in own]
        self.loss = np.empty((len(trials), len(privates), marks.size))
        self.seconds = np.zeros(len(privates))
        self.playing = [
            _InLanes(way, private, own)
            if isinstance(way, Program)
            else _OneByOne(_prototype(way, private), seed, trials)
            for way, private in zip(ways, privates, strict=True)
        ]

    def played(self, dealer: Dealer, stop: threading.Event) -> list[Outcome] | None:
        """Return what all trials gave, or None if told to stop before their end."""
        singly = any(isinstance(each, _OneByOne) for each in self.playing)
        games = dealt(dealer, self.marks, self.rngs, self.count, singly=singly)
        for piece in games.pieces():
            part = Stretch.of(piece.start, piece.end, self.marks)
            for index, each in enumerate(self.playing):
                if stop.is_set():
                    return None
                before = time.perf_counter()
                scores = each.play(piece, part.stops)
                if scores is not None:
                    self.loss[:, index, part.inside] = scores[part.at_marks, : self.count].T
                    self.seconds[index] += time.perf_counter() - before
        regret = self.loss - games.best.T[: self.count, None]
        seconds, memories = self.seconds / self.count, [each.memories() for each in self.playing]
        return [
            Outcome(
                regret[i],
                self.loss[i],
                seconds,
                games.clipped[i],
                stacked([each[i] for each in memories]),
            )
            for i in range(self.count)
        ]


class _OneByOne:
    """An algorithm that plays its trials one after the other."""

    def __init__(self, shared: Prototype, seed: int, trials: Sequence[int]) -> None:
        self.players = [Player(shared, own) for own in streams_of(seed, trials)]

    def play(self, piece: Piece, stops: Integers) -> Floats | None:
        """Return the losses so far of all trials at the stops, if the piece has their games."""
        if not piece.games:
            return None
        return np.array(
            [
                player.play(game, stops)
                for player, game in zip(self.players, piece.games, strict=True)
            ]
        ).T

    def memories(self) -> list[Remembered]:
        """Return what the game of each trial remembers."""
        return [player.memory for player in self.players]


class _InLanes:
    """An algorithm that plays all its trials at once."""

    def __init__(self, program: Program, private: Protected, own: Sequence[Streams]) -> None:
        generators = {
            "learner_rng": [each.learner for each in own],
            "privacy_rng": [each.privacy for each in own],
        }
        self.program, self.lanes = program, program.start(private, generators)
        self.memory: Remembered = None  # of games that remember their player

    def play(self, piece: Piece, stops: Integers) -> Floats | None:
        """Return the losses so far of all trials at the stops, if the piece is for lanes."""
        if piece.in_lanes is None:
            return None
        scores, fields = np.empty((stops.size, LANES)), dict(piece.in_lanes)
        if "memory" in fields:
            self.memory = fields["memory"] = (
                fields["memory"].copy() if self.memory is None else self.memory
            )
        game = {f"game.{name}": field for name, field in fields.items()}
        self.program.run(self.lanes, game | {"marks": stops, "scores": scores, "t": 0, "mark": 0})
        return scores

    def memories(self) -> list[Remembered]:
        """Return what the game of each trial remembers."""
        return [None if self.memory is None else self.memory[..., lane] for lane in range(LANES)]
