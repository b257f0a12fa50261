"""Make the documentation site: ``python docs/site/build.py [FOLDER]``, which is build/docs.

Pages that people wrote are copied, pages about algorithms, papers, environments, commands and the
interface are made from the package itself, and Sphinx makes HTML of all of them, offline.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

SITE = Path(__file__).resolve().parent
ROOT = SITE.parent.parent
sys.path.insert(0, str(SITE))

from cards import write_cards  # noqa: E402
from links import broken_links  # noqa: E402
from pictures import with_environment_pictures, with_shadows  # noqa: E402
from reference import write_reference  # noqa: E402

INSIDE = ("DESIGN.md", "CONTRIBUTING.md", "NOTATION.md", "CHANGELOG.md", "SECURITY.md")
ADDED = {"environments.md": with_environment_pictures, "sets.md": with_shadows}
FILE = re.compile(r"\]\((\.\./)?((?:examples|src|tests|benchmarks|clients|deploy)(?:/[^)#]*)?)\)")


def assemble(source: Path) -> int:
    """Put everything that Sphinx reads into one folder; return how many cards there are."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(SITE / "start", source / "start")
    shutil.move(source / "start" / "index.md", source / "index.md")
    shutil.copytree(SITE / "tutorials", source / "tutorials")
    shutil.copytree(ROOT / "examples", source / "examples", ignore=_notebooks)
    shutil.copy(ROOT / "clients" / "js" / "example" / "page.js", source / "examples")
    shutil.copytree(SITE / "static", source / "static")
    shutil.copy(_mathjax(), source / "static")
    shutil.copytree(SITE / "gallery", source / "gallery_scripts")
    (source / "docs").mkdir()
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page.name != "papers.md":  # which is split
            text = ADDED.get(page.name, str)(page.read_text())
            (source / "docs" / page.name).write_text(_adapted(text))
    for picture in (ROOT / "docs").glob("*.png"):
        shutil.copy(picture, source / "docs")
    for name in INSIDE:
        text = _adapted((ROOT / name).read_text()).replace("](docs/papers.md", "](papers.md")
        (source / name).write_text(text)
    write_reference(source, ROOT)
    return write_cards(source)


_notebooks = shutil.ignore_patterns("notebooks", "__pycache__")


def _mathjax() -> Path:
    """Return the script that typesets formulas, from the package that brings it."""
    found = importlib.util.find_spec("sphinx-mathjax-offline")
    if found is None or found.origin is None:
        raise SystemExit("The extra docs is missing: pip install 'discreet[docs]'.")
    return Path(found.origin).parent / "static" / "mathjax" / "tex-svg.js"


def _adapted(text: str) -> str:
    """Return a page with one main heading, and names in place of links to source files."""
    title, *rest = text.split("\n")
    fenced, lines = False, [title]
    several = sum(line.startswith("# ") for line in _prose(rest)) > 0
    first = several  # what comes before the second main heading gets one as well
    for line in rest:
        fenced ^= line.startswith("```")
        if first and line.startswith("## "):
            lines += ["## Arms", ""]
            first = False
        lines.append(f"#{line}" if several and not fenced and re.match("#+ ", line) else line)
    text = "\n".join(lines)
    text = re.sub(r"\[([^\]]*)" + FILE.pattern, lambda found: f"`{found[3]}`", text)
    return text.replace("](../README.md", "](../index.md").replace("](papers.md", "](../papers.md")


def _prose(lines: list[str]) -> list[str]:
    """Return lines that are not code."""
    fenced, found = False, []
    for line in lines:
        fenced ^= line.startswith("```")
        if not fenced:
            found.append(line)
    return found


def main() -> None:
    """Assemble the pages, and run Sphinx with warnings as errors."""
    began = time.perf_counter()
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "docs")
    source, pages = folder / "source", folder / "html"
    cards = assemble(source)
    shutil.rmtree(pages, ignore_errors=True)  # with all that is left of earlier sites
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-c", str(SITE), "-W", "--keep-going"]
    command += ["-q", "-E", "-j", "auto"]
    made = subprocess.run([*command, str(source), str(pages)], check=False)
    if made.returncode:
        raise SystemExit(made.returncode)
    broken = broken_links(pages)
    if broken:
        raise SystemExit("\n".join(["Broken links:", *broken]))
    count = sum(1 for _ in pages.rglob("*.html"))
    seconds = time.perf_counter() - began
    print(f"{count} pages, {cards} of them algorithms, in {seconds:.0f} s, no broken link:")
    print(f"{pages}/index.html")


if __name__ == "__main__":
    main()
