"""Progress bars of commands."""

from discreet.cli.simulate import progress_bar

__all__ = ["progress_bar"]
