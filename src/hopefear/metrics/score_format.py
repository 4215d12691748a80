"""Scores of metrics as people read them."""

from collections.abc import Sequence

__all__ = ["format_scores"]


def format_scores(scores: Sequence[float | None]) -> list[str]:
    """Return scores that are shown side by side; an empty text where there is none.

    Two digits behind the point are what people know of BLEU; of scores from 0 to 1, such as a mean
    of judgements, they would show nothing.

    Examples
    --------
    >>> format_scores([36.714, None, 0.251]), format_scores([0.80619, 0.8125])
    (['36.71', '', '0.25'], ['0.8062', '0.8125'])
    """
    given = [score for score in scores if score is not None]
    digits = 4 if all(abs(score) < 2 for score in given) else 2
    return ["" if score is None else f"{score:.{digits}f}" for score in scores]
