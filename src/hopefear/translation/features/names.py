"""Names of features that are made of words."""

from enum import Enum

__all__ = ["Special", "feature_name"]


class Special(Enum):
    """What is no word; no word can be taken for it."""

    UNKNOWN = "<unk>"
    NULL = "<null>"


# What separates words, what formats of weights and n-best lists end a name with, and what begins
# the names above.
_ESCAPES = str.maketrans({c: f"%{ord(c):02X}" for c in "%/=|<:"})


def feature_name(kind: str, *words: str | Special) -> str:
    """Return the name of a feature of this kind; words are separated by slashes.

    The characters ``% / = | < :`` of words are written as in addresses of the web, so that names
    are different for different words and can be read in any format.

    Examples
    --------
    >>> feature_name("lex", "chat", "cat")
    'lex:chat/cat'
    >>> feature_name("lex", Special.NULL, "1/2")
    'lex:<null>/1%2F2'
    """
    shown = (w.value if isinstance(w, Special) else w.translate(_ESCAPES) for w in words)
    return f"{kind}:{'/'.join(shown)}"
