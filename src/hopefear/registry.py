"""Names for what a configuration can choose: learners, metrics, formats and so on."""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, Generic, TypeVar, cast

from hopefear.errors import ConfigError

__all__ = ["Registry", "nearest", "suggest"]

T = TypeVar("T")
Factory = TypeVar("Factory", bound=Callable[..., object])


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the closest match, and all known names.

    Examples
    --------
    >>> suggest("miira", ["arow", "mira"])
    "; did you mean 'mira'? Known: arow, mira"
    >>> suggest("refs", ["references", "scores"])
    "; did you mean 'references'? Known: references, scores"
    """
    names = sorted(known)
    near = nearest(name, names)
    question = ";" if near is None else f"; did you mean '{near}'?"
    return f"{question} {'known' if near is None else 'Known'}: {', '.join(names) or 'none'}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return what an unknown name was probably meant to be.

    That is a name that it is the end of, one that is spelled alike, or one that it is short for.

    Examples
    --------
    >>> nearest("kbmira", ["kbest-mira", "moses-kbmira"])
    'moses-kbmira'
    """
    from difflib import get_close_matches

    names = sorted(known)
    ends = [longer for longer in names if longer.endswith(f"-{name}")]
    short_for = [longer for longer in names if _abbreviates(name, longer)]
    near = ends or get_close_matches(name, names, n=1, cutoff=0.8) or short_for
    return next(iter(near or get_close_matches(name, names, n=1)), None)


def _abbreviates(short: str, name: str) -> bool:
    """Whether `name` begins with the same letter and contains the other letters in order."""
    letters = iter(name)
    return len(short) > 1 and short[0] == name[:1] and all(c in letters for c in short)


class Registry(Generic[T]):
    """Classes or functions that make a ``T``, by name.

    Parameters
    ----------
    kind : str
        What is registered, in the singular, for messages.
    group : str, optional
        The group of entry points through which installed packages add their own. An entry point
        names a module, which is imported when its name is looked up and registers itself.

    Examples
    --------
    >>> greetings: Registry[str] = Registry("greeting")
    >>> @greetings.register("plain")
    ... def plain() -> str:
    ...     return "hello"
    >>> greetings["plain"]()
    'hello'
    >>> greetings["plan"]
    Traceback (most recent call last):
    ...
    hopefear.errors.ConfigError: unknown greeting 'plan'; did you mean 'plain'? Known: plain
    """

    changes: ClassVar[int] = 0  # how often something was registered, anywhere

    def __init__(self, kind: str, *, group: str | None = None) -> None:
        self.kind, self.group = kind, group
        Registry.changes += 1
        self._factories: dict[str, Callable[..., T]] = {}

    def register(self, name: str) -> Callable[[Factory], Factory]:
        """Return the decorator that registers a class or function under `name`."""

        def add(factory: Factory) -> Factory:
            if name in self._factories:
                raise ConfigError(f"{self.kind} '{name}' is already registered")
            self._factories[name] = cast("Callable[..., T]", factory)
            Registry.changes += 1
            return factory

        return add

    def __getitem__(self, name: str) -> Callable[..., T]:
        if name in self:
            return self._factories[name]
        if name.lower() in self:  # as in BLEU
            return self._factories[name.lower()]
        raise ConfigError(f"unknown {self.kind} '{name}'{suggest(name, self._factories)}")

    def name_of(self, factory: object) -> str:
        """Return the name under which a class or function is registered."""
        for name, known in self._factories.items():
            if known is factory:
                return name
        title = getattr(factory, "__qualname__", repr(factory))
        raise ConfigError(f"{title} is not registered as a {self.kind}")

    def __contains__(self, name: object) -> bool:
        if name not in self._factories and self.group is not None and isinstance(name, str):
            from importlib.metadata import entry_points  # 2 MB that most names do without

            for entry in entry_points(group=self.group, name=name):
                entry.load()
        return name in self._factories

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._factories))

    def __len__(self) -> int:
        return len(self._factories)

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}: {', '.join(self)})"
