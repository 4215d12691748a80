"""The documentation is complete and true: samples of formats, links, and names of files."""

import re
from pathlib import Path

import numpy as np
import pytest

import hopefear
from hopefear.formats import (
    detect_forests,
    detect_nbest,
    detect_weights,
    forest_formats,
    load_nbest,
    nbest_formats,
    read_forests,
    read_weights,
    weights_formats,
)
from hopefear.learners import learners

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *sorted(DOCS.glob("*.md"))]
ROOTS = [
    ROOT,
    ROOT / "src" / "hopefear",
    ROOT / "cpp" / "include" / "hopefear",
    ROOT / "cpp" / "src",
]
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^==> (.+) <==\n", re.MULTILINE)
SAMPLES = BLOCK.findall((DOCS / "formats.md").read_text(encoding="utf-8"))
NBESTS = [(kind[6:], text) for kind, text in SAMPLES if kind.startswith("nbest:")]
WEIGHTS = [(kind[8:], text) for kind, text in SAMPLES if kind.startswith("weights:")]
FORESTS = [(kind[8:], text) for kind, text in SAMPLES if kind.startswith("forests:")]
NOT_RECOGNIZED = ("flat", "joshua", "nemo")


def lay_out(text: str, folder: Path) -> Path:
    """Make the file, or the files of a listing, and return the file or folder to read."""
    parts = FILE.split(text)[1:]
    if not parts:
        parts = ["sample", text]
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder / parts[0]


@pytest.mark.parametrize(("format", "text"), NBESTS, ids=[name for name, _ in NBESTS])
def test_the_samples_of_nbest_lists_are_what_they_are_called(
    format: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = lay_out(text, tmp_path)
    path = tmp_path if format in ("espnet", "kaldi") else path
    if not format.startswith(NOT_RECOGNIZED):
        assert detect_nbest(path) == format
    nbest = load_nbest(path, format)
    assert nbest.text(0) == "the house"
    assert nbest.features_of(0)


@pytest.mark.parametrize(("format", "text"), WEIGHTS, ids=[name for name, _ in WEIGHTS])
def test_the_samples_of_weights_are_what_they_are_called(
    format: str, text: str, tmp_path: Path
) -> None:
    path = lay_out(text, tmp_path)
    assert detect_weights(path) == format
    assert len(read_weights(path)) > 1


@pytest.mark.parametrize(("format", "text"), FORESTS, ids=[name for name, _ in FORESTS])
def test_the_samples_of_forests_are_what_they_are_called(
    format: str, text: str, tmp_path: Path
) -> None:
    path = lay_out(text, tmp_path)
    path = tmp_path if FILE.match(text) else path
    assert detect_forests(path) == format
    ((_, forest),) = read_forests(path)
    best = forest.viterbi(edge_scores=np.zeros(forest.edge_count))
    assert [word for word in best.words if word not in ("<s>", "</s>")] == ["the", "house"]


def test_every_format_has_a_sample_in_the_documentation() -> None:
    assert sorted({name.partition(":")[0] for name, _ in NBESTS}) == list(nbest_formats)
    assert sorted(name for name, _ in WEIGHTS) == list(weights_formats)
    assert sorted({"hopefear", *(name for name, _ in FORESTS)}) == list(forest_formats)


def test_the_contents_name_every_page() -> None:
    named = re.findall(r"\]\(([\w/-]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8"))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert {"index.md", *named} == pages


def test_the_page_of_functions_names_everything_public() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    named = re.findall(r"^- `hopefear\.(\w+)`", text, re.MULTILINE)
    assert sorted({*hopefear.__all__} - {*named}) == ["__version__"]
    assert len(named) == len({*named})


def test_the_page_of_learners_explains_and_draws_all_of_them() -> None:
    text = (DOCS / "how-learners-work.md").read_text(encoding="utf-8")
    assert [name for name in learners if not re.search(rf"[`{{]{name}[`}}]", text)] == []
    pictures = sorted((DOCS / "pictures" / "learners").glob("*.svg"))
    assert [picture.name for picture in pictures if picture.name not in text] == []


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    broken = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_source_files_that_a_page_names_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    names = re.findall(r"`([\w/]+\.(?:py|hpp|cpp))`", text)
    found = [name for name in names if not any((root / name).exists() for root in ROOTS)]
    assert found == []
