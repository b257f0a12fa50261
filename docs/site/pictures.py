"""Pictures of environments and of sets, drawn from the registry while the site is made."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
from svg import draw_lines, draw_shadow, raw

from discreet.environments import environment, environments
from discreet.errors import DiscreetError
from discreet.problems import Functions
from discreet.sets import set_named

ROUNDS, WINDOW = 4000, 80  # every window is one point of a picture
SHOWN = 4  # arms, coordinates or points of a picture
BEST = "best per round"
CAPTION = (
    f"Pictures below each name show mean losses in windows of {WINDOW} of {ROUNDS:,} rounds, of "
    "the first arms or coordinates, or at some points of the set."
)


def with_environment_pictures(text: str) -> str:
    """Return the page of environments, with a picture below each name that has one."""
    found, seen = [], Counter[str]()
    for line in text.split("\n"):
        if line.startswith("!["):  # one picture of all of them, where there are no others
            line = CAPTION
        found.append(line)
        if named := re.fullmatch(r"##+ ([a-z0-9-]+)", line):
            known = [each for each in environments() if each.name == named[1]]
            known.sort(key=lambda each: each.problem.__name__ != "Arms")
            if seen[named[1]] < len(known):
                found += ["", *_picture(known[seen[named[1]]])]
            seen[named[1]] += 1
    return "\n".join(found)


def _picture(known) -> list[str]:
    """Return the picture of an environment; nothing if it needs a file."""
    problem = known.problem_with()
    try:
        game = environment(known.name, problem, rounds=ROUNDS).deal(
            0, ROUNDS, np.random.default_rng(1)
        )
    except DiscreetError:  # it plays a file of the user
        return []
    if isinstance(problem, Functions):
        what, lines = "points of the set", _at_points(game, problem)
    elif "losses" in game._fields:
        many = game.losses.shape[1]
        what = "coordinates" if known.problem.__name__ == "Points" else "arms"
        name = "coordinate" if what == "coordinates" else "arm"
        lines = {f"{name} {arm + 1}": game.losses[:, arm] for arm in range(min(many, SHOWN))}
        if many > SHOWN or known.problem.__name__ == "Contexts":
            lines[BEST] = game.losses.min(axis=1)
    else:  # losses that answer what is played
        return []
    means = {name: line.reshape(-1, WINDOW).mean(axis=1) for name, line in lines.items()}
    low = min(0.0, math.floor(min(line.min() for line in means.values())))
    top = max(1.0, math.ceil(max(line.max() for line in means.values())))
    words = f"Mean losses of {what} in windows of {WINDOW} rounds of {known.name}"
    starts = np.linspace(0.0, ROUNDS, ROUNDS // WINDOW).tolist()
    svg = draw_lines(starts, means, words, low=low, top=top, digits=0, muted=(BEST,))
    return [*raw(svg), ""]


def _at_points(game, problem: Functions) -> dict[str, np.ndarray]:
    """Return the losses of a few points: the centre, and where single coordinates are extreme."""
    place = set_named(problem.domain)
    points = {"the centre": place.centre()}
    for name, direction in (("least", 1.0), ("largest", -1.0)):
        point = np.zeros(place.dimension)
        place.minimise_linear(direction * np.eye(place.dimension)[0], point)
        points[f"{name} x(1)"] = point
    return {
        name: np.array([game.loss(t, point) for t in range(ROUNDS)])
        for name, point in points.items()
    }


def with_shadows(text: str) -> str:
    """Return the page of sets, with a picture of each example of its table."""
    names = re.findall(r"^\| `[^`]+` \|.*?\| `([^`]+)` \|", text, re.MULTILINE)
    assert len(names) > 10, "the table of sets has changed"
    figures = [draw_shadow(_shadow(name), name) for name in names]
    return "\n".join(
        [
            text.rstrip("\n"),
            "",
            "## Pictures",
            "",
            "Each example is projected onto a plane spanned by two random directions of its hull "
            "(the first two coordinates, if there are no more). Dots are vertices.",
            "",
            *raw(['<div class="shadows">', *figures, "</div>"]),
            "",
        ]
    )


def _shadow(name: str) -> list[tuple[float, float]]:
    """Return points on the outline of a set's shadow, around its centre."""
    place = set_named(name)
    if place.dimension == 1:
        half = place.support(np.ones(1)) - float(place.centre()[0])
        return [(-half, 0.0), (half, 0.0)]
    plane = np.eye(2)
    if place.dimension > 2:
        plane = np.random.default_rng(1).standard_normal((2, place.dimension))
        for row in plane:
            place.tangent(row)
        plane[0] /= np.linalg.norm(plane[0])
        plane[1] -= (plane[1] @ plane[0]) * plane[0]
        plane[1] /= np.linalg.norm(plane[1])
    found, point = [], np.zeros(place.dimension)
    for angle in np.linspace(0.0, 2.0 * np.pi, 181)[:-1]:
        place.minimise_linear(np.array([np.cos(angle), np.sin(angle)]) @ plane, point)
        found.append(tuple((plane @ (point - place.centre())).tolist()))
    return found
