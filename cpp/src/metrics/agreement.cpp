#include "hopefear/metrics/agreement.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/base/hash_tables.hpp"
#include "hopefear/metrics/bleu.hpp"
#include "hopefear/nbest/products.hpp"

namespace hopefear {

namespace {

// The texts of a list as sequences of characters or of words.
using Sequences = std::vector<std::vector<std::uint64_t>>;

// How many n-grams each two of `size` texts share, for several orders.
class PairCounts {
  public:
    PairCounts(std::size_t size, std::size_t orders)
        : size_(size), orders_(orders), counts_(size * size * orders) {}

    // Of texts i < j, one number for each order.
    [[nodiscard]] std::span<std::uint32_t> at(std::size_t i, std::size_t j) {
        return std::span(counts_).subspan((i * size_ + j) * orders_, orders_);
    }
    [[nodiscard]] std::span<std::uint32_t> of(std::size_t i, std::size_t j) {
        return at(std::min(i, j), std::max(i, j));
    }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    std::size_t orders_;
    std::vector<std::uint32_t> counts_;
};

// Counts the n-grams that texts share, one order after the other.
//
// The k-th occurrence of an n-gram in a text is an item of its own, so that the number of items two
// texts have in common is the sum over n-grams of the smaller count.
class Sharing {
  public:
    // Begins with unigrams; each call of `count` is for the next order.
    explicit Sharing(const Sequences& texts) : texts_(texts), keys_(texts.size()) {
        for (std::size_t i = 0; i < texts.size(); ++i) keys_[i].resize(texts[i].size());
    }

    void count(PairCounts& pairs, std::size_t at) {
        extend_keys();
        read_items();
        sort_holders();
        const std::size_t size = texts_.size();
        std::uint32_t everywhere = 0;
        bits_.assign(degrees_.size(), none);
        std::uint32_t used = 0;
        for (std::size_t item = 0; item < degrees_.size(); ++item) {
            const auto holders = holders_of(item);
            if (holders.size() == size) {
                ++everywhere;
            } else if (8 * holders.size() > size) {
                bits_[item] = used++;  // a bit of each text: 64 items in one step
            } else {
                for (std::size_t i = 0; i < holders.size(); ++i)
                    for (std::size_t j = i + 1; j < holders.size(); ++j)
                        ++pairs.at(holders[i], holders[j])[at];
            }
        }
        count_bits(used, everywhere, pairs, at);
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    struct Occurrences {
        std::uint32_t item = 0;
        std::uint32_t text = none;  // the text that was last seen to have it, and how often
        std::uint32_t count = 0;
    };
    struct Holder {
        std::uint32_t item;
        std::uint32_t text;
    };

    // keys_[i][p] is the hash of the n-gram of text i that begins at p.
    void extend_keys() {
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            const auto& units = texts_[i];
            auto& keys = keys_[i];
            if (units.size() < order_ + 1) {
                keys.clear();
                continue;
            }
            keys.resize(units.size() - order_);
            for (std::size_t p = 0; p < keys.size(); ++p)
                keys[p] = hash_combine(keys[p], units[p + order_]);
        }
        ++order_;
    }

    // Which texts have each item.
    void read_items() {
        table_.clear();
        degrees_.clear();
        found_.clear();
        for (std::uint32_t text = 0; text < texts_.size(); ++text)
            for (const std::uint64_t key : keys_[text]) {
                const std::uint32_t before = occurrence(key, text);
                // The second, third, ... occurrence in the text has a key of its own.
                if (before > 0) occurrence(hash_combine(~key, before), text);
            }
    }

    // Add an occurrence; returns how many there were before in this text.
    std::uint32_t occurrence(std::uint64_t key, std::uint32_t text) {
        const auto [place, is_new] = table_.insert(key);
        if (is_new) {
            place->item = static_cast<std::uint32_t>(degrees_.size());
            degrees_.push_back(0);
        }
        if (place->text != text) {
            place->text = text;
            place->count = 0;
            ++degrees_[place->item];
            found_.push_back({place->item, text});
        }
        return place->count++;
    }

    // From items and texts in the order of texts to the texts of each item.
    void sort_holders() {
        begins_.assign(degrees_.size() + 1, 0);
        for (std::size_t item = 0; item < degrees_.size(); ++item)
            begins_[item + 1] = begins_[item] + degrees_[item];
        std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
        holders_.resize(found_.size());
        for (const Holder& holder : found_) holders_[next[holder.item]++] = holder.text;
    }
    [[nodiscard]] std::span<const std::uint32_t> holders_of(std::size_t item) const {
        return std::span(holders_).subspan(begins_[item], degrees_[item]);
    }

    void count_bits(std::size_t used, std::uint32_t everywhere, PairCounts& pairs, std::size_t at) {
        const std::size_t size = texts_.size();
        const std::size_t width = (used + 63) / 64;
        rows_.assign(size * width, 0);
        for (std::size_t item = 0; item < degrees_.size(); ++item) {
            if (bits_[item] == none) continue;
            for (const std::uint32_t text : holders_of(item))
                rows_[text * width + bits_[item] / 64] |= std::uint64_t{1} << (bits_[item] % 64);
        }
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = i + 1; j < size; ++j) {
                std::uint32_t shared = everywhere;
                for (std::size_t word = 0; word < width; ++word)
                    shared += static_cast<std::uint32_t>(
                        std::popcount(rows_[i * width + word] & rows_[j * width + word]));
                pairs.at(i, j)[at] += shared;
            }
    }

    const Sequences& texts_;
    std::size_t order_ = 0;
    Sequences keys_;
    FlatTable<Occurrences> table_;
    std::vector<std::uint32_t> degrees_;  // of each item: how many texts have it
    std::vector<Holder> found_;
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint32_t> holders_;
    std::vector<std::uint32_t> bits_;
    std::vector<std::uint64_t> rows_;
};

Sequences words_of(std::span<const std::string> texts) {
    Sequences words(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        for_each_word(separate_punctuation(texts[i]),
                      [&](std::string_view word) { words[i].push_back(hash_bytes(word)); });
    return words;
}

Sequences characters_of(std::span<const std::string> texts, const ChrfOptions& options) {
    Sequences characters(texts.size());
    std::vector<WordId> read;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        read_characters(texts[i], options, read);
        characters[i].assign(read.begin(), read.end());
    }
    return characters;
}

double ngrams(std::size_t units, std::size_t order) {
    return static_cast<double>(units - std::min(units, order - 1));
}

// out[i] = the mean of score(i, j) over the other texts j, in their order.
template <class Score>
void write_means(std::size_t size, std::span<double> out, const Score& score) {
    for (std::size_t i = 0; i < size; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < size; ++j)
            if (j != i) sum += score(i, j);
        out[i] = size > 1 ? sum / static_cast<double>(size - 1) : 0.0;
    }
}

}  // namespace

std::vector<double> chrf_agreement(const NBest& lists, const ChrfOptions& options,
                                   std::size_t threads) {
    std::vector<double> found(lists.hypotheses());
    const auto letters = static_cast<std::size_t>(options.character_order);
    const auto word_orders = static_cast<std::size_t>(options.word_order);
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        const NBest::Rows rows = lists.rows(sentence);
        const std::vector<std::string> texts = lists.texts(sentence);
        const Sequences characters = characters_of(texts, options);
        const Sequences words = word_orders > 0 ? words_of(texts) : Sequences();
        PairCounts pairs(texts.size(), options.orders());
        Sharing of_characters(characters);
        for (std::size_t k = 0; k < letters; ++k) of_characters.count(pairs, k);
        Sharing of_words(words);
        for (std::size_t k = 0; k < word_orders; ++k) of_words.count(pairs, letters + k);
        std::vector<double> row(options.dimension());
        const auto score = [&](std::size_t i, std::size_t j) {
            const auto shared = pairs.of(i, j);
            for (std::size_t order = 0; order < options.orders(); ++order) {
                const bool of_letters = order < letters;
                const Sequences& units = of_letters ? characters : words;
                const std::size_t k = of_letters ? order + 1 : order - letters + 1;
                row[3 * order + 1] = ngrams(units[j].size(), k);
                // An order for which the other text is too short is left out, as in ChrfReferences.
                row[3 * order] = row[3 * order + 1] > 0.0 ? ngrams(units[i].size(), k) : 0.0;
                row[3 * order + 2] = shared[order];
            }
            return chrf(row, options);
        };
        write_means(texts.size(), std::span(found).subspan(rows.begin, rows.size()), score);
    });
    return found;
}

std::vector<double> bleu_agreement(const NBest& lists, std::size_t order, std::size_t threads) {
    std::vector<double> found(lists.hypotheses());
    for_each_sentence(lists, threads, [&](std::size_t sentence) {
        const NBest::Rows rows = lists.rows(sentence);
        const Sequences words = words_of(lists.texts(sentence));
        PairCounts pairs(words.size(), order);
        Sharing sharing(words);
        for (std::size_t k = 0; k < order; ++k) sharing.count(pairs, k);
        std::vector<double> row(BleuStatistics<double>::dimension(order));
        const BleuStatistics<double> statistics{std::span<double>(row)};
        const auto score = [&](std::size_t i, std::size_t j) {
            const auto shared = pairs.of(i, j);
            for (std::size_t k = 1; k <= order; ++k) {
                statistics.matches(k) = shared[k - 1];
                statistics.total(k) = ngrams(words[i].size(), k);
            }
            statistics.reference_length() = static_cast<double>(words[j].size());
            return bleu(row, bleu_plus_one);
        };
        write_means(words.size(), std::span(found).subspan(rows.begin, rows.size()), score);
    });
    return found;
}

}  // namespace hopefear
