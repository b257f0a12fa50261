"""Numbers and times in words, and round numbers for axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
# steps of a time axis, in seconds; beyond the last one, multiples of 30 days
STEPS = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0),
    *(MINUTE * k for k in (1, 2, 5, 10, 15, 30)),
    *(HOUR * k for k in (1, 2, 3, 6, 12)),
    *(DAY * k for k in (1, 2, 7, 14, 30)),
)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return at most ``most`` round numbers between two others."""
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for factor in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0):
        step = power * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [round(step * k, 12) + 0.0 for k in range(first, last + 1)]
    return [low]


def time_ticks(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return at most ``most`` round times between two others, in UTC, with their labels."""
    span = high - low
    if not (math.isfinite(span) and span > 0.0):
        return [(low, moment(low, 1.0))] if math.isfinite(low) else []
    step = next((s for s in STEPS if span / s < most), 0.0)
    if not step:
        step = 30.0 * DAY * math.ceil(span / (30.0 * DAY * (most - 1)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    found = [(step * k, moment(step * k, step)) for k in range(first, last + 1)]
    return found or [(low, moment(low, 1.0))]


def moment(seconds: float, step: float) -> str:
    """Return the label of a time, for an axis with this step: a date, or a time of day."""
    at = datetime.fromtimestamp(round(seconds, 2), UTC)
    if step >= DAY or (step >= MINUTE and at.hour == at.minute == 0):
        return f"{at.day} {at:%b}" if step < 200.0 * DAY else f"{at:%b %Y}"
    return f"{at:%H:%M}" if step >= MINUTE else f"{at:%H:%M:%S}"


def date(seconds: float, step: float = MINUTE) -> str:
    """Return a time in UTC, to the minute; to the second, for steps of less than a minute."""
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC" if step >= MINUTE else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def iso(seconds: float) -> str:
    """Return a time for programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def short(number: float) -> str:
    """Return a number in few characters, such as 12k."""
    for size, unit in UNITS:
        if abs(number) >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.4g}"


def rate(number: float) -> str:
    """Return a rate: whole numbers from 100 on, otherwise two digits."""
    if number >= 100.0 or number == 0.0:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10.0 else f"{number:.2g}"


def places_for(half_widths: Iterable[float]) -> int:
    """Return the number of decimals that shows two digits of the narrowest interval."""
    least = min((half for half in half_widths if half > 0.0), default=0.01)
    return min(max(1 - math.floor(math.log10(least)), 0), 12)


def measured(number: float, places: int) -> str:
    """Return a number with this many decimals, and a true minus sign."""
    text = f"{number:,.{places}f}"
    return text.replace("-", "" if float(text.replace(",", "")) == 0.0 else "−")


def small(number: float) -> str:
    """Return a small number such as a delta: 10⁻⁶, or 2 × 10⁻⁶."""
    digits, power = f"{number:.2e}".split("e")
    if number == 0.0 or int(power) > -3:
        return f"{number:.3g}"
    raised = f"10{str(int(power)).translate(RAISED)}"
    return raised if float(digits) == 1.0 else f"{float(digits):g} × {raised}"


def percent(share: float) -> str:
    """Return a share in percent; only 0 is shown as 0 %, and only 1 as 100 %."""
    if 0.0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1.0:
        return "> 99.9 %"
    return f"{100.0 * share:.1f} %"


def span(seconds: float) -> str:
    """Return a duration in its largest unit."""
    for size, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "min")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.0f} {name}"
    if seconds >= 1.0:
        return f"{seconds:.0f} s"
    return f"{1e3 * seconds:.3g} ms"


def clipped(name: str, most: int = 28) -> str:
    """Return a name, shortened in the middle if it is long."""
    if len(name) <= most:
        return name
    head = (most - 1) * 2 // 3
    return f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}"
