"""The reference page of the documentation, made from the declarations of all settings.

``python -m hopefear.reference > docs/reference.md`` writes it again.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from hopefear.cli.commands import COMMANDS, make_command
from hopefear.registry import Registry
from hopefear.settings.tree import Option, default_text, type_name, walk

__all__ = ["reference"]

INTRODUCTION = """# Reference: every setting
Generated from the declarations in the code by `python -m hopefear.reference`.

A setting has the same meaning everywhere. On the command line it is an option (`--dev-refs FILE`),
in a TOML file a key (`references` in the table `[dev]`), in Python a keyword argument (`dev_refs`).
Where the option is the dotted key itself, as in `--learner.max-step 0.1`, the keyword has two
underscores for the dot: `learner__max_step=0.1`. Options that take several values are repeated:
`--refs A --refs B`. Dashes and underscores are the same. `--set KEY=VALUE` sets any key, also one
within a table.
"""
FILES = ("train", "tune")  # commands that read TOML
HEADER = ["| option | key in TOML | default | meaning |", "| --- | --- | --- | --- |"]


def reference() -> str:
    """Return the page."""
    lines = [INTRODUCTION]
    registries: dict[str, Registry[Any]] = {}
    for name in COMMANDS:
        command = make_command(name)
        lines += [f"## hopefear {name}", (COMMANDS[name].__doc__ or "").partition("\n")[0], ""]
        own, *others = ([*walk(kind)] for kind in command.kinds)
        in_files = {option.key for option in chain(*others)} if name in FILES else set()
        options = [*own, *chain(*others)]
        registries |= {o.registry.kind: o.registry for o in options if o.registry is not None}
        shown = [option for option in options if not option.chosen or "." not in option.name]
        for group, members in _grouped(shown, command.order).items():
            lines += [f"### {group}"] if group else []
            lines += [*HEADER, *(_row(option, in_files) for option in members), ""]
    for registry in registries.values():
        lines += _choices(registry)
    return "\n".join(lines).rstrip() + "\n"


def _choices(registry: Registry[Any]) -> Iterator[str]:
    """Yield the section about all that a name can be chosen from."""
    yield f"## The choices of a {registry.kind}"
    for name in registry:
        kind: Any = registry[name]
        yield f"### {registry.kind} `{name}`"
        yield from [(kind.__doc__ or "").partition("\n")[0], ""]
        own = [option for option in walk(kind) if not option.chosen]
        if own:
            yield "| setting | default | meaning |"
            yield "| --- | --- | --- |"
            for option in own:
                name = f"`{option.key}` {_type(option)}".strip()
                yield f"| {name} | {_default(option)} | {_cell(option)} |"
            yield ""


def _grouped(options: Iterable[Option], first: Iterable[str]) -> Mapping[str, list[Option]]:
    groups: dict[str, dict[str, Option]] = {heading: {} for heading in ("", *first)}
    for option in options:
        groups.setdefault(option.group, {}).setdefault(option.key, option)
    return {group: list(members.values()) for group, members in groups.items() if members}


def _row(option: Option, in_files: Collection[str]) -> str:
    option_name = f"`--{option.name}`" if not option.is_table else ""
    if option.declared.argument:
        option_name = f"`{type_name(option)}`"
    elif option_name:
        option_name += f" {_type(option)}"
    key = f"`{option.key}`" if option.key in in_files else ""
    return f"| {option_name.strip()} | {key} | {_default(option)} | {_cell(option)} |"


def _type(option: Option) -> str:
    name = "" if option.kind is bool else type_name(option)
    return name.replace("|", ", ")


def _default(option: Option) -> str:
    return default_text(option).replace("|", "\\|")


def _cell(option: Option) -> str:
    return option.declared.help.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
