#include "hopefear/metrics/chrf.hpp"

#include <algorithm>
#include <utility>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/metrics/reference_automaton.hpp"

namespace hopefear {

namespace {

// The length of the UTF-8 character that begins with `byte`.
std::size_t character_size(char byte) {
    const auto b = static_cast<unsigned char>(byte);
    return b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
}

// Append the characters of `text` as numbers; different characters get different numbers.
void append_characters(std::string_view text, std::vector<WordId>& characters) {
    while (!text.empty()) {
        const std::size_t size = std::min(text.size(), character_size(text[0]));
        WordId code = 0;
        for (std::size_t i = 0; i < size; ++i)
            code = code << 6 | (static_cast<unsigned char>(text[i]) & (i == 0 ? 0x7f : 0x3f));
        characters.push_back(code);
        text.remove_prefix(size);
    }
}

bool is_punctuation(char c) {
    return std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~").find(c) != std::string_view::npos;
}

// Percent, computed in the same order as in sacreBLEU: references are compared by this value, and
// ties must stay ties.
double chrf_percent(std::span<const double> statistics, const ChrfOptions& options) {
    constexpr double epsilon = 1e-16;
    const double factor = options.beta * options.beta;
    const auto f_score = [&](double precision, double recall) {
        return (1.0 + factor) * precision * recall / (factor * precision + recall);
    };
    double sum = 0.0;
    double precisions = 0.0;
    double recalls = 0.0;
    double effective = 0.0;
    for (std::size_t i = 0; i < options.orders(); ++i) {
        const double hypothesis = statistics[3 * i];
        const double reference = statistics[3 * i + 1];
        const double matches = statistics[3 * i + 2];
        const double precision = hypothesis > 0.0 ? matches / hypothesis : epsilon;
        const double recall = reference > 0.0 ? matches / reference : epsilon;
        if (options.epsilon_smoothing)
            sum += precision + recall > 0.0 ? f_score(precision, recall) : epsilon;
        if (hypothesis > 0.0 && reference > 0.0) {
            precisions += precision;
            recalls += recall;
            effective += 1.0;
        }
    }
    if (options.epsilon_smoothing) return 100.0 * sum / static_cast<double>(options.orders());
    if (precisions + recalls == 0.0) return 0.0;
    return 100.0 * f_score(precisions / effective, recalls / effective);
}

}  // namespace

void read_characters(std::string_view text, const ChrfOptions& options,
                     std::vector<WordId>& characters) {
    characters.clear();
    if (options.whitespace)
        append_characters(text, characters);
    else
        for_each_word(text, [&](auto word) { append_characters(word, characters); });
}

std::string separate_punctuation(std::string_view text) {
    std::string separated;
    for_each_word(text, [&](std::string_view word) {
        std::size_t first = word.size();  // where the second word begins
        if (word.size() > character_size(word[0])) {
            if (is_punctuation(word.back()))
                first = word.size() - 1;
            else if (is_punctuation(word.front()))
                first = 1;
        }
        separated.append(word.substr(0, first)).push_back(' ');
        if (first < word.size()) separated.append(word.substr(first)).push_back(' ');
    });
    return separated;
}

double chrf(std::span<const double> statistics, const ChrfOptions& options) {
    return chrf_percent(statistics, options) / 100.0;
}

// Statistics of the hypotheses of one sentence after the other, with reused buffers.
class ChrfReferences::Matcher {
  public:
    explicit Matcher(const ChrfReferences& references)
        : references_(references), options_(references.options_), row_(options_.dimension()) {}

    void match(std::size_t sentence, std::string_view text, std::span<double> out) {
        if (sentence != sentence_) enter(sentence);
        read_characters(text, options_, characters_);
        if (options_.word_order > 0) read_words(text);
        double best = -1.0;
        for (const Side& side : sides_) {
            fill(characters_, side.characters, side.character_count, 0);
            if (options_.word_order > 0)
                fill(words_, side.words, side.word_count, std::size_t{3} * side.characters.order());
            const double score = chrf_percent(row_, options_);
            if (score > best) {
                best = score;
                std::ranges::copy(row_, out.begin());
            }
        }
    }

  private:
    // One reference.
    struct Side {
        ReferenceAutomaton characters;
        std::size_t character_count;
        ReferenceAutomaton words;
        std::size_t word_count;
    };

    void enter(std::size_t sentence) {
        const auto automaton = [](std::span<const WordId> sequence, int order) {
            return ReferenceAutomaton(std::span(&sequence, 1), order);
        };
        sides_.clear();
        for (std::size_t r = 0; r < references_.references_[sentence].size(); ++r) {
            read_characters(references_.references_[sentence][r], options_, characters_);
            std::span<const WordId> words;
            if (options_.word_order > 0) words = references_.words_->words(sentence, r);
            sides_.push_back({automaton(characters_, options_.character_order), characters_.size(),
                              automaton(words, std::max(1, options_.word_order)), words.size()});
        }
        sentence_ = sentence;
    }

    void read_words(std::string_view text) {
        words_.clear();
        for_each_word(separate_punctuation(text), [&](std::string_view word) {
            words_.push_back(references_.words_->find(word));
        });
    }

    // The statistics of all orders of one kind, from position `at` on.
    void fill(std::span<const WordId> hypothesis, const ReferenceAutomaton& automaton,
              std::size_t reference_size, std::size_t at) {
        const auto count = [](std::size_t size, std::size_t k) {
            return static_cast<double>(size - std::min(size, k - 1));
        };
        matches_.assign(static_cast<std::size_t>(automaton.order()), 0.0);
        automaton.count_clipped(hypothesis, seen_, matches_);
        for (std::size_t k = 1; k <= matches_.size(); ++k, at += 3) {
            row_[at + 1] = count(reference_size, k);
            // An order for which the reference is too short is left out.
            row_[at] = row_[at + 1] > 0.0 ? count(hypothesis.size(), k) : 0.0;
            row_[at + 2] = matches_[k - 1];
        }
    }

    const ChrfReferences& references_;
    const ChrfOptions& options_;
    std::size_t sentence_ = static_cast<std::size_t>(-1);
    std::vector<Side> sides_;
    std::vector<WordId> characters_;
    std::vector<WordId> words_;
    std::vector<std::int32_t> seen_;
    std::vector<double> matches_;
    std::vector<double> row_;
};

ChrfReferences::ChrfReferences(std::vector<std::vector<std::string>> references,
                               const ChrfOptions& options)
    : references_(std::move(references)), options_(options) {
    constexpr int most = ReferenceAutomaton::max_order;
    if (options.character_order < 1 || options.character_order > most)
        fail<ConfigError>("the character order of chrF must be from 1 to ", most, ", got ",
                          options.character_order);
    if (options.word_order < 0 || options.word_order > most)
        fail<ConfigError>("the word order of chrF must be from 0 to ", most, ", got ",
                          options.word_order);
    for (std::size_t sentence = 0; sentence < references_.size(); ++sentence)
        if (references_[sentence].empty())
            fail<DataError>("sentence ", sentence, " has no reference");
    if (options.word_order == 0) return;
    std::vector<std::vector<std::string>> separated = references_;
    for (auto& texts : separated)
        for (auto& text : texts) text = separate_punctuation(text);
    words_ = std::make_unique<const ReferenceWords>(separated);
}

std::vector<double> ChrfReferences::statistics(std::span<const std::string> texts,
                                               std::span<const std::int64_t> sentences,
                                               std::size_t threads) const {
    check_sentences(texts.size(), sentences, references_.size());
    constexpr std::size_t block = 64;
    const std::size_t dimension = options_.dimension();
    std::vector<double> statistics(texts.size() * dimension);
    parallel_blocks(texts.size(), block, threads, [&](std::size_t begin, std::size_t end) {
        Matcher matcher(*this);
        for (std::size_t row = begin; row < end; ++row)
            matcher.match(static_cast<std::size_t>(sentences[row]), texts[row],
                          std::span(statistics).subspan(row * dimension, dimension));
    });
    return statistics;
}

}  // namespace hopefear
