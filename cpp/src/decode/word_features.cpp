#include "hopefear/decode/word_features.hpp"

#include <algorithm>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/translation_model.hpp"

namespace hopefear {

namespace {

using Ngrams = std::vector<std::vector<std::string>>;

std::string joined(const std::vector<std::string>& ngram) {
    std::string text;
    for (const std::string& word : ngram) text += (text.empty() ? "" : " ") + word;
    return text;
}

Vocabulary words_of(const Ngrams& ngrams) {
    Vocabulary words;
    for (const auto& ngram : ngrams)
        for (const std::string& word : ngram) words.add(word);
    return words;
}

ReferenceAutomaton automaton_of(const Ngrams& ngrams, const Vocabulary& words) {
    std::vector<std::vector<WordId>> numbered;
    std::size_t order = 1;
    for (const auto& ngram : ngrams) {
        if (ngram.empty()) fail<ConfigError>("an n-gram feature has no words");
        if (ngram.size() > ReferenceAutomaton::max_order)
            fail<ConfigError>("the n-gram '", joined(ngram), "' has more than ",
                              ReferenceAutomaton::max_order, " words");
        order = std::max(order, ngram.size());
        auto& numbers = numbered.emplace_back();
        for (const std::string& word : ngram) numbers.push_back(*words.find(word));
    }
    const std::vector<std::span<const WordId>> spans(numbered.begin(), numbered.end());
    return {spans, static_cast<int>(order)};
}

}  // namespace

NgramFeatures::NgramFeatures(const Ngrams& ngrams, const Vocabulary& words)
    : NgramFeatures(ngrams, words, words_of(ngrams)) {}

NgramFeatures::NgramFeatures(const Ngrams& ngrams, const Vocabulary& words, Vocabulary own)
    : size_(ngrams.size()),
      own_(std::move(own)),
      automaton_(automaton_of(ngrams, own_)),
      features_(automaton_.size(), none) {
    for (const std::string_view word : words.texts())
        known_.push_back(own_.find(word).value_or(unknown_word));
    for (std::size_t i = 0; i < ngrams.size(); ++i) {
        State state = ReferenceAutomaton::root;
        for (const std::string& word : ngrams[i]) state = automaton_.child(state, *own_.find(word));
        if (features_[state] != none)
            fail<ConfigError>("the n-gram '", joined(ngrams[i]), "' has two features");
        features_[state] = static_cast<std::int32_t>(i);
    }
}

void NgramFeatures::find(std::span<const std::string> sentence,
                         std::vector<WordId>& numbers) const {
    numbers.clear();
    for (const std::string& word : sentence) {
        const bool boundary = word == sentence_begin || word == sentence_end;
        numbers.push_back(boundary ? unknown_word : own_.find(word).value_or(unknown_word));
    }
}

double NgramFeatures::estimate(std::span<const Symbol> target, std::span<const WordId> sentence,
                               std::span<const double> weights) const {
    double sum = 0.0;
    State state = ReferenceAutomaton::root;
    for (const Symbol symbol : target) {
        if (is_slot(symbol)) {
            state = ReferenceAutomaton::root;
            continue;
        }
        state = automaton_.next(state, number(symbol, sentence));
        for (State s = state; s != ReferenceAutomaton::root; s = automaton_.shorter(s))
            if (features_[s] != none) sum += weights[features_[s]];
    }
    return sum;
}

TriggerFeatures::TriggerFeatures(const std::vector<Trigger>& triggers, const Vocabulary& words)
    : size_(triggers.size()) {
    for (const Trigger& trigger : triggers) {
        const auto source = static_cast<std::size_t>(sources_.add(trigger.source));
        const Target target{targets_.add(trigger.target),
                            static_cast<std::int32_t>(&trigger - triggers.data())};
        by_source_.resize(sources_.size());
        if (std::ranges::find(by_source_[source], target.word, &Target::word) !=
            by_source_[source].end())
            fail<ConfigError>("the trigger '", trigger.source, "', '", trigger.target,
                              "' has two features");
        by_source_[source].push_back(target);
    }
    for (const std::string_view word : words.texts())
        known_.push_back(targets_.find(word).value_or(none));
}

void TriggerFeatures::find(std::span<const std::string> sentence, ActiveTriggers& active) const {
    active.own.clear();
    std::vector<Vocabulary::Id> sources;
    for (const std::string& word : sentence) {
        const bool boundary = word == sentence_begin || word == sentence_end;
        active.own.push_back(boundary ? none : targets_.find(word).value_or(none));
        if (const auto source = sources_.find(word)) sources.push_back(*source);
    }
    std::ranges::sort(sources);
    const auto repeated = std::ranges::unique(sources);
    sources.erase(repeated.begin(), repeated.end());

    active.first.assign(targets_.size() + 1, 0);
    for (const auto source : sources)
        for (const Target& target : by_source_[source]) ++active.first[target.word + 1];
    std::partial_sum(active.first.begin(), active.first.end(), active.first.begin());
    active.features.resize(active.first.back());
    std::vector<std::uint32_t> next(active.first.begin(), active.first.end() - 1);
    for (const auto source : sources)
        for (const Target& target : by_source_[source])
            active.features[next[target.word]++] = target.feature;
}

}  // namespace hopefear
