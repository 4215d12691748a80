"""How Sphinx makes a site of these pages, without a network (`make docs`)."""

import re
from importlib import import_module

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.writers.html5 import HTML5Translator

import hopefear

project = "hopefear"
author = "The hopefear authors"
release = hopefear.__version__
html_title = f"hopefear {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Markdown as GitHub reads it: links to headings, dollars and blocks of mathematics.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"

# Docstrings are NumPy's, with names in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
napoleon_use_param = napoleon_use_rtype = False

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

LINK = re.compile(r"\[([^]]+)\]\(([\w/-]+)\.md\)")
NAME = re.compile(r"^- `(hopefear\.[\w.]+)`.*$", re.MULTILINE)
SAMPLE = re.compile(r"^```\w+:\S+", re.MULTILINE)
FILE = re.compile(r"^```(\w+) file=(\S+)$", re.MULTILINE)
ROOM = "overflow: auto hidden; padding: 0.4em 0"  # of a formula that is too wide for a phone


def prepare(_: Sphinx, page: str, source: list[str]) -> None:
    """Adapt a page as GitHub shows it to the site."""
    text = source[0]
    if page == "index":
        text += contents(text)
    elif page == "api":
        text = NAME.sub(docstrings, text)
    # Samples of formats are named after them, and files that a page makes have names.
    text = FILE.sub(r"```{code-block} \1\n:caption: \2", SAMPLE.sub("```text", text))
    # What is linked outside this folder is offered as a copy.
    source[0] = text.replace("](../", "](path:../")


def contents(index: str) -> str:
    """Return the navigation: the headings of the first page, with the pages linked below them.

    A page in a folder, whose title is a paper's, is named by its link and its folder, a corpus.
    """
    trees = []
    for section in index.split("\n## ")[1:]:
        title, text = section.split("\n", 1)
        entries = {
            page: f"{name}, {page.split('/')[-2].capitalize()} <{page}>" if "/" in page else page
            for name, page in LINK.findall(text)
        }
        pages = "\n".join(entries.values())
        trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n")
    return "".join(trees)


def docstrings(name: re.Match[str]) -> str:
    """Return a block that shows the docstrings of a public name instead of its entry in a list."""
    home, _, last = name[1].rpartition(".")
    thing = getattr(import_module(home), last)
    if isinstance(thing, type):
        kind = "exception" if issubclass(thing, BaseException) else "class"
    else:
        kind = "function" if callable(thing) else "module"
    return f"```{{eval-rst}}\n.. auto{kind}:: {name[1]}\n```\n"


def write_formula(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    block = isinstance(node, nodes.math_block)
    try:
        formula = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        raise SphinxError(f"{node.source}:{node.line}: {error}") from error
    translator.body.append(f'<div style="{ROOM}">{formula}</div>' if block else formula)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register what is above."""
    app.connect("source-read", prepare)
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
