"""discreet serve: serve runs over HTTP from one folder."""

from __future__ import annotations

from pathlib import Path

import click

from discreet.cli import interrupts
from discreet.cli.operating import needing
from discreet.errors import DiscreetError


@click.command(epilog="Example: discreet serve ./decisions --port 8000")
@click.argument("folder", type=click.Path(path_type=Path), default=Path("discreet-service"))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=int,
    default=8000,
    show_default=True,
    help="Port to listen on; 0 for any free port.",
)
@click.option(
    "--database",
    metavar="URL",
    help="Database: sqlite:///PATH or postgresql://...; by default a file in the folder.",
)
@click.option(
    "--witness",
    metavar="URL",
    help="Witness, which records how far each run is: postgresql://... on another server, or a "
    "file; by default a file in the folder.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Origin of a web page that may call the service (repeatable).",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0.0),
    default=10_000.0,
    show_default=True,
    help="Requests per second for each token; 0 for no limit.",
)
@click.option(
    "--budget",
    type=float,
    metavar="EPSILON",
    help="Budget that all runs are charged to when they are created; given once.",
)
@click.option(
    "--budget-delta", type=float, show_default="0", help="Delta of the budget; needs --budget."
)
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="Address of a proxy whose X-Forwarded-For header is trusted.",
)
def serve(
    folder: Path,
    host: str,
    port: int,
    database: str | None,
    witness: str | None,
    origins: tuple[str, ...],
    rate: float,
    budget: float | None,
    budget_delta: float | None,
    proxy: str | None,
) -> None:
    """Serve runs over HTTP from FOLDER, which is created if it does not exist.

    The folder holds the database, the secret of all keys, the witness and device tasks; only its
    owner can read it. The command prints the address and, on the first start, an admin token for
    all runs. On SIGTERM it finishes work in progress, closes the database and exits with code 0.
    """
    if budget is None and budget_delta is not None:
        raise DiscreetError("--budget-delta needs --budget.")
    with needing("the service", "serve"):
        from discreet.service.host import Budget
        from discreet.service.server import ListenAddress, serve
        from discreet.service.settings import ServiceFolder, Settings
    settings = Settings(origins=origins, rate=rate, burst=2.0 * rate)
    code = serve(
        ServiceFolder.make(folder),
        ListenAddress(host, port, proxy),
        settings,
        url=database,
        witness=witness,
        budget=None if budget is None else Budget(budget, budget_delta or 0.0),
        say=click.echo,
        stop_with=interrupts.stop_with,
    )
    if code:
        raise DiscreetError("the service could not start: see its log.")
