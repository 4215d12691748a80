"""Word alignment out of the box: IBM model 2 with positions near the diagonal.

Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
NAACL. The model of fast_align, estimated in both directions at once.
"""

from dataclasses import dataclass

from hopefear import _core
from hopefear._core import Alignments
from hopefear.errors import DataError
from hopefear.formats.files import PathLike
from hopefear.settings import require
from hopefear.translation.training.progress import Progress
from hopefear.translation.training.texts import read_text

__all__ = ["DiagonalAligner"]


@dataclass(frozen=True, kw_only=True)
class DiagonalAligner:
    """Finds p₀ t(e | NULL) + (1 - p₀) Σᵢ δ(i | j, m, n) t(e | fᵢ) by expectation maximization.

    The same bitext gives the same links, for any number of threads.

    Parameters
    ----------
    iterations
        Of expectation maximization.
    null_probability
        p₀, that of a word without a link.
    tension
        λ at the start, where δ ∝ exp(-λ |i/n - j/m|); it is learned.
    concentration
        α of the Dirichlet prior of translation probabilities: the smaller, the sparser.
    max_length
        Longer sentences get no links.
    memory
        Bytes for pairs of words; where not all fit, the model is estimated from as many sentences
        as do, which lie evenly in the bitext.
    threads
        0: one for each core.
    """

    iterations: int = 5
    null_probability: float = 0.08
    tension: float = 4.0
    concentration: float = 0.01
    max_length: int = 200
    memory: int = 1 << 31
    threads: int = 0

    def __post_init__(self) -> None:
        require.integer(self, "iterations", 1)
        require.probability(self, "null_probability")
        require.positive(self, "tension")
        require.positive(self, "concentration")
        require.integer(self, "max_length", 1, 65535)
        require.integer(self, "memory", 1 << 20)
        require.integer(self, "threads", 0)

    def align(
        self, source: PathLike, target: PathLike, progress: Progress | None = None
    ) -> tuple[Alignments, Alignments]:
        """Return the links that target words chose, and those that source words chose."""
        tell = progress or (lambda stage, done, total: None)
        texts = read_text(source), read_text(target)
        tell("aligning", 0, self.iterations + 1)
        try:
            aligner = _core.WordAligner(
                *texts,
                null_probability=self.null_probability,
                tension=self.tension,
                concentration=self.concentration,
                max_length=self.max_length,
                memory=self.memory,
                threads=self.threads,
            )
        except DataError as error:
            raise DataError(f"{source}, {target}: {error}") from error
        for iteration in range(1, self.iterations + 1):
            aligner.iterate()
            tell("aligning", iteration, self.iterations + 1)
        found = aligner.align()
        tell("aligning", self.iterations + 1, self.iterations + 1)
        return found.forward, found.reverse
