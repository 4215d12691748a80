"""Answers of OpenAI's API and of servers that speak it, such as vLLM: one response a sentence.

::

    {"id": "cmpl-1", "choices": [{"index": 0, "text": "the house", "logprobs": {...}}, ...]}

The features are `logprob`, the sum of the tokens' log probabilities, and `tokens`, their number, so
that the weights of the two can replace any length normalization. Chats have their text in a
message, and batches have the response in a body and the key of the sentence in `custom_id`.
"""

from collections.abc import Collection, Iterator, Mapping

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import json_list, json_number, json_object, json_text
from hopefear.formats.files import Source
from hopefear.formats.json_items import first_json, json_items
from hopefear.formats.nbest.columns import ColumnFormat, sentence_of
from hopefear.settings import settings
from hopefear.types import Hypothesis, Segment

__all__ = ["ChoicesNBest", "token_features"]

EXAMPLE = """
{"choices": [{"text": "the house", "logprobs": {"token_logprobs": [-0.5, -0.25]}}]}
{"choices": [{"message": {"content": "a dog"}, "logprobs": {"content": [{"logprob": -0.5}]}}]}"""


@nbest_formats.register("choices")
@settings
class ChoicesNBest(ColumnFormat):
    """Hypotheses with the features `logprob` and `tokens`."""

    def sniff(self, source: Source) -> bool:
        """Look for choices."""
        first = first_json(source)
        return isinstance(first, dict) and isinstance(_body(first).get("choices"), list)

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses; the responses are in the order of the sentences, or have keys."""
        for number, (line, item) in enumerate(json_items(source)):
            try:
                response = json_object(item, "a response")
                named = response.get(self.sentence or "custom_id")
                choices = json_list(_body(response).get("choices"), "'choices'")
                yield Segment(
                    sentence=number if named is None else sentence_of(named),
                    hypotheses=tuple(self._hypothesis(choice) for choice in choices),
                )
            except FormatError as error:
                raise source.error(line, f"{error}; for example:{EXAMPLE}") from None

    def _hypothesis(self, choice: object) -> Hypothesis:
        table = json_object(choice, "a choice")
        message = json_object(table.get("message"), "a message")
        text = message.get("content") if message else table.get(self.text or "text")
        if message and text is None:  # a refusal, or the call of a tool
            text = ""
        features = token_features(table, self.ignore)
        return Hypothesis(text=json_text(text, "the text of a choice"), features=features)


def _body(response: Mapping[str, object]) -> Mapping[str, object]:
    """Return the response itself, which batches wrap."""
    wrapped = response.get("response")
    body = wrapped.get("body") if isinstance(wrapped, dict) else None
    return body if isinstance(body, dict) else response


def token_features(table: Mapping[str, object], ignore: Collection[str]) -> dict[str, float]:
    """Return the sum of the tokens' log probabilities and the number of tokens, where given.

    The first token of a prompt that is echoed has no log probability; it does not count.
    """
    told = table.get("logprobs")
    values: list[float] | None = None
    if isinstance(told, dict):
        listed = told.get("token_logprobs")
        if listed is None and isinstance(told.get("content"), list):
            content = json_list(told["content"], "'content'")
            listed = [json_object(token, "a token").get("logprob") for token in content]
        if listed is not None:
            given = (x for x in json_list(listed, "'token_logprobs'") if x is not None)
            values = [json_number(x, "a log probability") for x in given]
    elif isinstance(table.get("token_logprobs"), list):
        given = (x for x in json_list(table["token_logprobs"], "'token_logprobs'") if x is not None)
        values = [json_number(x, "a log probability") for x in given]
    if values is not None:
        found = {"logprob": sum(values), "tokens": float(len(values))}
    else:
        ids, total = table.get("token_ids"), table.get("cumulative_logprob")
        found = {} if total is None else {"logprob": json_number(total, "'cumulative_logprob'")}
        if isinstance(ids, list):
            found["tokens"] = float(len(ids))
    return {name: value for name, value in found.items() if name not in ignore}
