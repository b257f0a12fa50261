"""Templates: everything in them is escaped, and their filters and globals are listed here."""

from __future__ import annotations

import time
from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from discreet.service.pages import charts, scales

REFRESH = 5  # seconds between two updates of an open page


class Renderer:
    """Fills templates."""

    def __init__(self, version: str, refresh: float = REFRESH) -> None:
        self._made = Environment(
            loader=PackageLoader("discreet.service.pages", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._made.filters.update(
            clipped=scales.clipped,
            date=scales.date,
            iso=scales.iso,
            number=lambda value: f"{value:,}",
            percent=scales.percent,
            rate=scales.rate,
            short=scales.short,
            span=scales.span,
            measured=scales.measured,
            small=scales.small,
        )
        self._made.globals.update(charts=charts, version=version, refresh=refresh)

    def page(self, template: str, values: Mapping[str, object]) -> str:
        """Return a page."""
        return self._made.get_template(template).render(now=time.time(), **values)
