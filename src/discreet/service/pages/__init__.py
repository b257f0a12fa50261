"""Pages for people: what a run promises, how it is doing, and what it has found."""

from discreet.service.pages.routes import routes

__all__ = ["routes"]
