"""Markup that is escaped as it is made: what is not markup already is text."""

import re
from html import escape

__all__ = ["Markup", "element", "join"]

# What XML 1.0 cannot hold, however it is written, and lone halves of pairs, which UTF-8 cannot.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is markup; any other text is escaped before it becomes part of markup."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """Return an element; content that is no Markup, and every attribute, is escaped.

    An attribute that is None is left out; underscores in names become hyphens, a last one goes.

    Examples
    --------
    >>> element("p", "a < b", element("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    given = [
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return Markup(f"<{name}{''.join(given)}>{join(*content)}</{name}>")


def join(*content: str) -> Markup:
    """Return pieces one after the other; those that are no Markup are escaped."""
    return Markup("".join(x if isinstance(x, Markup) else _escaped(x) for x in content))


def _escaped(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))
