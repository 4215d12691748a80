// The language models of a translation model, over its words. Internal to the core: this needs
// KenLM's headers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/base/hash.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/lm/language_model.hpp"
#include "lm/left.hh"
#include "lm/model.hh"

namespace hopefear {

// Language model scores of parts of sentences, and the states that have to be remembered.
//
// Heafield (2011), KenLM: faster and smaller language model queries; Li & Khudanpur (2008), A
// scalable decoder for parsing-based machine translation. A part keeps on its left the words whose
// scores may still change and on its right those that later words may depend on: two parts with
// equal states are interchangeable.
using lm::ngram::ChartState;

// Whether two states are equal. Unlike in KenLM's comparison, an empty part differs from a part
// that depends on nothing: the words on its two sides see each other.
[[nodiscard]] inline bool same_state(const ChartState& a, const ChartState& b) {
    return a.left.full == b.left.full && a == b;
}

[[nodiscard]] inline std::uint64_t hash_state(const ChartState& state) {
    const lm::ngram::Left& left = state.left;
    std::uint64_t hash = hash_combine(left.length, left.full);
    if (left.length > 0) hash = hash_combine(hash, left.pointers[left.length - 1]);
    for (int i = 0; i < state.right.length; ++i) hash = hash_combine(hash, state.right.words[i]);
    return hash;
}

class ChartLanguageModel {
  public:
    explicit ChartLanguageModel(const LanguageModel& model);

    // The number of a word in the model, or that of <unk>.
    [[nodiscard]] std::uint32_t index(std::string_view word) const;

    // Score a target side: the log10 probability that its words add to the scores of the parts in
    // its slots. `words(symbol)` is the number of a word in this model, `tail(slot)` the state of a
    // part; the state of the whole is written to `state`.
    template <class Words, class Tail>
    float score(std::span<const Symbol> target, const Words& words, const Tail& tail,
                ChartState& state) const {
        return visit([&](const auto& model) {
            lm::ngram::RuleScore scorer(model, state);
            auto symbol = target.begin();
            // <s> is not scored, but the first word sees it.
            if (symbol != target.end() && *symbol == begin_word) {
                scorer.BeginSentence();
                ++symbol;
            } else if (symbol != target.end() && is_slot(*symbol)) {
                scorer.BeginNonTerminal(tail(slot_of(*symbol)));
                ++symbol;
            }
            for (; symbol != target.end(); ++symbol) {
                if (is_slot(*symbol))
                    scorer.NonTerminal(tail(slot_of(*symbol)));
                else
                    scorer.Terminal(words(*symbol));
            }
            return scorer.Finish();
        });
    }

    // What `score` would give with unknown parts in the slots.
    template <class Words>
    [[nodiscard]] float estimate(std::span<const Symbol> target, const Words& words) const {
        float sum = 0.0f;
        ChartState state;
        const auto none = [&](std::int32_t) -> const ChartState& { return state; };
        while (!target.empty()) {
            std::size_t run = 0;
            while (run < target.size() && !is_slot(target[run])) ++run;
            if (run > 0) sum += score(target.first(run), words, none, state);
            target = target.subspan(run < target.size() ? run + 1 : run);
        }
        return sum;
    }

  private:
    enum class Kind { probing, rest_probing, trie, array_trie, quant_trie, quant_array_trie };

    // KenLM's models are templates; its virtual functions do not give access to chart states.
    template <class Visitor>
    [[nodiscard]] float visit(const Visitor& visitor) const {
        switch (kind_) {
            case Kind::probing:
                return visitor(static_cast<const lm::ngram::ProbingModel&>(*model_));
            case Kind::rest_probing:
                return visitor(static_cast<const lm::ngram::RestProbingModel&>(*model_));
            case Kind::trie:
                return visitor(static_cast<const lm::ngram::TrieModel&>(*model_));
            case Kind::array_trie:
                return visitor(static_cast<const lm::ngram::ArrayTrieModel&>(*model_));
            case Kind::quant_trie:
                return visitor(static_cast<const lm::ngram::QuantTrieModel&>(*model_));
            case Kind::quant_array_trie:
                return visitor(static_cast<const lm::ngram::QuantArrayTrieModel&>(*model_));
        }
        return 0.0f;
    }

    const lm::base::Model* model_;
    Kind kind_;
};

class LanguageModels {
    // The number of a symbol in one of the models.
    struct Numbers {
        std::span<const std::uint32_t> known;
        const std::uint32_t* own;

        std::uint32_t operator()(Symbol symbol) const {
            const auto word = static_cast<std::size_t>(symbol);
            return word < known.size() ? known[word] : own[word - known.size()];
        }
    };

  public:
    LanguageModels(std::span<const NamedLanguageModel> models, const Vocabulary& words);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    void find(std::span<const std::string> sentence,
              std::vector<std::vector<std::uint32_t>>& numbers) const;
    // Whether a model knows a word of the translation model, or any word; <unk> is number 0.
    [[nodiscard]] bool knows(std::size_t model, Symbol word) const {
        return entries_[model].words[word] != 0;
    }
    [[nodiscard]] bool knows(std::size_t model, std::string_view word) const {
        return entries_[model].model.index(word) != 0;
    }

    // See ChartLanguageModel. A symbol beyond the words of the translation model is a word of the
    // sentence.
    template <class Tail>
    float score(std::size_t model, std::span<const Symbol> target, const SentenceWords& sentence,
                const Tail& tail, ChartState& state) const {
        return entries_[model].model.score(target, numbers(model, sentence), tail, state);
    }
    [[nodiscard]] float estimate(std::size_t model, std::span<const Symbol> target,
                                 const SentenceWords& sentence) const {
        return entries_[model].model.estimate(target, numbers(model, sentence));
    }

  private:
    struct Entry {
        std::shared_ptr<const LanguageModel> owner;
        ChartLanguageModel model;
        std::vector<std::uint32_t> words;
    };

    [[nodiscard]] Numbers numbers(std::size_t model, const SentenceWords& sentence) const {
        return {entries_[model].words, sentence.language_models[model].data()};
    }

    std::vector<Entry> entries_;
};

}  // namespace hopefear
