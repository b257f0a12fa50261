"""The notebooks of ``examples/notebooks`` run from top to bottom, and show what they should."""

from __future__ import annotations

import json
import warnings

import pytest
from common import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SHOWN = {
    "compare": (
        "Regret after 10,000 rounds",
        "<progress value",
        "image/png",
        "with at most 1 switch",
    ),
    "live": ("1-differential privacy", "round", "Mean rewards with 90 % intervals"),
    "extend": ("1-differential privacy", "slowly-better", "less regret in"),
}


def test_there_are_three_without_stored_outputs():
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs")
            assert max(map(len, "".join(cell["source"]).splitlines())) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.long
def test_a_notebook_runs(path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that run notebooks
        import nbclient
        import nbformat

        monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        book = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    outputs = json.dumps(book.cells, ensure_ascii=False)
    for text in SHOWN[path.stem]:
        assert text in outputs, text
    html = [
        output["data"]["text/html"]
        for cell in book.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert len(html) >= 3
    for text in html:
        assert "<script" not in text
        assert "http" not in text
