// Language model scores of parts of sentences, and the states that have to be remembered.
//
// Heafield (2011), KenLM: faster and smaller language model queries; Li & Khudanpur (2008), A
// scalable decoder for parsing-based machine translation. A part keeps on its left the words whose
// scores may still change and on its right those that later words may depend on: two parts with
// equal states are interchangeable.
//
// Cube pruning asks for the same few n-grams again and again. So the states of both sides are
// numbered, and what a word or a part adds after a state is computed once and looked up in small
// tables afterwards. The scores are those of KenLM's RuleScore, bit for bit. Internal to the core:
// this needs KenLM's headers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hopefear/base/hash.hpp"
#include "hopefear/decode/language_models.hpp"
#include "lm/state.hh"

namespace hopefear {

// The states of a part's two sides, by their numbers.
struct PartState {
    std::uint32_t left = 0;
    std::uint32_t right = 0;

    [[nodiscard]] std::uint64_t key() const { return std::uint64_t{left} << 32 | right; }
};

// Remembers values by nonzero keys; a value may push out another one, so that all of them stay in
// the processor's cache.
template <class Value, int bits>
class Memory {
  public:
    // The place of a key's value, and whether the value is there. If not, it is to be written.
    std::pair<Value&, bool> find(std::uint64_t key) {
        Slot& slot = slots_[key * 0x9e3779b97f4a7c15u >> (64 - bits)];
        if (slot.key == key) return {slot.value, true};
        slot.key = key;
        return {slot.value, false};
    }
    void clear() {
        for (Slot& slot : slots_) slot.key = 0;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        Value value{};
    };
    std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << bits);
};

// Different values, numbered in order of arrival.
template <class Value>
class Numbering {
  public:
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] const Value& operator[](std::uint32_t number) const { return values_[number]; }
    // The number of the value for which `equal(value)` is true, which is made if there is none.
    template <class Equal, class Make>
    std::uint32_t find(std::uint64_t hash, const Equal& equal, const Make& make) {
        const std::size_t mask = slots_.size() - 1;
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t at = hash & mask;
        for (; slots_[at].number != none; at = (at + 1) & mask)
            if (slots_[at].tag == tag && equal(values_[slots_[at].number]))
                return slots_[at].number;
        const auto number = static_cast<std::uint32_t>(size());
        slots_[at] = {number, tag};
        hashes_.push_back(hash);
        values_.push_back(make());
        if (2 * (size() + 1) > slots_.size()) grow();
        return number;
    }
    void clear() {
        values_.clear();
        hashes_.clear();
        slots_.assign(first_size, {});
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::size_t first_size = 1024;

    struct Slot {
        std::uint32_t number = none;
        std::uint32_t tag = 0;  // the upper half of the hash: most others need not be looked at
    };

    void grow() {
        slots_.assign(2 * slots_.size(), {});
        const std::size_t mask = slots_.size() - 1;
        for (std::uint32_t number = 0; number < size(); ++number) {
            std::size_t at = hashes_[number] & mask;
            while (slots_[at].number != none) at = (at + 1) & mask;
            slots_[at] = {number, static_cast<std::uint32_t>(hashes_[number] >> 32)};
        }
    }

    std::vector<Value> values_;
    std::vector<std::uint64_t> hashes_;
    std::vector<Slot> slots_ = std::vector<Slot>(first_size);
};

// Not thread-safe.
class PartScorer {
  public:
    explicit PartScorer(const ChartLanguageModel& model) : model_(&model) { clear(); }

    // Call before each sentence: states of earlier ones are no longer valid.
    void begin() {
        if (rights_.size() > most_states) clear();
    }

    // Score a target side: the log10 probability that its words add to the scores of the parts in
    // its slots. `words(symbol)` is the number of a word in this model, `tail(slot)` the state of a
    // part; the state of the whole is written to `out`.
    template <class Words, class Tail>
    float score(std::span<const Symbol> target, Words words, Tail tail, PartState& out) {
        return model_->visit(
            [=, this, &out](const auto& model) { return run(model, target, words, tail, out); });
    }

  private:
    static constexpr std::uint32_t empty = 0;  // the numbers of the states of no words
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::size_t most_states = 1 << 14;
    static constexpr std::size_t most_words = KENLM_MAX_ORDER - 1;

    using Right = lm::ngram::State;
    // The words on the left are n-grams, each one word longer than the one before, so that the last
    // of them tells them all.
    struct Left {
        std::array<std::uint64_t, most_words> ngrams{};
        std::uint8_t length = 0;
        bool full = false;    // words before the part change no scores but those on the left
        float unrest = 0.0f;  // what the scores change by if nothing comes before

        [[nodiscard]] std::uint64_t last() const { return length == 0 ? 0 : ngrams[length - 1]; }
    };
    // What a word adds to the score, alone or with all that may come before.
    struct Step {
        std::uint64_t ngram = 0;
        float score = 0.0f;
        float rest = 0.0f;
        std::uint32_t right : 30 = 0;       // the state after the word
        std::uint32_t independent : 1 = 0;  // of words further to the left
        std::uint32_t done : 1 = 0;         // so are all words after it
    };
    // What the words on the left of a part add after the state of a right side.
    struct Junction {
        std::uint8_t steps = 0;
        std::uint8_t use = 0;  // words of the right side that matter after those on the left
        float unrest = 0.0f;   // of the words on the left that no longer see it
        std::array<float, most_words> backoff{};
        std::array<Step, most_words> step{};
    };
    struct Progress {
        float score = 0.0f;
        std::uint32_t right = empty;
        bool done = false;            // no further words on the left
        std::uint32_t start = empty;  // words on the left before the added ones
        std::uint32_t added = 0;
        std::array<std::uint64_t, most_words> ngrams;
    };

    void clear() {
        rights_.clear();
        lefts_.clear();
        words_.clear();
        junctions_.clear();
        begin_ = none;
        // These get the number `empty`.
        Right nothing{};
        nothing.length = 0;
        number(nothing);
        lefts_.find(0, [](const Left&) { return false; }, [] { return Left(); });
    }

    template <class Model, class Words, class Tail>
    float run(const Model& model, std::span<const Symbol> target, const Words& words,
              const Tail& tail, PartState& out) {
        Progress progress;
        const Symbol* symbol = target.data();
        const Symbol* const end = symbol + target.size();
        if (symbol != end && is_slot(*symbol)) {
            const PartState first = tail(slot_of(*symbol++));
            progress.right = first.right;
            progress.start = first.left;
            progress.done = lefts_[first.left].full;
        } else if (symbol != end && *symbol == begin_word) {
            // <s> is not scored, but the first word sees it.
            progress.right = begin_state(model);
            progress.done = true;
            ++symbol;
        }
        for (; symbol != end; ++symbol) {
            if (is_slot(*symbol))
                add_part(model, tail(slot_of(*symbol)), progress);
            else
                add_word(model, words(*symbol), progress);
        }
        out = {finish(model, progress), progress.right};
        return progress.score;
    }

    template <class Model>
    std::uint32_t begin_state(const Model& model) {
        if (begin_ == none) begin_ = number(model.BeginSentenceState());
        return begin_;
    }

    static void add(const Step& step, Progress& progress) {
        if (progress.done || step.independent) {
            progress.score += step.score;
            progress.done = true;
        } else {
            progress.ngrams[progress.added++] = step.ngram;
            progress.score += step.rest;
            progress.done = step.done;
        }
    }

    // As RuleScore::Terminal.
    template <class Model>
    void add_word(const Model& model, std::uint32_t word, Progress& progress) {
        // One more than the word: keys are not 0.
        const std::uint64_t key = std::uint64_t{progress.right} << 32 | (std::uint64_t{word} + 1);
        const auto [found, known] = words_.find(key);
        if (!known) [[unlikely]] {
            const Right before = rights_[progress.right];
            Right after;
            const lm::FullScoreReturn score = model.FullScore(before, word, after);
            found = {score.extend_left,
                     score.prob,
                     score.rest,
                     number(after),
                     score.independent_left,
                     after.length != before.length + 1};
        }
        add(found, progress);
        progress.right = found.right;
    }

    // As RuleScore::NonTerminal.
    template <class Model>
    void add_part(const Model& model, PartState in, Progress& progress) {
        const Left& left = lefts_[in.left];
        if (left.length == 0) {
            if (!left.full) return;
            const Right& before = rights_[progress.right];
            for (int i = 0; i < before.length; ++i) progress.score += before.backoff[i];
            progress.done = true;
            progress.right = in.right;
            return;
        }
        if (progress.right == empty) {
            progress.right = in.right;
            if (progress.done) {
                progress.score += left.unrest;
            } else if (progress.start != empty || progress.added > 0) {
                progress.done = true;
            } else {
                progress.start = in.left;
                progress.done = left.full;
            }
            return;
        }
        const Junction& junction = find_junction(model, progress.right, in.left);
        for (std::uint32_t i = 0; i < junction.steps; ++i) add(junction.step[i], progress);
        if (junction.use == 0) {
            progress.score += junction.unrest;
            progress.right = in.right;
            return;
        }
        if (left.full) {
            for (int i = 0; i < junction.use; ++i) progress.score += junction.backoff[i];
            progress.done = true;
            progress.right = in.right;
            return;
        }
        // The right side may have lost words already: then it depends on no others.
        Right after = rights_[in.right];
        if (after.length >= left.length) {
            std::copy_n(rights_[progress.right].words, junction.use, after.words + after.length);
            std::copy_n(junction.backoff.data(), junction.use, after.backoff + after.length);
            after.length = static_cast<unsigned char>(after.length + junction.use);
            progress.right = number(after);
        } else {
            progress.right = in.right;
        }
    }

    template <class Model>
    const Junction& find_junction(const Model& model, std::uint32_t right, std::uint32_t in) {
        const auto [found, known] = junctions_.find(std::uint64_t{right} << 32 | in);
        if (known) return found;
        const Left& left = lefts_[in];
        const Right& before = rights_[right];
        found.steps = 0;
        found.unrest = 0.0f;
        std::array<float, most_words> backoff;
        std::copy_n(before.backoff, before.length, backoff.begin());
        unsigned char use = before.length;
        for (unsigned char length = 1; length <= left.length && use > 0; ++length) {
            const lm::FullScoreReturn score =
                model.ExtendLeft(before.words, before.words + use, backoff.data(),
                                 left.ngrams[length - 1], length, found.backoff.data(), use);
            backoff = found.backoff;
            found.step[found.steps++] = {score.extend_left,      score.prob,          score.rest, 0,
                                         score.independent_left, use != before.length};
            if (use == 0)
                found.unrest = model.UnRest(left.ngrams.data() + length,
                                            left.ngrams.data() + left.length, length + 1);
        }
        found.use = use;
        return found;
    }

    // The number of the left side.
    template <class Model>
    std::uint32_t finish(const Model& model, const Progress& progress) {
        const Left& start = lefts_[progress.start];
        const std::size_t length = start.length + progress.added;
        const bool full = progress.done || length == model.Order() - 1u;
        if (progress.added == 0 && full == start.full) return progress.start;
        const std::uint64_t last =
            progress.added > 0 ? progress.ngrams[progress.added - 1] : start.last();
        const auto same = [&](const Left& left) {
            return left.length == length && left.full == full && left.last() == last;
        };
        return lefts_.find(hash_combine(last, length << 1 | (full ? 1 : 0)), same, [&] {
            Left left = start;
            std::copy_n(progress.ngrams.begin(), progress.added, left.ngrams.begin() + left.length);
            left.length = static_cast<std::uint8_t>(length);
            left.full = full;
            left.unrest = model.UnRest(left.ngrams.data(), left.ngrams.data() + length, 1);
            return left;
        });
    }

    std::uint32_t number(const Right& state) {
        std::uint64_t hash = state.length;
        for (int i = 0; i < state.length; ++i) hash = hash_combine(hash, state.words[i]);
        return rights_.find(
            hash, [&](const Right& other) { return other == state; }, [&] { return state; });
    }

    const ChartLanguageModel* model_;
    Numbering<Right> rights_;
    Numbering<Left> lefts_;
    Memory<Step, 11> words_;          // by state and word
    Memory<Junction, 10> junctions_;  // by states
    std::uint32_t begin_ = none;      // the state after <s>
};

}  // namespace hopefear
