"""Run the benchmarks: ``python -m benchmarks [NAME ...]``, all of them by default.

A benchmark is a module of this package with a function ``run() -> list[tuple[str, str]]`` that
returns rows of (what, figure). Speeds are given as ratios of two things measured in the same run:
they mean the same on another machine.
"""

import importlib
import pkgutil
import sys

from rich.console import Console
from rich.table import Table

import benchmarks


def main(names: list[str]) -> int:
    """Run the benchmarks ``names`` and print a table of each."""
    found = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name[0] != "_")
    unknown = [name for name in names if name not in found]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are: {', '.join(found)}", file=sys.stderr)
        return 2
    console = Console()
    for name in names or found:
        module = importlib.import_module(f"benchmarks.{name}")
        table = Table(title=name, title_justify="left", show_header=False)
        for what, figure in module.run():
            table.add_row(what, figure)
        console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
