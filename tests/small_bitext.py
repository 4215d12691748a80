"""A tiny, unambiguous bitext: adjectives follow nouns on the target side."""

import itertools
from pathlib import Path

ADJECTIVES = {"velký": "big", "malý": "small", "starý": "old", "nový": "new"}
NOUNS = {"dům": "house", "pes": "dog", "muž": "man", "vlak": "train"}
VERBS = {"vidí": "sees", "hledá": "seeks"}


def sentence_pairs() -> list[tuple[str, str]]:
    """Return sentences such as 'velký pes vidí dům' and 'dog big sees house'."""
    phrases = [
        (f"{a} {n}", f"{NOUNS[n]} {ADJECTIVES[a]}") for a, n in itertools.product(ADJECTIVES, NOUNS)
    ] + list(NOUNS.items())
    pairs = []
    for i, (subject, object_) in enumerate(itertools.product(phrases, phrases)):
        verb = list(VERBS)[i % 2]
        pairs.append(
            (f"{subject[0]} {verb} {object_[0]}", f"{subject[1]} {VERBS[verb]} {object_[1]}")
        )
    return pairs


def write_bitext(directory: Path, *, every: int = 1) -> tuple[Path, Path]:
    """Write some of the sentences and return both files."""
    pairs = sentence_pairs()[::every]
    source, target = directory / "train.f", directory / "train.e"
    source.write_text("".join(f"{f}\n" for f, _ in pairs), encoding="utf-8")
    target.write_text("".join(f"{e}\n" for _, e in pairs), encoding="utf-8")
    return source, target
