"""The colours of arms can be told apart by everybody, and text upon them can be read."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from common import ROOT

STYLE = (ROOT / "src/discreet/service/pages/static/site.css").read_text()
# how colours look without one kind of cones: Machado, Oliveira and Fernandes 2009
EYES = {
    "all": "1 0 0 0 1 0 0 0 1",
    "no red": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998",
    "no green": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.01182 0.04294 0.968881",
    "no blue": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.3039",
}
CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
LAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
       [0.0259040371, 0.7827717662, -0.808675766]]  # fmt: skip
LIGHT, DARK = (0, 1)


def values(name):
    """Return the light and the dark value of a variable of the style."""
    return re.findall(rf"--{name}: (#[0-9a-f]{{6}})", STYLE)[:2]


def linear(colour):
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(light):
    return np.array(LAB) @ np.cbrt(np.array(CONES) @ np.clip(light, 0.0, 1.0))


def contrast(one, other):
    low, high = sorted(linear(each) @ [0.2126, 0.7152, 0.0722] for each in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
@pytest.mark.parametrize("eyes", EYES)
def test_arms_differ_for_all_eyes(scheme, eyes):
    seeing = np.array(EYES[eyes].split(), float).reshape(3, 3)
    seen = [oklab(seeing @ linear(values(f"s{k}")[scheme])) for k in range(8)]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.08


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_text_can_be_read(scheme):
    for ink, ground in itertools.product(("ink", "muted", "accent"), ("card", "page")):
        assert contrast(values(ink)[scheme], values(ground)[scheme]) >= 4.5
    for tone in ("good", "bad"):
        assert contrast(values(tone)[scheme], values(f"{tone}-soft")[scheme]) >= 4.5
    assert contrast(values("accent")[scheme], values("accent-soft")[scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_names_upon_areas_can_be_read(scheme):
    upon_dark, upon_light = values("on-dark")[0], values("on-light")[0]
    swapped = {0, 2} if scheme == DARK else set()
    for k in range(8):
        dark = k in {0, 2, 5, 6} - swapped
        assert contrast(values(f"s{k}")[scheme], upon_dark if dark else upon_light) >= 4.4
