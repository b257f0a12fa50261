"""How Sphinx makes the site; ``build.py`` has put all its pages into one folder before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes

from discreet import __version__

sys.path.insert(0, str(Path(__file__).parent))

from sections import link_sections

project = "discreet"
author = "the authors of discreet"
copyright = "2026, the authors of discreet"  # noqa: A001 - Sphinx's name
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosectionlabel",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["gallery_scripts/*.rst"]
autosectionlabel_prefix_document = True
autosectionlabel_maxdepth = 2  # headings of pages and sections: those that docstrings name
suppress_warnings = ["config.cache", "autosectionlabel.*"]
myst_enable_extensions = ["colon_fence", "attrs_inline", "dollarmath", "amsmath"]
myst_heading_anchors = 4

mathjax_path = "tex-svg.js"  # build.py has copied it: pages load nothing from elsewhere

html_theme = "furo"
html_title = "discreet"
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db7f0", "color-brand-content": "#7db7f0"},
    "footer_icons": [],
}
pygments_style, pygments_dark_style = "friendly", "native"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autosummary_generate = True
python_maximum_signature_line_length = 88
autodoc_default_options = {
    "members": True,
    "inherited-members": True,
    "exclude-members": "__init__",
}
napoleon_numpy_docstring, napoleon_google_docstring = True, False
copybutton_prompt_text, copybutton_prompt_is_regexp = r">>> |\.\.\. |\$ ", True

sphinx_gallery_conf = {
    "examples_dirs": ["gallery_scripts"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/show_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 3600,
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": True,
    "abort_on_example_error": True,
    "write_computation_times": False,
}


def end_without_blank_lines(app: Any, doctree: nodes.document) -> None:  # noqa: ANN401 - Sphinx's
    """Take the last empty line from examples: the doctests need it, readers do not."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext()
        if text.endswith("\n"):
            block.rawsource = text.rstrip("\n")
            block.clear()
            block += nodes.Text(block.rawsource)


def link_documents(
    app: Any,  # noqa: ANN401 - Sphinx's
    what: str,
    name: str,
    obj: object,
    options: object,
    lines: list[str],
) -> None:
    """Turn "docs/proofs.md: Batches" in a docstring into a link."""
    for place, line in enumerate(lines):
        lines[place] = link_sections(
            line, lambda page, title: f":ref:`{title} <docs/{page}:{title}>`"
        )


def take_assembled_files(app: Any, config: Any) -> None:  # noqa: ANN401 - Sphinx's
    """Take style and scripts from where build.py has put them, not from beside this file."""
    config.html_static_path.append(str(Path(app.srcdir) / "static"))


def setup(app: Any) -> None:  # noqa: ANN401 - Sphinx's
    """Connect all of them."""
    app.connect("config-inited", take_assembled_files)
    app.connect("doctree-read", end_without_blank_lines)
    app.connect("autodoc-process-docstring", link_documents)
