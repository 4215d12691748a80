"""Whether texts are tokenized already: words and punctuation separated by blanks.

Tokenizing such texts again splits what belongs together, and taking texts as people write them for
words makes `house` and `house.` two words. Both give scores that are not what they seem to be.
"""

import re
from collections.abc import Iterable

from hopefear.metrics.references import References

__all__ = ["check_tokenization", "is_tokenized"]

_SEPARATE = re.compile(r"(?<!\S)[.,!?;:](?!\S)")
_ATTACHED = re.compile(r"\w[.,!?;:](?!\S)")
# Punctuation marks to be seen before anything is said, in all and a text (transcripts of speech
# have a stray one here and there), and the share that must be of one kind: abbreviations keep their
# full stop.
FEWEST, FEWEST_A_TEXT, MOST = 10, 0.05, 0.9
SENTENCES = 1000


def is_tokenized(texts: Iterable[str]) -> bool | None:
    """Say whether punctuation stands for itself nearly everywhere; None if that is not clear.

    Examples
    --------
    >>> is_tokenized(["hope , not fear ."] * 5), is_tokenized(["Hope, not fear."] * 5)
    (True, False)
    >>> is_tokenized(["no mark at all"]) is None
    True
    """
    separate = attached = count = 0
    for text in texts:
        count += 1
        separate += len(_SEPARATE.findall(text))
        attached += len(_ATTACHED.findall(text))
    seen = separate + attached
    if seen < max(FEWEST, FEWEST_A_TEXT * count) or MOST * seen > max(separate, attached):
        return None
    return separate > attached


def check_tokenization(tokenize: str | None, references: References) -> str | None:
    """Return what is wrong with a tokenizer for these references, and what would do."""
    if tokenize not in ("13a", "intl", "none"):
        return None
    tokenized = is_tokenized(text for texts in references.sentences[:SENTENCES] for text in texts)
    if tokenized and tokenize != "none":
        return (
            f"{references.prefix}the references are tokenized already (punctuation stands between "
            f"blanks), but the tokenizer {tokenize} is to tokenize them again; --tokenize none "
            "(metric.tokenize) takes the words as they are"
        )
    if tokenized is False and tokenize == "none":
        return (
            f"{references.prefix}the references are not tokenized (punctuation is attached to "
            "words), but words are to be taken as they are; --tokenize 13a (metric.tokenize) "
            "separates them"
        )
    return None
