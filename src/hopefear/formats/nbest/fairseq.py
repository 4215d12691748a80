"""The output of fairseq-generate and fairseq-interactive: lines S-, T-, H-, D- and P-.

::

    S-3     the source
    T-3     the reference
    H-3     -0.5    the hyp@@ othesis
    D-3     -0.5    the hypothesis
    P-3     -0.25 -0.5 -0.75

fairseq writes logarithms of base 2, by default divided by the length. The features are natural
logarithms; P- lines give the sum before the division.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from hopefear.errors import FormatError
from hopefear.formats.base import group_hypotheses, nbest_formats
from hopefear.formats.fields import parse_number, parse_sentence, split_blanks
from hopefear.formats.files import Source
from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment

__all__ = ["FairseqNBest", "fairseq_targets"]

_LINE = re.compile(r"([A-Z])-([0-9]{1,10})\t")


_LOG_2 = math.log(2)


@nbest_formats.register("fairseq")
@settings
class FairseqNBest:
    """Hypotheses with the features `logprob` and `length`.

    `logprob` is the sum of the natural logarithms of the tokens' probabilities, and `length` the
    number of tokens, including the end of the sentence; both need P- lines. Without them the only
    feature is `score`, fairseq's normalized natural logarithm. The text comes from the D- line, if
    there is one.
    """

    tokens: bool = setting(False, "Use the tokens of the H- line as the text.")

    def sniff(self, source: Source) -> bool:
        """Look for S-, H- or O- lines, which may follow a log."""
        kinds = [found[1] for line in source.head() if (found := _LINE.match(line))]
        return any(kind in "SHO" for kind in kinds)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses, skipping other lines such as those of the log."""
        return group_hypotheses(self._hypotheses(source))

    def _hypotheses(self, source: Source) -> Iterator[tuple[int | str, Hypothesis]]:
        sentence: int | str = 0
        current: Hypothesis | None = None
        for number, line in source:
            found = _LINE.match(line)
            if not found or found[1] not in "HDP":
                continue
            try:
                if found[1] == "H":
                    if current:
                        yield sentence, current
                    sentence, current = parse_sentence(found[2]), _scored(line)
                elif current is None or parse_sentence(found[2]) != sentence:
                    raise FormatError(f"the line {found[0].strip()} does not follow its H- line")
                elif found[1] == "P":
                    current = replace(current, features=_token_features(line))
                elif not self.tokens:
                    current = replace(current, text=_scored(line).text)
            except FormatError as error:
                raise source.error(number, str(error)) from None
        if current:
            yield sentence, current


def fairseq_targets(source: Source) -> list[str]:
    """Read the references from the T- lines, in the order of the sentences."""
    targets: dict[int, str] = {}
    for _, line in source:
        found = _LINE.match(line)
        if found and found[1] == "T":
            targets[int(found[2])] = line[found.end() :]
    missing = next((i for i in range(max(len(targets), 1)) if i not in targets), None)
    if missing is not None:
        raise FormatError(f"{source.name}: the line T-{missing} is missing")
    return [targets[i] for i in range(len(targets))]


def _scored(line: str) -> Hypothesis:
    cells = line.split("\t", 2)
    if len(cells) != 3:
        raise FormatError(f"expected a score and a text after {cells[0]}, found {line!r}")
    score = parse_number(cells[1]) * _LOG_2
    return Hypothesis(text=cells[2], features={"score": score}, score=score)


def _token_features(line: str) -> dict[str, float]:
    scores = [parse_number(word) for word in split_blanks(line.partition("\t")[2])]
    return {"logprob": math.fsum(scores) * _LOG_2, "length": float(len(scores))}
