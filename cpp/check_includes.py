"""Check which folder of the core includes which: `python cpp/check_includes.py [CPP_FOLDER]`."""

import re
import sys
from pathlib import Path

# Each folder may include itself and the folders named here. The graph has no cycles: a folder
# names only folders above it in this table.
ALLOWED = {
    "base": (),
    "nbest": ("base",),
    "forest": ("base", "nbest"),
    "metrics": ("base", "nbest", "forest"),
    "search": ("base", "nbest", "forest", "metrics"),
    "learn": ("base", "nbest", "forest", "metrics", "search"),
    "grammar": ("base", "forest"),
    "lm": ("base",),
    "decode": ("base", "forest", "metrics", "grammar", "lm"),
    "extract": ("base", "grammar", "decode"),
    "io": ("base", "nbest", "forest", "grammar"),
}
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def folder_of(path: Path) -> str:
    """Return the folder of a header of include/hopefear or of a source of src."""
    return path.parts[0] if len(path.parts) > 1 else ""


def violations(cpp: Path) -> list[str]:
    """Return one line for each include that breaks the table."""
    found = []
    for top in (cpp / "include" / "hopefear", cpp / "src"):
        for path in sorted(top.rglob("*.?pp")):
            folder = folder_of(path.relative_to(top))
            if folder not in ALLOWED:
                known = ", ".join(ALLOWED)
                found.append(f"{path}: must be in one of the folders {known}")
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                match = INCLUDE.match(line)
                if match is None or not match[1].startswith("hopefear/"):
                    continue
                used = folder_of(Path(match[1].removeprefix("hopefear/")))
                if used != folder and used not in ALLOWED[folder]:
                    allowed = ", ".join((folder, *ALLOWED[folder]))
                    found.append(
                        f"{path}:{number}: {folder} must not include {match[1]}; "
                        f"it may include: {allowed}"
                    )
    return found


def main() -> int:
    """Print the violations; return the exit status."""
    cpp = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    found = violations(cpp)
    print("\n".join(found) if found else "includes: every folder keeps to its contract")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
