// The language models of a translation model, over its words. Internal to the core: this needs
// KenLM's headers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hopefear/decode/translation_model.hpp"
#include "hopefear/lm/language_model.hpp"
#include "lm/model.hh"
#include "lm/state.hh"

namespace hopefear {

class ChartLanguageModel {
  public:
    explicit ChartLanguageModel(const LanguageModel& model);

    // The number of a word in the model, or that of <unk>.
    [[nodiscard]] std::uint32_t index(std::string_view word) const;

    // What a word adds if nothing comes before it, and what of it the next word sees.
    struct Start {
        float score;
        float backoff;
        bool seen;
        bool left_done;
    };
    [[nodiscard]] Start start(std::uint32_t word) const;

    // The log10 probability that the words of a target side have without those of the parts in its
    // slots; `words(symbol)` is the number of a word in this model, starts[symbol] its start,
    // unless it is beyond those. Less than `least` may be any number below it: the rest is then not
    // computed.
    template <class Words>
    [[nodiscard]] float estimate(std::span<const Symbol> target, const Words& words,
                                 std::span<const Start> starts, float least) const {
        return visit([&](const auto& model) {
            float sum = 0.0f;
            for (auto symbol = target.begin(); symbol != target.end(); ++symbol) {
                // As KenLM's RuleScore, from one slot to the next.
                float run = 0.0f;
                // Used in turns: a state that was just written cannot be copied quickly.
                std::array<lm::ngram::State, 2> states;
                std::size_t now = 0;
                states[now].length = 0;
                bool left_done = false;
                // <s> is not scored, but the first word sees it.
                if (symbol == target.begin() && *symbol == begin_word) {
                    states[now] = model.BeginSentenceState();
                    left_done = true;
                    ++symbol;
                } else if (symbol != target.end() && !is_slot(*symbol) &&
                           static_cast<std::size_t>(*symbol) < starts.size()) {
                    const Start& start = starts[static_cast<std::size_t>(*symbol)];
                    run = start.score;
                    left_done = start.left_done;
                    if (sum + run < least) return sum + run;
                    states[now].words[0] = words(*symbol);
                    states[now].backoff[0] = start.backoff;
                    states[now].length = start.seen ? 1 : 0;
                    ++symbol;
                }
                for (; symbol != target.end() && !is_slot(*symbol); ++symbol, now = 1 - now) {
                    const lm::ngram::State& before = states[now];
                    lm::ngram::State& after = states[1 - now];
                    const auto found = model.FullScore(before, words(*symbol), after);
                    run += left_done || found.independent_left ? found.prob : found.rest;
                    left_done =
                        left_done || found.independent_left || after.length != before.length + 1;
                    if (sum + run < least) return sum + run;
                }
                sum += run;
                if (symbol == target.end()) break;
            }
            return sum;
        });
    }

    // KenLM's models are templates; its virtual functions do not give access to chart states.
    template <class Visitor>
    [[nodiscard]] auto visit(const Visitor& visitor) const {
        switch (kind_) {
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
            case Kind::probing:
                break;
        }
        return visitor(static_cast<const lm::ngram::ProbingModel&>(*model_));
    }

  private:
    enum class Kind { probing, rest_probing, trie, array_trie, quant_trie, quant_array_trie };

    const lm::base::Model* model_;
    Kind kind_;
};

class LanguageModels {
  public:
    // The number of a symbol in one of the models.
    struct Numbers {
        std::span<const std::uint32_t> known;
        const std::uint32_t* own;

        std::uint32_t operator()(Symbol symbol) const {
            const auto word = static_cast<std::size_t>(symbol);
            return word < known.size() ? known[word] : own[word - known.size()];
        }
    };

    LanguageModels(std::span<const NamedLanguageModel> models, const Vocabulary& words);

    // Throw FormatError if the file of a model changed since it was opened.
    void check_unchanged() const {
        for (const Entry& entry : entries_) entry.owner->check_unchanged();
    }
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

    [[nodiscard]] const ChartLanguageModel& operator[](std::size_t model) const {
        return entries_[model].model;
    }
    // A symbol beyond the words of the translation model is a word of the sentence.
    [[nodiscard]] Numbers numbers(std::size_t model, const SentenceWords& sentence) const {
        return {entries_[model].words, sentence.language_models[model].data()};
    }
    // See ChartLanguageModel.
    [[nodiscard]] float estimate(std::size_t model, std::span<const Symbol> target,
                                 const SentenceWords& sentence,
                                 float least = -std::numeric_limits<float>::infinity()) const {
        const Entry& entry = entries_[model];
        return entry.model.estimate(target, numbers(model, sentence), entry.starts, least);
    }

  private:
    struct Entry {
        std::shared_ptr<const LanguageModel> owner;
        ChartLanguageModel model;
        std::vector<std::uint32_t> words;
        std::vector<ChartLanguageModel::Start> starts;  // by word, as above
    };

    std::vector<Entry> entries_;
};

}  // namespace hopefear
