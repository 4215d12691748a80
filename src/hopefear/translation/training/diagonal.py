"""Word alignment out of the box: IBM model 2 with positions near the diagonal.

Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
NAACL. The model of fast_align, estimated in both directions at once.
"""

from hopefear import _core
from hopefear._core import Alignments
from hopefear.errors import DataError
from hopefear.formats.files import PathLike
from hopefear.settings import setting, settings
from hopefear.translation.training.progress import Progress
from hopefear.translation.training.texts import read_text

__all__ = ["DiagonalAligner"]


@settings
class DiagonalAligner:
    """Maximizes p₀ t(e | NULL) + (1 - p₀) Σᵢ δ(i | j, m, n) t(e | fᵢ) by EM.

    The same bitext gives the same links for any number of threads.
    """

    iterations: int = setting(
        5, "Iterations of expectation maximization.", least=1, group="Alignment"
    )
    null_probability: float = setting(
        0.08, "p₀, the probability of a word without a link.", least=0, most=1, group="Alignment"
    )
    tension: float = setting(
        4.0,
        "Initial value of λ in δ ∝ exp(-λ |i/n - j/m|); the aligner learns it.",
        above=0,
        group="Alignment",
    )
    concentration: float = setting(
        0.01,
        "α of the Dirichlet prior over translation probabilities; smaller is sparser.",
        above=0,
        group="Alignment",
    )
    max_length: int = setting(
        200, "Longer sentences get no links.", least=1, most=65535, group="Alignment"
    )
    memory: int = setting(
        1 << 31,
        "Memory for pairs of words; if they do not fit, the model is estimated from as many evenly "
        "spaced sentences as do.",
        least=1 << 20,
        group="Run",
        metavar="BYTES",
    )
    threads: int = setting(
        0,
        "Number of threads, 0: one per core; the result does not depend on it.",
        least=0,
        group="Run",
    )

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
