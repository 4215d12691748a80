"""The colors of pictures: told apart by most eyes, on light and on dark ground."""

from collections.abc import Mapping

__all__ = ["page_colors", "picture_colors"]

# What they are on light ground and on dark ground.
SERIES = (
    ("#2368b0", "#6cabef"),  # blue
    ("#c8690a", "#f2a14a"),  # orange
    ("#1f8455", "#57c795"),  # green
    ("#c02f3c", "#f2727d"),  # red
    ("#7d4fa8", "#bd93e4"),  # violet
    ("#0f7c8c", "#4cc0d0"),  # teal
    ("#85662f", "#cfae72"),  # brown
    ("#68707c", "#a2aab6"),  # gray
    ("#b4bac4", "#5d6674"),  # pale gray
)
NAMED: Mapping[str, tuple[str, str]] = {
    **{f"c{number}": color for number, color in enumerate(SERIES)},
    "ink": ("#23272e", "#e4e7eb"),
    "grid": ("#e3e6ea", "#343a44"),
}


def picture_colors() -> str:
    """Return the style of a picture that stands alone; on a dark page it is dark."""
    light, dark = ("".join(f".{x}{{color:{NAMED[x][i]}}}" for x in NAMED) for i in (0, 1))
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def page_colors() -> str:
    """Return the style of the pictures on a page; its variables are there for its script."""
    light, dark = ("".join(f"--{x}:{NAMED[x][i]};" for x in NAMED) for i in (0, 1))
    classes = "".join(f".{x}{{color:var(--{x})}}" for x in NAMED)
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{classes}"
