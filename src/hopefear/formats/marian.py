"""Marian's n-best lists: Moses' form, but more fields come before the features.

``0 ||| text ||| 0-0 1-1 ||| WordScores= -0.1 -0.2 ||| F0= -1.7 ||| -1.7``

Lists without alignments and word scores are in Moses' form and recognized as such, or, where a
single scorer makes Marian leave out the blank (``F0=-1.7``), in cdec's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hopefear.formats.bar_lines import bar_fields, read_bar_lines
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import split_blanks
from hopefear.formats.files import Source
from hopefear.nbest import BarLayout
from hopefear.types import Segment

__all__ = ["MarianNBest"]

_WORD_SCORES = "WordScores"


@nbest_formats.register("marian")
@dataclass(frozen=True, kw_only=True)
class MarianNBest:
    """The score is the last field, the features are the last but one; word scores are skipped."""

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        return BarLayout(features=-2, total=-1, ignored=[_WORD_SCORES])

    def sniff(self, source: Source) -> bool:
        """Look for word scores, or for features that are not in the third field."""
        rows = bar_fields(source, 4)
        words = [word for row in rows for field in row[2:] for word in split_blanks(field)]
        labels = [any("=" in word for word in split_blanks(row[2])) for row in rows]
        late = [len(row) > 4 and "=" in row[-2] for row in rows]
        return f"{_WORD_SCORES}=" in words or (rows != [] and all(late) and not any(labels))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)
