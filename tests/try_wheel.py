"""Try a wheel as a new user: in an environment that has nothing else, in an empty directory.

::

    python tests/try_wheel.py dist
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Pages whose examples need nothing but the package.
PAGES = ["README.md", "docs/other-systems.md", "docs/rerank-llm.md", "docs/tutorial.md"]
PARTS = {"cmake", "cpp", "docs", "src", "third_party"}
FILES = {"CMakeLists.txt", "LICENSE", "NOTICE", "PKG-INFO", "README.md", "pyproject.toml"}
FIT = """
import hopefear
right, wrong = "the cat is on the mat", "on mat the is cat a"
lists = [[{"text": right, "lm": -2.0}, {"text": wrong, "lm": -3.0}]] * 3
assert hopefear.fit(lists, [right] * 3).predict(lists) == [right] * 3
"""


def check_source(archive: Path) -> None:
    """Require what builds the package, and nothing else."""
    with tarfile.open(archive) as source:
        names = [Path(*Path(name).parts[1:]) for name in source.getnames()]
    tops = {name.parts[0] for name in names if name.parts}
    assert tops == PARTS | FILES, f"{archive.name} has {sorted(tops)}"
    assert any(name.match("third_party/kenlm-*.tar.gz") for name in names), "KenLM is missing"


def check_wheel(wheel: Path) -> None:
    """Require a tag that other machines accept, and the documentation with its pictures."""
    assert "manylinux" in wheel.name, f"{wheel.name} is for this machine alone"
    names = zipfile.ZipFile(wheel).namelist()
    docs = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".png", ".svg")]
    pages = [f"hopefear/{path.relative_to(ROOT).as_posix()}" for path in docs]
    for needed in ("hopefear/py.typed", "hopefear/presets/moses.toml", *pages):
        assert needed in names, f"{wheel.name} has no {needed}"


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install a wheel into an environment of its own, and use it."""
    venv.create(folder / "clean", with_pip=True)
    binaries = folder / "clean" / "bin"
    empty = folder / "empty"
    empty.mkdir()
    home = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*command: str, fails: bool = False) -> str:
        done = subprocess.run(
            [str(binaries / command[0]), *command[1:]],
            cwd=empty,
            env=home,
            capture_output=True,
            text=True,
        )
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{' '.join(command)}\n{said}"
        return said

    run("python", "-m", "pip", "install", "--quiet", str(wheel))
    print(run("hopefear", "--version").strip())
    run("python", "-c", FIT)
    print(run("hopefear", "demo", "--candidates", "--sentences", "50", "--size", "10").strip())
    nbest = ["--nbest", "demo/dev.nbest.gz", "--refs", "demo/dev.ref", "--tokenize", "none"]
    assert "hopefear[scipy]" in run("hopefear", "tune", "lbfgs", *nbest, "-o", "run", fails=True)
    print(run("python", str(ROOT / "tests" / "pages.py"), *(str(ROOT / page) for page in PAGES)))
    files = [path for path in (folder / "clean" / "lib").rglob("*") if path.is_file()]
    own = [path for path in files if not {"pip", "setuptools"} & set(path.parts)]
    size = sum(path.stat().st_size for path in own)
    print(f"{wheel.name}: works, {size / 2**20:.0f} MiB with all that it needs")


def main(arguments: Sequence[str]) -> None:
    """Try the source distribution and the wheels of a directory."""
    (directory,) = (Path(name).resolve() for name in arguments)
    for archive in directory.glob("*.tar.gz"):
        check_source(archive)
    wheels = sorted(directory.glob("*.whl"))
    assert wheels, f"no wheel in {directory}"
    for wheel in wheels:
        check_wheel(wheel)
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(wheel, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
