"""Commands made from declared settings: options in named groups, help, and completion.

Values stay the text that was typed: whoever takes them reads them as their settings demand, so that
a command line, a TOML file and a keyword argument are checked by the same code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from hopefear.settings.config import Text, decode
from hopefear.settings.tree import Option, default_text, is_required, type_name, walk

__all__ = ["SettingsCommand", "common_options", "is_wanted"]

WIDTH = 100
Given = Callable[[Mapping[str, str]], Mapping[str, object] | None]


class _Value(click.ParamType[Text]):
    """The text of a value, with what a shell may complete it to."""

    name = "value"

    def __init__(self, option: Option) -> None:
        self._option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Text:
        return Text(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = [CompletionItem(x) for x in self._option.completions if x.startswith(incomplete)]
        if not found and self._option.kind is Path:
            folder = self._option.declared.metavar in ("DIR", "RUN", "MODEL")
            found = [CompletionItem(incomplete, type="dir" if folder else "file")]
        return found


class SettingsCommand(click.Command):
    """A command whose options are the settings of classes.

    Parameters
    ----------
    name : str
        The command.
    function : callable
        Called with an object of the first class, and with a dictionary of keyword arguments for
        each other class: what was given on the command line, as `Text`.
    kinds : sequence of str
        The classes, as "module:name".
    given : callable, optional
        From what was typed, makes a table of chosen settings, so that help shows what depends on
        them; None if nothing is chosen.
    note : str
        The end of the help where nothing is chosen.
    examples : sequence of str
        Commands that people type, for the beginning of the help.
    order : sequence of str
        The groups that come first in the help.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., None],
        kinds: Sequence[str],
        *,
        given: Given = lambda typed: None,
        note: str = "",
        examples: Sequence[str] = (),
        order: Sequence[str] = (),
    ) -> None:
        self.kinds = [getattr(import_module(m), c) for m, c in (k.split(":") for k in kinds)]
        self._function, self._given, self._note = function, given, note
        self._examples, self.order = examples, order
        self._options: dict[str, tuple[int, Option]] = {}
        super().__init__(
            name,
            params=[*self._make_params(), *common_options()],
            callback=self._call,
            help=function.__doc__,
            context_settings={
                "help_option_names": ["-h", "--help"],
                "max_content_width": WIDTH,
                "token_normalize_func": lambda token: token.replace("_", "-"),
            },
        )

    def option_names(self) -> dict[str, str]:
        """Return the option of each setting, by its dotted key and by its keyword."""
        names: dict[str, str] = {}
        for number, kind in enumerate(self.kinds):
            for option in walk(kind):
                shown = type_name(option) if option.declared.argument else f"--{option.name}"
                # The command's own settings are called by their names alone.
                if number == 0 or not option.is_table:
                    names.setdefault(option.keyword, shown)
                    names.setdefault(option.key, shown)
        return names

    def _make_params(self) -> Iterable[click.Parameter]:
        """Yield the parameters; of settings that several classes have, the first is the model."""
        seen = set()
        for number, kind in enumerate(self.kinds):
            options = list(walk(kind))
            kinds: dict[str, set[Any]] = {}
            for option in options:
                kinds.setdefault(option.name, set()).add(option.kind)
            for option in options:
                if option.name in seen or option.is_table:
                    continue
                seen.add(option.name)
                name = f"setting{len(self._options)}"
                self._options[name] = number, option
                yield _param(name, option, flag=kinds[option.name] == {bool})

    def _call(self, **values: Any) -> None:
        tables: list[dict[str, object]] = [{} for _ in self.kinds]
        for name, value in values.items():
            if value is not None and value != () and name in self._options:
                number, option = self._options[name]
                given = list(value) if isinstance(value, tuple) else value
                tables[number][option.keyword if number else option.key] = given
        self._function(decode(self.kinds[0], tables[0], source=str(self.name)), *tables[1:])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and remember what was typed for the help that depends on it."""
        ctx.meta["typed"] = self._typed(ctx, args)
        try:
            return super().parse_args(ctx, list(args))
        except click.UsageError as error:
            if error.message.startswith("Got unexpected extra") and (hint := self._hint(args)):
                raise click.UsageError(f"{error.message} {hint}", ctx) from None
            raise

    def _typed(self, ctx: click.Context, args: list[str]) -> Mapping[str, str]:
        try:
            values = self.make_parser(ctx).parse_args(list(args))[0]
        except click.UsageError:
            return {}
        return {
            self._options[name][1].key: value
            for name, value in values.items()
            if name in self._options and isinstance(value, str)
        }

    def _hint(self, args: Sequence[str]) -> str:
        """Say how an option takes several values, if one seems to have been given them."""
        for place, word in enumerate(args[:-2]):
            repeated = next((p for p in self.params if word in p.opts), None)
            several = isinstance(repeated, click.Option) and repeated.multiple
            if several and not any(next.startswith("-") for next in args[place + 1 : place + 3]):
                return f"To give {word} several values, repeat it: {word} A {word} B."
        return ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete options by their own names, not also by dotted keys that they stand for."""
        names = {f"--{option.name}" for _, option in self._options.values()}
        return [
            item
            for item in super().shell_complete(ctx, incomplete)
            if "." not in item.value or item.value in names
        ]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, and the options in their groups."""
        if self._examples:
            with formatter.section("Examples"):
                for example in self._examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        table = self._given(ctx.meta.get("typed", {}))
        own = [*walk(self.kinds[0])]
        others = [option for kind in self.kinds[1:] for option in walk(kind, table)]
        arguments = [option for option in own if option.declared.argument]
        seen = {option.name for option in arguments}
        groups = {"Arguments": [_help_row(option) for option in arguments]}
        groups |= {heading: [] for heading in self.order}
        for option in [*own, *others]:
            hidden = option.is_table or (option.chosen and table is None and "." in option.name)
            if not hidden and option.name not in seen:
                groups.setdefault(option.group or "Options", []).append(_help_row(option))
                seen.add(option.name)
        for other in (*common_options(), self.get_help_option(ctx)):
            if other is not None and (row := other.get_help_record(ctx)) is not None:
                groups.setdefault("Other", []).append(row)
        for heading, rows in groups.items():
            if not rows:
                continue
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=32)
        if self._note and table is None:
            formatter.write_paragraph()
            formatter.write_text(self._note)


def _param(name: str, option: Option, *, flag: bool) -> click.Parameter:
    if option.declared.argument:
        return click.Argument(
            [name],
            type=_Value(option),
            required=option.required,
            nargs=-1 if option.several else 1,
            metavar=_argument_name(option),
        )
    names = list(dict.fromkeys([option.name, option.key.replace("_", "-")]))
    if flag:
        return click.Option([name, *(f"--{x}/--no-{x}" for x in names)], default=None, is_flag=True)
    letters = [f"-{option.declared.short}"] if option.declared.short else []
    return click.Option(
        [name, *(f"--{x}" for x in names), *letters],
        type=_Value(option),
        multiple=option.several,
        required=is_required(option),
        metavar=type_name(option),
    )


def common_options() -> list[click.Option]:
    """Return the options that may stand before or after any command."""

    def remember(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted:
            context.find_root().ensure_object(dict)[str(option.name)] = True

    texts = {
        "quiet": "Print results and warnings only: no progress, no notes.",
        "verbose": "Print every epoch, and what else is known while a command works.",
        "debug": "Show where in the program an error occurred.",
    }
    return [
        click.Option(
            [f"--{name}", *([f"-{name[0]}"] if name != "debug" else [])],
            is_flag=True,
            expose_value=False,
            callback=remember,
            help=text,
        )
        for name, text in texts.items()
    ]


def is_wanted(option: str) -> bool:
    """Whether "quiet" or "verbose" was given to the command that runs."""
    context = click.get_current_context(silent=True)
    given = None if context is None else context.find_root().obj
    return isinstance(given, dict) and bool(given.get(option))


def _help_row(option: Option) -> tuple[str, str]:
    """Return the two columns of a setting in help."""
    declared, metavar = option.declared, type_name(option)
    if declared.argument:
        names = _argument_name(option)
    elif option.kind is bool:
        off, on = f"--no-{option.name}", f"--{option.name}"
        names = on if option.default is False else f"{on} / {off}"
    else:
        letter = f"-{declared.short}, " if declared.short else ""
        names = f"{letter}--{option.name} {metavar}"
    default = default_text(option)
    return names, f"{declared.help} {f'[{default}]' if default else ''}".strip()


def _argument_name(option: Option) -> str:
    name = type_name(option) + ("..." if option.several else "")
    return name if option.required else f"[{name}]"
