"""Rules about the repository itself that no linter checks."""

import ast
import importlib
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import sacrebleu

import hopefear
from hopefear.formats import forest_formats, nbest_formats, weights_formats
from hopefear.learners import learners
from hopefear.losses import losses
from hopefear.metrics import metrics
from hopefear.metrics.base import sacrebleu_version
from hopefear.parallel import strategies
from hopefear.presets import load_presets
from hopefear.registry import Registry
from hopefear.regularizers import regularizers
from hopefear.text.tokenizers import TokenizerName, tokenizer
from hopefear.translation.features import templates

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hopefear"
TESTS = ROOT / "tests"
MODULES = sorted(PACKAGE.rglob("*.py"))
CODE = {".py", ".cpp", ".hpp"}

# The thin faces of the compiled core: all others go through them.
FACES = {
    "candidates",
    "forest",
    "formats",
    "grammar",
    "learners",
    "losses",
    "metrics",
    "nbest",
    "search",
    "threads",
    "translation",
    "types",
}


# Everything else is in a folder.
TOP = {
    "__init__",
    "api",
    "arguments",
    "commands",
    "errors",
    "events",
    "grammar",
    "limits",
    "losses",
    "nbest",
    "reference",
    "registry",
    "regularizers",
    "rhythm",
    "threads",
    "types",
}


def tracked() -> list[Path]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    paths = [ROOT / name for name in names.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def text_of(path: Path) -> str:
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode()


def places(pattern: str, paths: list[Path]) -> list[str]:
    """Where a pattern occurs, as file:line."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in enumerate(text_of(path).split("\n"), 1)
        if re.search(pattern, line)
    ]


def test_every_file_is_of_a_kind_that_belongs_here() -> None:
    """What a trial run left behind has no ending, or one of its own."""
    kinds = {".md", ".toml", ".txt", ".cff", ".cmake", ".svg", ".pyi", ".typed", ".js", ".css"}
    kinds |= {".yaml", ".html"}
    plain = {"LICENSE", "Makefile", "NOTICE", "run", ".gitignore", ".importlinter"}
    plain |= {".clang-format", ".clang-tidy"}
    data, pictures = TESTS / "data", ROOT / "docs" / "pictures"
    others = [path for path in tracked() if path.suffix not in CODE | kinds]
    others = [path for path in others if (path.parent, path.suffix) != (pictures, ".png")]
    found = [path for path in others if path.name not in plain and data not in path.parents]
    assert [str(path.relative_to(ROOT)) for path in found] == []


def test_no_source_file_is_longer_than_500_lines() -> None:
    code = [path for path in tracked() if path.suffix in CODE]
    assert [path.name for path in code if text_of(path).count("\n") > 500] == []


def test_the_top_of_the_package_has_only_the_named_modules() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} - TOP == set()


def test_the_files_of_learners_are_short() -> None:
    names = {learners[name].__module__ for name in learners}
    files = [Path(str(sys.modules[n].__file__)) for n in names if n.startswith("hopefear.")]
    sizes = {path.stem: text_of(path).count("\n") for path in files}
    assert [name for name, size in sizes.items() if size > 180] == []
    assert statistics.median(sizes.values()) <= 90


def test_no_header_of_the_core_lies_outside_the_folders() -> None:
    assert list((ROOT / "cpp" / "include" / "hopefear").glob("*.hpp")) == []
    assert list((ROOT / "cpp" / "src").glob("*.cpp")) == []


def test_the_folders_of_the_tests_mirror_the_package() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    extra = {Path(), Path("contracts"), Path("end_to_end")}
    missing = [
        str(folder)
        for folder in sorted(folders - extra)
        if not (PACKAGE / folder).is_dir() and not (PACKAGE / f"{folder}.py").is_file()
    ]
    assert missing == []


@pytest.mark.parametrize(
    "registry",
    [
        forest_formats,
        learners,
        losses,
        metrics,
        nbest_formats,
        regularizers,
        strategies,
        templates,
        weights_formats,
    ],
    ids=lambda registry: registry.kind,
)
def test_every_registered_name_is_in_the_documentation(registry: Registry[object]) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    shown = r"(?:`|:|--features ){}(?![\w-])"  # in backticks, as a sample, in a command
    ours = [n for n in registry if registry[n].__module__.startswith("hopefear.")]
    assert [n for n in ours if not re.search(shown.format(re.escape(n)), pages)] == []


def test_every_preset_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    assert [name for name in load_presets() if f"\n{name} " not in page] == []


def test_nothing_is_left_for_later() -> None:
    assert places(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", tracked()) == []


def test_no_check_is_switched_off_in_place() -> None:
    code = [path for path in tracked() if path.suffix in CODE]
    assert places("type: " + "ignore|no" + "qa|NO" + "LINT", code) == []


def test_no_path_of_one_machine_is_in_any_file() -> None:
    assert places(r"(?<![\w.])/(home|root|work|opt|mnt|Users)/\w", tracked()) == []


# What is written in place: logs grow, locks name their owner, a decoder's files are its own.
IN_PLACE = ("candidates/calls.py", "events.py", "formats/forests/files.py", "formats/lock.py")


def test_files_are_replaced_by_renaming() -> None:
    modules = [path for path in MODULES if str(path.relative_to(PACKAGE)) not in IN_PLACE]
    # The copy of a language model that load_language_model makes in memory is no file.
    memory = r"""(?!os\.memfd_create\("hopefear-lm"\), "wb"\))"""
    writing = rf"""open\({memory}.*["']([wax]b?\+?|rb?\+b?)["']|truncate\("""
    assert places(writing, modules) == []
    paths = r"""^ +(?!grammar|formatter)\(?\w+( / .+\))?\.write_(text|bytes)\("""
    assert places(paths, modules) == []
    assert places(r"copy(file|2)?\(\w+, target", modules) == []


def test_only_the_faces_import_the_compiled_core() -> None:
    importers = {
        path.relative_to(PACKAGE).with_suffix("").parts[0]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom) and "_core" in ast.dump(node)
    }
    assert importers - FACES == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_public_name_of_a_module_exists_and_is_listed_once(path: Path) -> None:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    names = getattr(module, "__all__", [])  # that they are sorted is checked by ruff (RUF022)
    assert [name for name in names if not hasattr(module, name)] == []
    assert len(names) == len(set(names))


def test_the_citation_and_the_changelog_know_the_version_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    released = dict(re.findall(r"^(version|date-released): (\S+)$", citation, re.MULTILINE))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[?(\S+?)\]?(?: - (\S+))?$", changelog, re.MULTILINE)
    assert sections[0] == ("Unreleased", "")
    assert sections[1] == (released["version"], released["date-released"])
    assert released["version"] == hopefear.__version__


def test_the_committed_stubs_are_those_of_the_compiled_core(tmp_path: Path) -> None:
    generated = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "hopefear._core"]
    subprocess.run([*command, "-o", str(generated)], check=True)
    committed = Path(hopefear.__file__).with_name("_core.pyi")
    assert committed.read_text() == generated.read_text(), "run 'make format'"


CPP = Path(__file__).parent.parent / "cpp"


def check(cpp: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CPP / "check_includes.py"), str(cpp)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the core's headers that a test may spoil."""
    shutil.copytree(CPP / "include", tmp_path / "include")
    return tmp_path


def test_the_core_keeps_to_its_include_contracts() -> None:
    assert check(CPP).returncode == 0, check(CPP).stdout


def test_an_include_against_the_contracts_is_reported_with_its_place(copy: Path) -> None:
    header = copy / "include" / "hopefear" / "base" / "hash.hpp"
    header.write_text('#include "hopefear/forest/forest.hpp"\n' + header.read_text())
    result = check(copy)
    assert result.returncode == 1
    assert f"{header}:1: base must not include hopefear/forest/forest.hpp" in result.stdout


def test_a_header_outside_the_folders_is_reported(copy: Path) -> None:
    stray = copy / "include" / "hopefear" / "stray.hpp"
    stray.write_text("#pragma once\n")
    result = check(copy)
    assert result.returncode == 1
    assert str(stray) in result.stdout


HEAVY = ["sacrebleu", "scipy", "rich", "click", "jinja2"]


def loaded(code: str, *others: str) -> list[str]:
    """Return the heavy packages that are there after running `code` in a new interpreter."""
    names = [*HEAVY, *others]
    command = f"{code}\nimport sys\nprint(*[name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", command], check=True, capture_output=True)
    return done.stdout.decode().split()


@pytest.mark.parametrize("module", ["hopefear", "hopefear.learners", "hopefear.api"])
def test_importing_us_loads_nothing_heavy(module: str) -> None:
    assert loaded(f"import {module}", "importlib.metadata", "email") == []


def test_texts_whose_words_are_separated_are_scored_without_sacrebleu() -> None:
    code = (
        "from hopefear.metrics import Bleu, References\n"
        "metric, references = Bleu(tokenize='none'), References([['a b']])\n"
        "metric.prepare(references).statistics(['a b']), metric.signature(references)"
    )
    assert loaded(code) == []


def test_what_we_say_of_sacrebleu_without_asking_it_is_true() -> None:
    assert sacrebleu_version() == sacrebleu.__version__
    assert set(sacrebleu.BLEU.TOKENIZERS) == set(get_args(TokenizerName))
    judge = sacrebleu.BLEU(tokenize="none").tokenizer
    assert tokenizer("none")(" a  b ") == judge(" a  b ")
    assert tokenizer("none").signature() == judge.signature()
