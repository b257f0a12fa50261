"""Logs of the service, without bodies, tokens, outcomes or names of decisions.

Requests are logged by route and run; decisions only if they are refused, or at the level "debug". A
request with an outcome is not logged at all: whether and when it arrived may be what the guarantee
covers.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from typing import TextIO

LOGGER = logging.getLogger("discreet.service")


class PlainFormatter(logging.Formatter):
    """One line per event, in UTC; never a traceback, whose messages may show raw data."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        message = record.getMessage().replace("\n", " ").replace("\r", " ")
        return f"{at}.{int(record.msecs):03d}Z {record.levelname.lower()} {message}"


def start_logging(stream: TextIO | None = None, level: str = "info") -> None:
    """Write the service's log to a stream, and the web server's log without its requests."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(PlainFormatter())
    for logger in (LOGGER, logging.getLogger("uvicorn.error")):
        logger.handlers[:] = [handler]
        logger.setLevel(level.upper())
        logger.propagate = False
    # of asyncio, failures only: other messages may show the content of a task
    logging.getLogger("asyncio").disabled = True


def log_event(event: str, **facts: object) -> None:
    """Log an event."""
    LOGGER.info(" ".join([event, *(f"{name}={value}" for name, value in facts.items())]))


def log_request(method: str, route: str, run: str, status: int, seconds: float, who: str) -> None:
    """Log a request by its route: paths contain names chosen by callers."""
    LOGGER.info(
        "request method=%s route=%s run=%s status=%d ms=%.1f token=%s",
        method,
        route,
        run or "-",
        status,
        1000.0 * seconds,
        who or "-",
    )


def log_writing(reason: str | None) -> None:
    """Log that the database cannot be written, and why; or, without a reason, that it can again."""
    if reason is None:
        LOGGER.warning("the database can be written again")
    else:
        LOGGER.error("the database cannot be written, so requests are refused: %s", reason)


def log_failure(what: str, error: BaseException) -> None:
    """Log an unexpected error: its type and place, but not its message, which may show raw data."""
    places = traceback.extract_tb(error.__traceback__)
    place = f"{places[-1].filename}:{places[-1].lineno}" if places else "an unknown place"
    notes = [each for each in vars(error).get("__notes__", ()) if each.startswith("raised in ")]
    LOGGER.error("%s failed: %s at %s", what, type(error).__name__, notes[0] if notes else place)
