"""What is done to texts before they are used."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import hopefear
from hopefear.errors import ConfigError
from hopefear.text.normalization import Normalization
from small_models import write_bitext


class Tokenizer:
    """Stands in for that of sacremoses: it sets full stops apart."""

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def tokenize(self, line: str, *, return_str: bool, escape: bool) -> str:
        assert return_str
        assert not escape
        return line.replace(".", f" <{self.lang}> ").strip()

    def detokenize(self, words: list[str], *, unescape: bool) -> str:
        assert not unescape
        return "".join(words)

    def normalize(self, line: str) -> str:
        return line.replace("“", '"')


@pytest.fixture
def sacremoses(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        MosesTokenizer=Tokenizer, MosesDetokenizer=Tokenizer, MosesPunctNormalizer=Tokenizer
    )
    monkeypatch.setitem(sys.modules, "sacremoses", module)


def test_texts_do_not_change_by_default() -> None:
    plain = Normalization()
    assert plain.does_nothing
    assert plain.source()("Ein  Haus.") == "Ein  Haus."
    assert not Normalization(lowercase=True).does_nothing


def test_lowercase_and_canonical_forms_keep_the_words() -> None:
    chosen = Normalization(lowercase=True, unicode="nfc")
    assert chosen.keeps_words
    assert chosen.target()("A\N{COMBINING DIAERESIS}rger HIER") == "ärger hier"
    # A compatibility form may have blanks where there were none.
    assert not Normalization(unicode="nfkc").keeps_words


@pytest.mark.usefixtures("sacremoses")
def test_each_side_is_tokenized_in_its_language() -> None:
    chosen = Normalization(
        tokenize="sacremoses", punctuation=True, source_language="de", target_language="fr"
    )
    assert chosen.source()("“Ein Haus.") == '"Ein Haus <de>'
    assert chosen.target()("Une maison.") == "Une maison <fr>"
    assert chosen.detokenize()("une maison .") == "unemaison."
    assert not chosen.keeps_words


def test_a_missing_package_is_an_error_with_the_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    with pytest.raises(ConfigError, match=r"pip install 'hopefear\[tokenize\]'"):
        Normalization(tokenize="sacremoses").source()


@pytest.mark.usefixtures("sacremoses")
def test_input_is_normalized_like_the_bitext(tmp_path: Path) -> None:
    source, target = write_bitext(tmp_path, every=7)
    for path in (source, target):
        path.write_text(path.read_text().replace("\n", ".\n").upper())
    model = hopefear.train(
        out=tmp_path / "model",
        source=source,
        target=target,
        aligner="diagonal",
        tokenize="sacremoses",
        lowercase=True,
        source_language="cs",
    )
    (found,) = hopefear.translate(model, ["Velký PES vidí dům."])
    assert found.source == ("velký", "pes", "vidí", "dům", "<cs>")
    assert found.text == "dog big sees house <en>"
    (found,) = hopefear.translate(model, ["Velký PES vidí dům."], detokenize=True)
    assert found.text == "dogbigseeshouse<en>"


@pytest.mark.skipif(
    importlib.util.find_spec("sacremoses") is None, reason="sacremoses is not installed"
)
def test_the_real_tokenizer_sets_punctuation_apart() -> None:
    chosen = Normalization(tokenize="sacremoses", lowercase=True)
    assert chosen.source()("It's a [test], isn't it?") == "it 's a [ test ] , isn 't it ?"
    assert chosen.detokenize()("a house , a garden .") == "a house, a garden."
