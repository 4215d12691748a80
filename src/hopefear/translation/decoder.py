"""The decoder parses sentences with synchronous grammars and scores them with language models.

Chiang (2007), Hierarchical phrase-based translation. A sentence stands between ``<s>`` and
``</s>``, which rules must cover: those of :func:`glue_grammar` do, and concatenate the translations
of the parts in between.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from typing import TypeVar

import numpy as np

from hopefear import _core
from hopefear._core import LanguageModel, Vocabulary
from hopefear.errors import DataError
from hopefear.forest import Derivation, Forest
from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule
from hopefear.settings import parse_size, setting, settings
from hopefear.threads import map_in_order
from hopefear.translation.features import BuiltInTemplate, Template, WordFeatures, bind
from hopefear.translation.features.bins import FeatureBins
from hopefear.translation.rescorer import ForestRescorer
from hopefear.translation.uses import Chooser, GrammarUse, ModelNames
from hopefear.types import FloatArray, Weights

__all__ = ["Decoder", "DecoderOptions", "glue_grammar"]

# A sentence of Multi30k touches a few MB of a grammar of 640 MB.
SENTENCES_BEFORE_FORGETTING = 50

Result = TypeVar("Result")


@settings
class DecoderOptions:
    """Limits of the search for translations, and the extra rules for single words."""

    max_span: int = setting(
        20,
        "Maximum number of source words a rule may cover, glue rules excepted; 0: no limit, which "
        "takes time and memory cubic in the length of the sentence.",
        least=0,
        most=65535,
        group="Decoder",
        option="max-span",
    )
    rule_limit: int = setting(
        30,
        "Maximum number of rules for each source side: the best ones by their own features under "
        "the weights stored in the model; 0: no limit.",
        least=0,
        group="Decoder",
        option="rule-limit",
    )
    identity_rules: bool = setting(
        False, "Let every word be copied to the output, even if rules cover it.", group="Decoder"
    )
    number_rules: bool = setting(
        False, "Let words made of digits and punctuation be copied to the output.", group="Decoder"
    )
    name_rules: bool = setting(
        False,
        "Let words that start with a Latin, Greek or Cyrillic capital be copied to the output.",
        group="Decoder",
    )
    pop_limit: int = setting(
        200,
        "Number of candidates that cube pruning scores for each chart node at most, on average: "
        "promising nodes get more of them; more is slower and more accurate; 0: no limit, which "
        "takes time exponential in the length of the sentence.",
        least=0,
        group="Decoder",
        option="pop-limit",
    )
    beam: float = setting(
        0.0,
        "Drop derivations and candidates that score worse than the best of their chart node by "
        "more than this; smaller is faster; 0: keep all.",
        least=0,
        group="Decoder",
        option="beam",
    )
    cache_bytes: int = setting(
        100 << 20,
        "Memory for caching scored rules.",
        least=0,
        group="Decoder",
        parse=parse_size,
        metavar="BYTES",
    )
    template_cache_bytes: int = setting(
        100 << 20,
        "Memory for caching the features that templates computed for rules.",
        least=0,
        group="Decoder",
        parse=parse_size,
        metavar="BYTES",
    )

    def core(self) -> _core.DecoderOptions:
        """Return the options that the core needs."""
        options = _core.DecoderOptions()
        for name in _CORE_OPTIONS:
            setattr(options, name, getattr(self, name))
        return options


_CORE_OPTIONS = (
    "rule_limit",
    "identity_rules",
    "number_rules",
    "name_rules",
    "pop_limit",
    "beam",
    "cache_bytes",
)


def glue_grammar(
    labels: Sequence[str] = ("X",), *, goal: str = "S", feature: str = "Glue"
) -> Grammar:
    """Return the rules that concatenate the parts of a sentence (Chiang, 2007, section 3.2).

    They are S → <s>, S → S X for each label X, for which `feature` is 1, and S → S </s>. With them
    every sentence has a parse.
    """
    builder = GrammarBuilder()
    builder.add(Rule(lhs=goal, source=("<s>",), target=("<s>",), features={feature: 0.0}))
    sentence = Nonterminal(goal)
    for label in labels:
        both = (sentence, Nonterminal(label))
        builder.add(Rule(lhs=goal, source=both, target=(0, 1), features={feature: 1.0}))
    builder.add(Rule(lhs=goal, source=(sentence, "</s>"), target=(0, "</s>")))
    return builder.build("glue grammar")


class Decoder:
    """Translates sentences with grammars, language models and weights.

    Parameters
    ----------
    grammars
        One grammar or several, whose rules are used together. Their counts are not features unless
        a GrammarUse makes them so.
    language_models
        Language models by the names of their features, the natural logarithms of probabilities.
    weights
        Weights of features; all others have weight 0.
    glue
        Rules that may cover any number of words and combine parts into a sentence; by default
        :func:`glue_grammar`.
    options
        Decoder settings.
    names
        Names of the decoder's own labels and features.
    word_features
        Features of n-grams and triggers.
    feature_names
        A vocabulary to share with other objects; by default a new one.
    templates
        Templates that compute further features of rules; see :mod:`hopefear.translation.features`.
    rule_weights
        Weights that select the `rule_limit` best rules of a source side; by default `weights`.
        Weights that were tuned on the parses of other weights need the rules of those parses.
    chosen_by
        The same grammars with the features that `rule_weights` are for, if the decoder has others:
        which rules are considered then does not depend on what features are made of them.
    bins
        Bins of features of rules, which take the place of their values; they do not choose rules.

    Attributes
    ----------
    rule_features : frozenset of str
        The features of grammars and of copied words, without those of templates.
    dropped_features : frozenset of str
        The features that only choose rules.
    numbers_features : bool
        Whether features may get their numbers during translation: templates in Python number
        theirs when the decoder first meets a rule.
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
        chosen_by: Chooser | None = None,
        bins: FeatureBins | None = None,
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
            [own.core(name) for name, own in (bins or {}).items()],
        )
        self.rule_features = frozenset(self._model.feature_names) - {*language_models}
        self._chooser, self.dropped_features = None, frozenset[str]()
        if chosen_by is not None:
            self._chooser = _core.TranslationModel(
                [use.core(self.options.max_span) for use in [*chosen_by.grammars, uses[-1]]],
                [],
                chosen_by.names.core(),
                Vocabulary(),
                WordFeatures().core(),
                [],
            )
            known = frozenset(self._model.feature_names)
            self.dropped_features = frozenset(self._chooser.feature_names) - known
        self._templates = None
        self.numbers_features = not all(isinstance(t, BuiltInTemplate) for t in templates)
        if templates:
            parts, copy_rule = [use.grammar for use in uses], self.names.copy_rule
            bound = [bind(template, self._model, parts, copy_rule) for template in templates]
            cache_bytes = self.options.template_cache_bytes
            self._templates = _core.TemplateFeatures(self._model, bound, cache_bytes)
        self._set_weights(weights)

    def _set_weights(self, weights: Weights) -> None:
        self.weights = weights
        if self._templates is not None:  # which may give rules any of these features later
            for name in weights.names:
                self.feature_names.add(name)
        self._vector = weights.vector(self.feature_names)
        options = self.options.core()
        if self._rule_weights is not None:
            options.rule_weights = self._rule_weights.vector(self.feature_names).tolist()
            if self._chooser is not None:
                own = self._rule_weights.vector(self._chooser.feature_names)
                options.choose_by(self._chooser, own)
        self._core = _core.Decoder(self._model, self._templates, self._vector, options)

    def with_weights(self, weights: Weights) -> "Decoder":
        """Return a decoder with other weights that shares everything else."""
        decoder = copy(self)
        decoder._set_weights(weights)
        return decoder

    @property
    def feature_names(self) -> Vocabulary:
        """The names of all features, language models included."""
        return self._model.feature_names

    @property
    def template_nbytes(self) -> int:
        """The memory that cached features of templates take."""
        return 0 if self._templates is None else self._templates.nbytes

    def rescorer(self) -> ForestRescorer:
        """Return an object that rescores the forests of :meth:`parse` as this decoder does."""
        return ForestRescorer(
            self._language_models,
            word_features=self._word_features,
            pop_limit=self.options.pop_limit,
            beam=self.options.beam,
        )

    def meet(self, words: Sequence[str]) -> None:
        """Assign numbers to the features of a sentence.

        If sentences meet the decoder in order before several threads translate them, features get
        the same numbers as with one thread.
        """
        if self.numbers_features:
            with suppress(DataError):  # raised again when the sentence is translated
                self._core.meet(list(words))

    def rule_values(self, words: Sequence[str]) -> dict[str, FloatArray]:
        """Return the values of features in the rules that match a sentence, each rule once."""
        _, ids, values = self._core.rule_features(list(words))
        order = np.argsort(ids, kind="stable")
        found, begins = np.unique(ids[order], return_index=True)
        parts = np.split(values[order], begins[1:])
        return {self.feature_names[i]: own for i, own in zip(found.tolist(), parts, strict=True)}

    def parse(self, words: Sequence[str]) -> Forest:
        """Return all parses of a sentence, without language models.

        Target sides include <s> and </s>.

        Raises
        ------
        DataError
            If there is no parse; with the default glue rules there always is one.
        """
        return Forest(self._core.parse(list(words)))

    def forest(self, words: Sequence[str]) -> Forest:
        """Return the parses of a sentence that survive cube pruning with language models.

        Nodes are split by language model state, and edges include the features of language models.
        <s> and </s> are removed.

        Raises
        ------
        DataError
            As :meth:`parse`.
        """
        return Forest(self._core.forest(list(words)))

    def translate(self, words: Sequence[str]) -> Derivation:
        """Return the best derivation of a sentence; its forest has only this one.

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

    def forget_pages(self) -> None:
        """Take what was read of the grammars' files out of memory, until it is read again.

        Pages of mapped files count as memory of this process as long as it has not done this.
        """
        self._core.forget_pages()

    def parse_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Forest]:
        """Yield the parses of each sentence; see :meth:`parse` and :meth:`translate_all`.

        What is read of the grammars' files does not stay in memory: who parses many sentences
        seldom parses them again.
        """
        for number, forest in enumerate(self._map(self.parse, sentences, threads), 1):
            if number % SENTENCES_BEFORE_FORGETTING == 0:
                self.forget_pages()
            yield forest
        self.forget_pages()

    def forest_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Forest]:
        """Yield the forest of each sentence; see :meth:`forest` and :meth:`translate_all`."""
        return self._map(self.forest, sentences, threads)

    def translate_all(
        self, sentences: Iterable[Sequence[str]], *, threads: int = 0
    ) -> Iterator[Derivation]:
        """Yield the best derivation of each sentence, in order.

        Sentences are read lazily, a few more than there are threads ahead of the results, so there
        may be any number of them. The result does not depend on the number of threads.

        Parameters
        ----------
        sentences
            Lists of words.
        threads
            Number of threads; 0: one per core.
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
        """Yield the k best derivations of each sentence; see :meth:`kbest`, `translate_all`."""
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
