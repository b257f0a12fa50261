"""The games that a search for the worst case tries: losses that are fixed in advance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.contracts import Floats

PARTS = 3  # maximum number of parts with constant means
PERIODS = (1, 2, 3, 4, 8, 16, 64, 256)  # rounds, for losses that come and go
SPANS = (8, 16, 32, 64, 256, 1024, 4096)  # rounds for which a random loss stays the same
KINDS = ("constant", "random", "periodic", "lasting")


@dataclass(frozen=True)
class StressGame:
    """Mean losses of a leader, a challenger and all other arms, in each part of the game.

    Losses are the means themselves (constant); 0 or 1, drawn in every round (random); 0 and 1,
    alternating in these proportions (periodic); or 0 or 1, drawn once for several rounds (lasting),
    so that the means of batches vary as much as single losses do.
    """

    kind: str
    ends: tuple[float, ...]  # of all parts but the last, as increasing shares of the game
    means: tuple[tuple[float, float, float], ...]  # of leader, challenger and others, by part
    period: int = 1

    def losses(self, rounds: int, arms: int, rng: np.random.Generator) -> Floats:
        """Return the loss of every arm in every round."""
        table = np.empty((rounds, arms))
        places = [0, *(round(end * rounds) for end in self.ends), rounds]
        for part, (leader, challenger, other) in enumerate(self.means):
            means = np.full(arms, other)
            means[0], means[1] = leader, challenger
            table[places[part] : places[part + 1]] = means
        if self.kind == "random":
            return (rng.random(table.shape) < table).astype(np.float64)
        if self.kind == "periodic":
            # the first of every 8 periods have loss 1; each arm is one period ahead of the previous
            phase = (np.arange(rounds)[:, None] // self.period + np.arange(arms)) % 8
            return (phase < 8.0 * table).astype(np.float64)
        if self.kind == "lasting":
            drawn = rng.random((-(-rounds // self.period), arms))
            return (np.repeat(drawn, self.period, axis=0)[:rounds] < table).astype(np.float64)
        return table

    def nearby(self, rng: np.random.Generator, step: float) -> StressGame:
        """Return a game like this one, with all numbers slightly changed."""
        means = tuple(
            _three(np.clip(np.array(part) + step * rng.normal(size=3), 0.0, 1.0))
            for part in self.means
        )
        moved = np.array(self.ends) + step * rng.normal(size=len(self.ends))
        ends = tuple(float(end) for end in np.sort(np.clip(moved, 0.001, 0.999)))
        return replace(self, means=means, ends=ends)

    def words(self) -> str:
        """Describe the game in one line."""
        parts = "; then ".join(
            f"means {one:.2f}, {two:.2f}, others {other:.2f}" for one, two, other in self.means
        )
        at = f", changing at {', '.join(f'{end:.2g} T' for end in self.ends)}" if self.ends else ""
        timed = self.kind in ("periodic", "lasting")
        how = f"{self.kind} ({self.period} rounds)" if timed else self.kind
        return f"{how}: {parts}{at}"


def known_games(rounds: int, arms: int) -> list[StressGame]:
    """Return games that are hard for many algorithms: small gaps, late changes, traps."""
    root = float(np.sqrt(arms / rounds))
    gaps = [min(0.5, factor * root) for factor in (1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 36.0)]
    found = []
    for span in SPANS:  # with about the hardest gap for learning from batches of such losses
        gap = min(0.3, 2.0 * root * float(np.sqrt(span)))
        found += [
            StressGame("lasting", (), ((max(0.0, level - gap), level, level),), span)
            for level in (0.5, 0.9)
        ]
    for gap in gaps[3:]:  # nothing to learn at first, while the learning rate falls
        found += [
            StressGame("constant", (end,), ((0.5, 0.5, 0.5), (0.5 - gap, 0.5, 0.5)))
            for end in (0.2, 0.4)
        ]
    for kind in ("random", "constant"):
        for level in (0.1, 0.5, 0.9):
            found += [
                StressGame(kind, (), ((max(0.0, level - gap), level, level),)) for gap in gaps
            ]
        for end in (0.1, 0.3, 0.5):
            for gap in (*gaps[:6:2], 0.2):
                first, then = (0.5 - gap, 0.5, 0.5), (0.5, max(0.0, 0.5 - 2.0 * gap), 0.5)
                found.append(StressGame(kind, (end,), (first, then)))
        found += [
            StressGame(kind, (end,), ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0))) for end in (0.02, 0.1, 0.3)
        ]
    for period in PERIODS:
        found.append(StressGame("periodic", (), ((0.375, 0.5, 0.5),), period))
    return found


def random_game(rng: np.random.Generator, rounds: int, arms: int) -> StressGame:
    """Return a random game; differences between means have all orders of magnitude."""
    parts = int(rng.integers(1, PARTS + 1))
    ends = tuple(float(end) for end in np.sort(rng.random(parts - 1) ** 2))
    least = np.sqrt(arms / rounds) / 2.0

    def part() -> tuple[float, float, float]:
        level, gap = rng.random(), least ** rng.random()
        one, two, other = level + gap * (rng.random(3) - 0.5)
        return _three(np.clip(np.array([one, two, other]), 0.0, 1.0))

    kind = str(rng.choice(KINDS))
    period = int(rng.choice(SPANS if kind == "lasting" else PERIODS))
    return StressGame(kind, ends, tuple(part() for _ in range(parts)), period)


def _three(values: Floats) -> tuple[float, float, float]:
    one, two, three = (float(value) for value in values)
    return one, two, three
