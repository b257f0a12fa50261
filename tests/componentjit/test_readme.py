"""The README of componentjit shows code that runs: its blocks are those of an example."""

import re
from pathlib import Path

from common import ROOT

import componentjit

README = Path(componentjit.__file__).parent / "README.md"


def test_its_code_is_that_of_the_example():
    text, example = README.read_text(), (ROOT / "examples" / "inventory.py").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        assert block in example
