"""The decoder: sentences are parsed with synchronous grammars and scored with language models.

Chiang (2007), Hierarchical phrase-based translation. A sentence stands between ``<s>`` and
``</s>``, which rules have to bring in: those of :func:`glue_grammar` do, and string together
whatever other rules make of the words between.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from hopefear import _core
from hopefear._core import LanguageModel, Vocabulary
from hopefear.errors import DataError
from hopefear.forest import Derivation, Forest
from hopefear.grammar import Grammar
from hopefear.threads import map_in_order
from hopefear.translation.decoder_options import DecoderOptions, ModelNames
from hopefear.translation.features import BuiltInTemplate, Template, WordFeatures, bind
from hopefear.translation.glue import glue_grammar
from hopefear.translation.grammar_use import GrammarUse
from hopefear.translation.rescorer import ForestRescorer
from hopefear.types import Weights

__all__ = ["Decoder"]

Result = TypeVar("Result")


class Decoder:
    """Translates sentences with grammars, language models and weights.

    Parameters
    ----------
    grammars
        One grammar, or several: all their rules are used together. Counts are no features, unless
        a GrammarUse says so.
    language_models
        Language models by the names of their features, the natural logarithms of probabilities.
    weights
        The weights of features; what is not among them has weight 0.
    glue
        Rules that may cover any number of words and make a whole sentence of parts;
        :func:`glue_grammar` if left out.
    options
        How to decode.
    names
        What labels and features are called.
    word_features
        Features of n-grams and triggers.
    feature_names
        A vocabulary to share with others; a new one if left out.
    templates
        What gives further features to rules; see :mod:`hopefear.translation.features`.
    rule_weights
        By which the rules of a source side are the best ones, if not by `weights`. With weights
        that were tuned on the parses of other weights these are the others: then the rules are
        those that the tuned weights know.

    Attributes
    ----------
    numbers_features : bool
        Whether features may get their numbers while sentences are translated: those of templates in
        Python do, when their rules are met.
    """

    def __init__(
        self,
        grammars: Grammar | GrammarUse | Sequence[Grammar | GrammarUse],
        language_models: Mapping[str, LanguageModel],
        weights: Weights,
        *,
        glue: Grammar | None = None,
        options: DecoderOptions | None = None,
        names: ModelNames | None = None,
        word_features: WordFeatures | None = None,
        feature_names: Vocabulary | None = None,
        templates: Sequence[Template] = (),
        rule_weights: Weights | None = None,
    ) -> None:
        self._rule_weights = rule_weights
        self.options = DecoderOptions() if options is None else options
        self.names = ModelNames() if names is None else names
        if isinstance(grammars, Grammar | GrammarUse):
            grammars = [grammars]
        if glue is None:
            glue = glue_grammar([self.names.pass_through], goal=self.names.goal)
        uses = [g if isinstance(g, GrammarUse) else GrammarUse(grammar=g) for g in grammars]
        uses.append(GrammarUse(grammar=glue, max_span=0))
        self._language_models = dict(language_models)
        models = [_core.NamedLanguageModel(*named) for named in language_models.items()]
        features = Vocabulary() if feature_names is None else feature_names
        self._word_features = WordFeatures() if word_features is None else word_features
        self._model = _core.TranslationModel(
            [use.core(self.options.max_span) for use in uses],
            models,
            self.names.core(),
            features,
            self._word_features.core(),
        )
        self._templates = None
        self.numbers_features = not all(isinstance(t, BuiltInTemplate) for t in templates)
        if templates:
            all_grammars, passing = [use.grammar for use in uses], self.names.passing()
            bound = [bind(template, self._model, all_grammars, passing) for template in templates]
            cache_bytes = self.options.template_cache_bytes
            self._templates = _core.TemplateFeatures(self._model, bound, cache_bytes)
        self._set_weights(weights)

    def _set_weights(self, weights: Weights) -> None:
        self.weights = weights
        if self._templates is not None:  # they may come upon any of these features later
            for name in weights.names:
                self.feature_names.add(name)
        self._vector = weights.vector(self.feature_names)
        options = self.options.core()
        if self._rule_weights is not None:
            options.rule_weights = self._rule_weights.vector(self.feature_names).tolist()
        self._core = _core.Decoder(self._model, self._templates, self._vector, options)

    def with_weights(self, weights: Weights) -> "Decoder":
        """Return a decoder with other weights that shares all else."""
        decoder = Decoder.__new__(Decoder)
        decoder._rule_weights = self._rule_weights
        decoder.options, decoder.names, decoder._model = self.options, self.names, self._model
        decoder._language_models, decoder._templates = self._language_models, self._templates
        decoder._word_features = self._word_features
        decoder.numbers_features = self.numbers_features
        decoder._set_weights(weights)
        return decoder

    @property
    def feature_names(self) -> Vocabulary:
        """The names of all features, language models included."""
        return self._model.feature_names

    @property
    def template_nbytes(self) -> int:
        """The memory that is used for what templates gave to rules."""
        return 0 if self._templates is None else self._templates.nbytes

    def rescorer(self) -> ForestRescorer:
        """Return what rescores the forests of :meth:`parse` as this decoder would."""
        return ForestRescorer(
            self._language_models,
            word_features=self._word_features,
            pop_limit=self.options.pop_limit,
            beam=self.options.beam,
        )

    def meet(self, words: Sequence[str]) -> None:
        """Give the features of a sentence their numbers.

        Where several threads translate sentences that were met in order, features are numbered as
        if there were one thread.
        """
        if self.numbers_features:
            with suppress(DataError):  # which will be raised where the sentence is translated
                self._core.meet(list(words))

    def parse(self, words: Sequence[str]) -> Forest:
        """Return all parses of a sentence, without language models.

        Target sides are as the rules have them, <s> and </s> included.

        Raises
        ------
        DataError
            If there is no parse; with glue rules there always is one.
        """
        return Forest(self._core.parse(list(words)))

    def forest(self, words: Sequence[str]) -> Forest:
        """Return the parses of a sentence that cube pruning leaves, with language models.

        Nodes are split by what the language models remember of their words, and edges have the
        features of language models, too. <s> and </s> are no words of the result.

        Raises
        ------
        DataError
            As :meth:`parse`.
        """
        return Forest(self._core.forest(list(words)))

    def translate(self, words: Sequence[str]) -> Derivation:
        """Return the best derivation of a sentence; its forest has no other.

        Raises
        ------
        DataError
            As :meth:`parse`.
        """
        return Forest(self._core.best(list(words))).viterbi(self._vector)

    def kbest(
        self, words: Sequence[str], k: int = 100, *, distinct: bool = True, limit: int = 1_000_000
    ) -> list[Derivation]:
        """Return the k best derivations of a sentence; see :meth:`Forest.kbest`.

        Raises
        ------
        DataError
            As :meth:`parse`.
        """
        return self.forest(words).kbest(self._vector, k, distinct=distinct, limit=limit)

    def parse_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Forest]:
        """Yield what :meth:`parse` gives for each sentence; see :meth:`translate_all`."""
        return self._map(self.parse, sentences, threads)

    def forest_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Forest]:
        """Yield what :meth:`forest` gives for each sentence; see :meth:`translate_all`."""
        return self._map(self.forest, sentences, threads)

    def translate_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Derivation]:
        """Yield what :meth:`translate` gives for each sentence, in order.

        Sentences are taken as they are needed, a few more than there are threads ahead of what was
        yielded, so that any number of them may come. Any number of threads gives the same result.

        Parameters
        ----------
        sentences
            Lists of words.
        threads
            How many sentences to translate at once; 0: as many as there are cores.
        """
        return self._map(self.translate, sentences, threads)

    def kbest_all(
        self,
        sentences: Iterable[Sequence[str]],
        k: int = 100,
        *,
        distinct: bool = True,
        limit: int = 1_000_000,
        threads: int = 0,
    ) -> Iterator[list[Derivation]]:
        """Yield what :meth:`kbest` gives for each sentence; see :meth:`translate_all`."""
        kbest = partial(self.kbest, k=k, distinct=distinct, limit=limit)
        return self._map(kbest, sentences, threads)

    def _map(
        self,
        function: Callable[[Sequence[str]], Result],
        sentences: Iterable[Sequence[str]],
        threads: int,
    ) -> Iterator[Result]:
        def met() -> Iterator[Sequence[str]]:
            for words in sentences:
                self.meet(words)
                yield words

        return map_in_order(function, sentences if threads == 1 else met(), threads=threads)
