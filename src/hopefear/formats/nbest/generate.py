"""What generate() of Hugging Face's transformers returns, decoded and saved as JSON.

::

    {"sequences": ["the house", "a house"], "sequences_scores": [-0.25, -0.5]}

One object holds the sequences of one sentence, or those of a batch with `generate:size=N`, the
number of sequences per sentence (num_return_sequences).
"""

from collections.abc import Iterator

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import json_list, json_number, json_object, json_text
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment

__all__ = ["GenerateNBest"]

EXAMPLE = """
{"sequences": ["the house", "a house"], "sequences_scores": [-0.25, -0.5]}
{"sequences": ["a dog", "one dog"], "sequences_scores": [-0.125, -0.75]}"""


@nbest_formats.register("generate")
@settings
class GenerateNBest:
    """Hypotheses with the feature `score`."""

    size: int | None = setting(None, "Sequences per sentence, if objects hold batches.", least=1)

    def sniff(self, source: Source) -> bool:
        """Look for sequences."""
        first = first_json(source)
        return isinstance(first, dict) and isinstance(first.get("sequences"), list)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses; sentences are numbered in their order."""
        sentence = 0
        for line, item in json_items(source):
            try:
                hypotheses = _hypotheses(item)
                size = self.size or max(1, len(hypotheses))
                if len(hypotheses) % size:
                    problem = f"{len(hypotheses)} sequences are not a multiple of size={size}"
                    raise FormatError(problem)
            except FormatError as error:
                raise source.error(line, f"{error}; for example:{EXAMPLE}") from None
            for begin in range(0, max(1, len(hypotheses)), size):
                group = tuple(hypotheses[begin : begin + size])
                yield Segment(sentence=sentence, hypotheses=group)
                sentence += 1


def _hypotheses(item: object) -> list[Hypothesis]:
    table = json_object(item, "a line")
    texts = json_list(table.get("sequences"), "'sequences'")
    if texts and not isinstance(texts[0], str):
        raise FormatError(
            "'sequences' must be texts, found tokens: decode them with tokenizer.batch_decode"
        )
    scores = json_list(table.get("sequences_scores"), "'sequences_scores'")
    if scores and len(scores) != len(texts):
        raise FormatError(f"found {len(texts)} sequences, but {len(scores)} sequences_scores")
    found = []
    for number, text in enumerate(texts):
        given = {"score": json_number(scores[number], "a score")} if scores else {}
        found.append(Hypothesis(text=json_text(text, "a sequence"), features=given))
    return found
