"""Build the release and try it in clean environments: ``make wheels``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["build", "smoke"]
LARGEST = 2 * 1024 * 1024  # bytes of a wheel


@nox.session(python="3.11")
def build(session: nox.Session) -> None:
    """Build wheel and sdist, and check what is in them."""
    session.install("build", "twine", "hatchling")
    session.run("python", "-c", "import shutil; shutil.rmtree('dist', ignore_errors=True)")
    session.run("python", "-m", "build", "--no-isolation", "--outdir", "dist", silent=True)
    files = [str(path) for path in sorted(Path("dist").iterdir())]
    session.run("python", "-m", "twine", "check", "--strict", *files)
    (wheel,) = Path("dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    found = [name for name in names if name.startswith("tests/") or "/tests/" in name]
    if found or wheel.stat().st_size > LARGEST:
        session.error(f"{wheel.name}: {wheel.stat().st_size:,} bytes, tests {found[:3]}")
    session.log(f"{wheel.name}: {wheel.stat().st_size:,} bytes, {len(names)} files")


@nox.session(python=["3.11", "3.12", "3.13"])
@nox.parametrize("kind", ["whl", "tar.gz"])
def smoke(session: nox.Session, kind: str) -> None:
    """Install the wheel, or the sdist, without anything of this folder, and use it."""
    (file,) = Path("dist").glob(f"*.{kind}")
    session.install(f"{file.resolve()}[exact,output]")
    script = Path("tests/release/smoke.py").resolve()
    session.chdir(session.create_tmp())
    session.run("python", str(script))
    session.run(
        "discreet", "simulate", "batched-exp3", "--rounds", "2000", "--trials", "2", silent=True
    )
