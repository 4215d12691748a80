"""The decoder: sentences are parsed with synchronous grammars and scored with language models.

Chiang (2007), Hierarchical phrase-based translation. A sentence stands between ``<s>`` and
``</s>``, which rules have to bring in: those of :func:`glue_grammar` do, and string together
whatever other rules make of the words between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from hopefear import _core, require
from hopefear._core import FeatureView, LanguageModel, Vocabulary
from hopefear.forest import Forest
from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule
from hopefear.types import Weights

__all__ = [
    "Decoder",
    "DecoderOptions",
    "FeatureUse",
    "GrammarUse",
    "ModelNames",
    "glue_grammar",
]

BEGIN, END = "<s>", "</s>"


@dataclass(frozen=True, kw_only=True)
class DecoderOptions:
    """How to decode.

    Attributes
    ----------
    max_span : int
        How many source words a rule may cover; 0: any number, which takes time and memory that
        grow with the cube of the sentence's length. Glue rules may cover any number.
    rule_limit : int
        How many rules of each source side are considered, the best ones by their own features and
        words; 0: all.
    identity_rules : bool
        Whether every word may pass as it is, even if there are rules for it.
    number_rules : bool
        Whether words of digits and punctuation may.
    cache_bytes : int
        How much memory is used for rules that were scored already.
    """

    max_span: int = 20
    rule_limit: int = 30
    identity_rules: bool = False
    number_rules: bool = False
    cache_bytes: int = 100 << 20

    def __post_init__(self) -> None:
        require.integer(self, "max_span", 0, 65535)
        require.integer(self, "rule_limit", 0)
        require.integer(self, "cache_bytes", 0)

    def core(self) -> _core.DecoderOptions:
        """Return what the core needs of it."""
        options = _core.DecoderOptions()
        options.rule_limit = self.rule_limit
        options.identity_rules = self.identity_rules
        options.number_rules = self.number_rules
        options.cache_bytes = self.cache_bytes
        return options


@dataclass(frozen=True, kw_only=True)
class ModelNames:
    """What labels and features are called.

    Attributes
    ----------
    goal, pass_through : str
        The labels of whole sentences, and of words that pass as they are.
    word_penalty : str
        -1 for each word of a rule's target side; <s> and </s> are such words, as in Moses.
    phrase_penalty : str
        1 for each rule, those that glue and words that pass included.
    unknown_word, identity_rule, number_rule : str
        1 for each word that passes: because no rule covers it alone, because every word may, or
        because it is a number.
    """

    goal: str = "S"
    pass_through: str = "X"
    word_penalty: str = "WordPenalty"
    phrase_penalty: str = "PhrasePenalty"
    unknown_word: str = "UnknownWord"
    identity_rule: str = "IdentityRule"
    number_rule: str = "NumberRule"

    def core(self) -> _core.ModelNames:
        """Return them as the core needs them."""
        names = _core.ModelNames()
        for field in fields(self):
            setattr(names, field.name, getattr(self, field.name))
        return names


@dataclass(frozen=True, kw_only=True)
class FeatureUse:
    """A feature that is made of a value that the rules of a grammar have.

    Attributes
    ----------
    of : str
        The grammar's feature.
    view : str
        ``value``: as it is; ``logarithm``: at least -100; ``rarity``: exp(1 - count); ``none``: it
        is no feature of the model.
    name : str
        What the model's feature is called; as the grammar's if left out.
    """

    of: str
    view: Literal["none", "value", "logarithm", "rarity"] = "value"
    name: str = ""

    def core(self) -> _core.FeatureUse:
        """Return it as the core needs it."""
        return _core.FeatureUse(self.of, FeatureView[self.view], self.name or self.of)


@dataclass(frozen=True, kw_only=True)
class GrammarUse:
    """A grammar, and how its rules are used.

    Attributes
    ----------
    grammar : Grammar
        The rules.
    max_span : int, optional
        How many source words a rule may cover, 0: any number; as the options say if left out.
    features : tuple of FeatureUse
        Features that are used in another way than usual: scores are used as they are, probabilities
        by their logarithms, counts not at all.
    """

    grammar: Grammar
    max_span: int | None = None
    features: tuple[FeatureUse, ...] = ()

    def core(self, max_span: int) -> _core.GrammarUse:
        """Return it as the core needs it."""
        span = max_span if self.max_span is None else self.max_span
        return _core.GrammarUse(self.grammar.core, span, [use.core() for use in self.features])


def glue_grammar(
    labels: Sequence[str] = ("X",), *, goal: str = "S", feature: str = "Glue"
) -> Grammar:
    """Return the rules that make a sentence of whatever parts there are, one after the other.

    They are S → <s>, S → S X for each label X, with 1 as the value of `feature`, and S → S </s>.
    With them every sentence has a parse.
    """
    builder = GrammarBuilder()
    builder.add(Rule(lhs=goal, source=(BEGIN,), target=(BEGIN,), features={feature: 0.0}))
    sentence = Nonterminal(goal)
    for label in labels:
        both = (sentence, Nonterminal(label))
        builder.add(Rule(lhs=goal, source=both, target=(0, 1), features={feature: 1.0}))
    builder.add(Rule(lhs=goal, source=(sentence, END), target=(0, END)))
    return builder.build("glue grammar")


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
    feature_names
        A vocabulary to share with others; a new one if left out.
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
        feature_names: Vocabulary | None = None,
    ) -> None:
        self.options = DecoderOptions() if options is None else options
        self.names = ModelNames() if names is None else names
        if isinstance(grammars, Grammar | GrammarUse):
            grammars = [grammars]
        if glue is None:
            glue = glue_grammar([self.names.pass_through], goal=self.names.goal)
        uses = [g if isinstance(g, GrammarUse) else GrammarUse(grammar=g) for g in grammars]
        uses.append(GrammarUse(grammar=glue, max_span=0))
        models = [_core.NamedLanguageModel(*named) for named in language_models.items()]
        features = Vocabulary() if feature_names is None else feature_names
        self._model = _core.TranslationModel(
            [use.core(self.options.max_span) for use in uses], models, self.names.core(), features
        )
        self._set_weights(weights)

    def _set_weights(self, weights: Weights) -> None:
        self.weights = weights
        vector = weights.vector(self.feature_names)
        self._core = _core.Decoder(self._model, vector, self.options.core())

    def with_weights(self, weights: Weights) -> "Decoder":
        """Return a decoder with other weights that shares all else."""
        decoder = Decoder.__new__(Decoder)
        decoder.options, decoder.names, decoder._model = self.options, self.names, self._model
        decoder._set_weights(weights)
        return decoder

    @property
    def feature_names(self) -> Vocabulary:
        """The names of all features, language models included."""
        return self._model.feature_names

    def parse(self, words: Sequence[str]) -> Forest:
        """Return all parses of a sentence, without language models.

        Target sides are as the rules have them, <s> and </s> included.

        Raises
        ------
        DataError
            If there is no parse; with glue rules there always is one.
        """
        return Forest(self._core.parse(list(words)))
