"""Trials side by side: one loop plays as many of them as there are lanes.

Algorithms whose loop cannot be vectorised play the same games one trial at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from componentjit import compilable
from componentjit.lanes import LANES, NotVectorizable, Program, program_for
from discreet.contracts import Floats, Integers, Protected
from discreet.problems import Environment
from discreet.randomness import Streams, streams, streams_of
from discreet.ranges import Range
from discreet.simulation.dealing import Dealer, Piece, Stretch, deal, deal_for_lanes
from discreet.simulation.loop import Player, Prototype, play
from discreet.simulation.trial import Remembered, TrialOutcome, stack_memories

MOST_ARMS = 128  # with more, games for all lanes would take too much memory

# The backend of an algorithm: side by side, or one by one as its prototype says (None: compiled).
Way = Program | Prototype | None
Ways = Sequence[Way]


def lanes_of(private: Protected, environment: Environment, bounds: Range) -> Program:
    """Return the loop for trials side by side, or raise ``NotVectorizable``."""
    return program_for(play, lanes_arguments(private, environment, bounds))


def lanes_arguments(
    private: Protected, environment: Environment, bounds: Range
) -> dict[str, object]:
    """Return the arguments of the loop for one trial, by name, or raise ``NotVectorizable``."""
    if environment.answers or private.learner.follows or not compilable(private):
        raise NotVectorizable("the game reacts to the player, or the learner follows experts")
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


def prototype_of(way: Way, private: Protected) -> Prototype:
    """Return the prototype of an algorithm that plays one trial at a time."""
    return way if isinstance(way, Prototype) else Prototype(private)


class TrialGroup:
    """Up to as many trials as there are lanes; unused lanes repeat the last one."""

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
            else _OneByOne(prototype_of(way, private), seed, trials)
            for way, private in zip(ways, privates, strict=True)
        ]

    def play(self, dealer: Dealer, stop: threading.Event) -> list[TrialOutcome] | None:
        """Return the outcomes of all trials, or None if told to stop early."""
        singly = any(isinstance(each, _OneByOne) for each in self.playing)
        games = deal_for_lanes(dealer, self.marks, self.rngs, self.count, singly=singly)
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
        calls = [each.oracle_calls() for each in self.playing]
        return [
            TrialOutcome(
                regret[i],
                self.loss[i],
                seconds,
                games.clipped[i],
                stack_memories([each[i] for each in memories]),
                tuple(each[i] for each in calls),
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

    def oracle_calls(self) -> list[int | None]:
        """Return how often a linear oracle was called in each trial."""
        return [player.private.learner.oracle_calls for player in self.players]


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

    def oracle_calls(self) -> list[int | None]:
        """Return that no linear oracle was called: no learner with one plays in lanes."""
        return [None] * LANES
