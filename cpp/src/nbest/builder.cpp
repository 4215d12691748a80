#include "hopefear/nbest/builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/growing_array.hpp"
#include "hopefear/base/hash.hpp"

namespace hopefear {

namespace {

// Memory is released whenever this many bytes of the files may have been touched.
constexpr std::size_t release_every = std::size_t{16} << 20;
// There is an offset for each sentence number: a wrong number must not fill the memory.
constexpr std::size_t sentences_always = std::size_t{1} << 20;
constexpr std::size_t sentences_per_hypothesis = 1000;

void decode(std::span<const std::uint8_t> text, std::vector<WordId>& ids) {
    ids.resize(text.size());  // each takes a byte at least
    WordId* next = ids.data();
    for (const std::uint8_t* at = text.data(); at != text.data() + text.size();)
        *next++ = static_cast<WordId>(read_number(at));
    ids.resize(static_cast<std::size_t>(next - ids.data()));
}

template <class T>
[[nodiscard]] std::uint64_t load(const char* at) {
    T bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// The first and the last bytes of a word of at most sixteen: with its length they are all of it.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> ends(std::string_view word) {
    const char* const begin = word.data();
    const char* const end = begin + word.size();
    if (word.size() >= 8) return {load<std::uint64_t>(begin), load<std::uint64_t>(end - 8)};
    if (word.size() >= 4) return {load<std::uint32_t>(begin), load<std::uint32_t>(end - 4)};
    if (word.size() >= 2) return {load<std::uint16_t>(begin), load<std::uint16_t>(end - 2)};
    return {load<std::uint8_t>(begin), 0};
}

// The rows sorted by sentence (a stable sort); empty if they are sorted already. `offsets` receives
// the first row of each sentence.
[[nodiscard]] std::vector<std::uint32_t> sorted_by_sentence(
    std::span<const std::uint32_t> sentence_of, std::vector<std::int64_t>& offsets) {
    for (const std::uint32_t sentence : sentence_of) ++offsets[sentence + 1];
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    if (std::ranges::is_sorted(sentence_of)) return {};
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    std::vector<std::uint32_t> order(sentence_of.size());
    for (std::size_t row = 0; row < order.size(); ++row)
        order[next[sentence_of[row]]++] = static_cast<std::uint32_t>(row);
    return order;
}

}  // namespace

void FeatureTable::check(std::size_t rows) const {
    if (offsets.empty()) return;
    const auto end = static_cast<std::int64_t>(ids.size());
    if (offsets.size() != rows + 1 || ids.size() != values.size() || offsets.front() < 0 ||
        offsets.back() != end || !std::ranges::is_sorted(offsets))
        fail<DataError>("sparse features of ", rows, " hypotheses need ", rows + 1,
                        " sorted offsets, the last of which is the number of ids and of values; ",
                        "found ", offsets.size(), " offsets, ", ids.size(), " ids and ",
                        values.size(), " values");
}

void FeatureTable::read(std::size_t row, std::vector<FeatureId>& row_ids,
                        std::vector<double>& row_values) const {
    row_ids.resize(columns.size());
    row_values.resize(columns.size());
    std::size_t present = 0;
    for (const auto& [id, first, stride] : columns) {
        const double value = first[static_cast<std::ptrdiff_t>(row) * stride];
        row_ids[present] = id;
        row_values[present] = value;
        present += std::isnan(value) ? 0 : 1;
    }
    row_ids.resize(present);
    row_values.resize(present);
    if (offsets.empty()) return;
    for (std::int64_t i = offsets[row]; i < offsets[row + 1]; ++i) {
        row_ids.push_back(ids[i]);
        row_values.push_back(values[i]);
    }
}

NBestBuilder::NBestBuilder(std::shared_ptr<Vocabulary> word_names,
                           std::shared_ptr<Vocabulary> feature_names, NBestOptions options)
    : word_names_(std::move(word_names)),
      feature_names_(std::move(feature_names)),
      options_(std::move(options)) {
    if (options_.directory.empty())
        options_.directory = std::filesystem::temp_directory_path().string();
}

bool NBestBuilder::add(std::size_t sentence, std::string_view text, std::span<const FeatureId> ids,
                       std::span<const double> values) {
    if (ids.size() != values.size())
        fail<DataError>("sentence ", sentence, ", hypothesis '", text, "': ", ids.size(),
                        " features, but ", values.size(), " values");
    new_ids_.assign(ids.begin(), ids.end());
    new_values_.assign(values.begin(), values.end());
    return add_new(sentence, text);
}

std::vector<std::int64_t> NBestBuilder::add(std::span<const std::int64_t> sentences,
                                            std::span<const std::string_view> texts,
                                            const FeatureTable& table) {
    std::vector<std::int64_t> places;
    places.reserve(texts.size());
    sentence_.reserve_more(texts.size());
    hashes_.reserve_more(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        table.read(i, new_ids_, new_values_);
        add_new(static_cast<std::size_t>(sentences[i]), texts[i]);
        places.push_back(static_cast<std::int64_t>(last_added_));
    }
    return places;
}

// Add the features in new_ids_ and new_values_.
bool NBestBuilder::add_new(std::size_t sentence, std::string_view text) {
    normalize_row(new_ids_, new_values_);
    if (!new_ids_.empty() && static_cast<std::size_t>(new_ids_.back()) >= feature_names_->size())
        fail<DataError>("sentence ", sentence, ", hypothesis '", text, "': feature id ",
                        new_ids_.back(), " has no name; there are ", feature_names_->size());
    for (std::size_t i = 0; i < new_ids_.size(); ++i) {
        if (!std::isfinite(new_values_[i]))
            fail<DataError>("sentence ", sentence, ", hypothesis '", text, "': feature '",
                            feature_names_->text(new_ids_[i]), "' is ", new_values_[i],
                            "; values must be finite");
        new_values_[i] += 0.0;  // no -0.0: equal numbers have equal bytes
    }
    encode_text(text);
    return add_row(sentence);
}

std::size_t NBestBuilder::add(const NBest& other) {
    std::vector<std::int64_t> sentences(other.sentences());
    std::iota(sentences.begin(), sentences.end(), 0);
    return add(other, sentences);
}

// Adds hypotheses of other lists. Our ids of their names are found when needed.
class NBestBuilder::Import {
  public:
    Import(NBestBuilder& builder, const NBest& other)
        : builder_(builder),
          other_(other),
          features_(other.feature_count(), -1),
          same_features_(builder.feature_names_ == other.feature_names()),
          same_words_(builder.word_names_ == other.words()) {}

    // Call added(row) for each row of the sentence that was new.
    template <class Added>
    void add(std::size_t sentence, const Added& added) {
        const auto [begin, end] = other_.rows(sentence);
        other_.text_->read_all(sentence, end - begin, texts_);
        for (std::size_t row = begin; row < end; ++row) {
            add_features(other_.features(row));
            add_text(texts_[row - begin]);
            if (builder_.add_row(sentence)) added(row);
        }
        other_.release(sentence, sentence + 1);
    }

  private:
    void add_features(const SparseView& features) {
        builder_.new_values_.assign(features.values.begin(), features.values.end());
        builder_.new_ids_.assign(features.ids.begin(), features.ids.end());
        if (same_features_) return;
        for (FeatureId& id : builder_.new_ids_) {
            FeatureId& known = features_[id];
            if (known < 0) known = builder_.feature_names_->add(other_.feature_names()->text(id));
            id = known;
        }
        normalize_row(builder_.new_ids_, builder_.new_values_);
    }

    void add_text(std::span<const WordId> text) {
        std::uint8_t* at = builder_.begin_text(text.size());
        for (const WordId id : text) {
            const WordId own = own_word(id);
            if (std::ranges::binary_search(other_.separators_, id)) builder_.keep_separator(own);
            at = put_number(static_cast<std::uint32_t>(own), at);
        }
        builder_.end_text(at);
    }

    WordId own_word(WordId id) {
        if (same_words_) return id;
        const auto at = static_cast<std::size_t>(id);
        if (at >= words_.size()) words_.resize(other_.words()->size(), -1);
        if (words_[at] < 0) words_[at] = builder_.word_names_->add(other_.words()->text(id));
        return words_[at];
    }

    NBestBuilder& builder_;
    const NBest& other_;
    std::vector<FeatureId> features_;
    std::vector<WordId> words_;
    bool same_features_;
    bool same_words_;
    WordLists texts_;
};

std::size_t NBestBuilder::add(const NBest& other, std::span<const std::int64_t> sentences) {
    Import import(*this, other);
    std::size_t count = 0;
    for (const std::int64_t sentence : sentences)
        import.add(other.checked_sentence(sentence), [&](std::size_t) { ++count; });
    return count;
}

NBest merge(const NBest& first, const NBest& second) {
    NBestBuilder builder(first.words(), first.feature_names());
    const std::size_t sentences = std::max(first.sentences(), second.sentences());
    const bool judged = first.statistics() && second.statistics() &&
                        first.statistics()->dimension() == second.statistics()->dimension();
    RowStatistics statistics(judged ? first.statistics()->dimension() : 0);
    std::vector<double> one(statistics.dimension());
    NBestBuilder::Import from_first(builder, first);
    NBestBuilder::Import from_second(builder, second);
    const auto take = [&](const NBest& lists, NBestBuilder::Import& from, std::size_t sentence) {
        if (sentence >= lists.sentences()) return;
        from.add(sentence, [&](std::size_t row) {
            if (!judged) return;
            lists.statistics()->read(row, one);
            statistics.append(one);
        });
    };
    // Sentence by sentence, so that nothing has to be sorted.
    for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
        take(first, from_first, sentence);
        take(second, from_second, sentence);
    }
    NBest lists = builder.finish(sentences);
    if (judged) {
        statistics.finish();
        lists.set_statistics(std::move(statistics));
    }
    return lists;
}

WordId NBestBuilder::word_id(std::string_view word) {
    if (word.size() > 2 * sizeof(std::uint64_t)) return word_names_->add(word);
    const auto [first, last] = ends(word);
    const std::uint64_t hash = first * 0x9e3779b97f4a7c15u + last * 0xbf58476d1ce4e5b9u;
    RecentWord& recent = recent_[hash >> (64 - recent_bits)];
    if (recent.first != first || recent.last != last || recent.length != word.size())
        recent = {first, last, static_cast<std::uint32_t>(word.size()), word_names_->add(word)};
    return recent.id;
}

void NBestBuilder::encode_text(std::string_view text) {
    if (recent_.empty()) recent_.resize(std::size_t{1} << recent_bits);
    std::uint8_t* at = begin_text(text.size());  // words and separators have a byte each
    const char* end = nullptr;                   // of the previous word
    for_each_word(text, [&](std::string_view word) {
        if (end != nullptr && (word.data() != end + 1 || *end != ' ')) {
            const std::string_view between(end, static_cast<std::size_t>(word.data() - end));
            at = put_number(static_cast<std::uint32_t>(separator_id(between)), at);
        }
        at = put_number(static_cast<std::uint32_t>(word_id(word)), at);
        end = word.data() + word.size();
    });
    end_text(at);
}

// Room for the numbers of so many words.
std::uint8_t* NBestBuilder::begin_text(std::size_t most) {
    if (new_bytes_.size() < number_bytes * most) new_bytes_.resize(number_bytes * most);
    return new_bytes_.data();
}

WordId NBestBuilder::separator_id(std::string_view white_space) {
    const WordId id = word_names_->add(white_space);
    keep_separator(id);
    return id;
}

void NBestBuilder::keep_separator(WordId id) {
    const auto at = std::ranges::lower_bound(separators_, id);
    if (at == separators_.end() || *at != id) separators_.insert(at, id);
}

std::uint32_t NBestBuilder::hash_of_new(std::uint32_t sentence) const {
    const std::uint64_t text =
        hash_bytes({reinterpret_cast<const char*>(new_text_.data()), new_text_.size()});
    // A sum, whose terms do not wait for each other.
    std::uint64_t features = 0;
    for (std::size_t i = 0; i < new_ids_.size(); ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(new_values_[i]);
        features += (bits ^ (bits >> 32)) *
                    ((static_cast<std::uint64_t>(new_ids_[i]) + 1) * 0x9e3779b97f4a7c15u | 1);
    }
    return static_cast<std::uint32_t>(hash_combine(hash_combine(sentence, text), features));
}

std::span<const std::uint8_t> NBestBuilder::text_of(std::size_t row) const {
    const std::uint64_t end = row + 1 < hypotheses() ? text_begin_[row + 1] : text_.size();
    return text_.span(text_begin_[row], end - text_begin_[row]);
}

bool NBestBuilder::equals_new(std::size_t row, std::uint32_t sentence) const {
    if (sentence_[row] != sentence || !std::ranges::equal(text_of(row), new_text_)) return false;
    const SparseView features = features_[row];
    return std::ranges::equal(features.ids, new_ids_) &&
           std::ranges::equal(features.values, new_values_);
}

bool NBestBuilder::add_row(std::size_t sentence) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() - 1;
    if (sentence > most || hypotheses() >= most)
        fail<DataError>("sentence ", sentence, ": at most ", most,
                        " sentences and hypotheses are supported");
    const auto number = static_cast<std::uint32_t>(sentence);
    if (in_order_ && number != last_sentence_) {
        // No earlier row can be equal to one of a later sentence, but a sentence may come back.
        in_order_ = number > last_sentence_;
        listed_ = in_order_ ? hypotheses() : 0;
        grow_table();
    }
    if (2 * (hypotheses() - listed_ + 1) > slots_.size()) grow_table();
    const std::uint32_t hash = hash_of_new(number);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
        const std::size_t row = slots_[at] - 1;
        if (hashes_[row] == hash && equals_new(row, number)) {
            ++duplicates_;
            last_added_ = row;
            keep_within_limit();
            return false;
        }
    }
    last_added_ = hypotheses();
    sentence_.reserve_more(1);
    hashes_.reserve_more(1);
    text_begin_.reserve(text_.size());
    text_.reserve_more(new_text_.size());
    features_.append(new_ids_, new_values_);
    text_begin_.push_back(text_.size());
    text_.append(new_text_);
    sentence_.push_back(number);
    hashes_.push_back(hash);
    slots_[at] = static_cast<std::uint32_t>(hypotheses());
    last_sentence_ = std::max(last_sentence_, number);
    keep_within_limit();
    return true;
}

void NBestBuilder::grow_table() {
    // The table can be rebuilt from the hashes: free the old one before allocating the new one.
    slots_.clear();
    slots_.grow_to(std::max<std::size_t>(64, std::bit_ceil(2 * (hypotheses() - listed_ + 1))));
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t row = listed_; row < hypotheses(); ++row) {
        std::size_t at = hashes_[row] & mask;
        while (slots_[at] != 0) at = (at + 1) & mask;
        slots_[at] = static_cast<std::uint32_t>(row + 1);
    }
}

std::size_t NBestBuilder::resident_bytes() const {
    return sentence_.resident_bytes() + features_.resident_bytes() + text_.resident_bytes() +
           text_begin_.resident_bytes() + hashes_.resident_bytes() + slots_.resident_bytes() +
           word_names_->bytes() + feature_names_->bytes();
}

void NBestBuilder::keep_within_limit() {
    if (options_.memory_limit == 0) return;
    if (!features_.spilled()) {
        if (resident_bytes() <= options_.memory_limit) return;
        features_.spill(options_.directory);
        text_.spill(options_.directory);
        text_begin_.spill(options_.directory);
        return;
    }
    // The size of a row that was appended or found equal.
    touched_ += new_text_.size() + new_ids_.size() * (sizeof(FeatureId) + sizeof(double));
    if (touched_ < release_every) return;
    touched_ = 0;
    features_.release(0, features_.size());
    text_.release();
    text_begin_.release(0, text_begin_.size());
}

void NBestBuilder::write_text(NBest& lists, std::span<const std::uint32_t> order) const {
    NBestTextWriter writer(*lists.text_);
    std::size_t touched = 0;
    std::vector<WordId> words;
    for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
        writer.begin_sentence();
        const auto [begin, end] = lists.rows(sentence);
        for (std::size_t i = begin; i < end; ++i) {
            const auto text = text_of(order.empty() ? i : order[i]);
            decode(text, words);
            writer.append(words);
            touched += text.size();
        }
        if (touched < release_every) continue;
        touched = 0;
        text_.release();
        text_begin_.release(0, text_begin_.size());
        lists.text_->release(0, sentence);
    }
}

NBest NBestBuilder::finish(std::size_t sentences) {
    const std::size_t needed = hypotheses() > 0 ? last_sentence_ + std::size_t{1} : 0;
    if (needed > sentences_always + sentences_per_hypothesis * hypotheses())
        fail<DataError>("sentence ", last_sentence_, ": the number is too large for ", hypotheses(),
                        " hypotheses; sentences are numbered from 0");
    // From here on the builder is empty, even if an exception is thrown.
    NBestBuilder full = std::exchange(*this, NBestBuilder(word_names_, feature_names_, options_));
    NBest lists;
    lists.offsets_.assign(std::max(needed, sentences) + 1, 0);
    lists.word_names_ = word_names_;
    lists.feature_names_ = feature_names_;
    lists.directory_ = options_.directory;
    lists.separators_ = std::move(full.separators_);
    full.hashes_.clear();
    full.slots_.clear();
    const std::vector<std::uint32_t> order =
        sorted_by_sentence(full.sentence_.span(), lists.offsets_);
    if (full.features_.spilled()) lists.text_->spill(options_.directory);
    full.write_text(lists, order);
    lists.features_ =
        order.empty() ? std::move(full.features_) : std::move(full.features_).reordered(order);
    lists.features_.freeze();
    return lists;
}

}  // namespace hopefear
