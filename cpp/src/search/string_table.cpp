#include "hopefear/search/string_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"

namespace hopefear {

void StringTable::add(std::span<const Entry> entries, std::span<std::int64_t> numbers) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < entries.size(); ++i) numbers[i] = add(entries[i]);
}

std::int64_t StringTable::add(const Entry& entry) {
    std::uint64_t hash = entry.sentence;
    for (const WordId word : entry.words)
        hash = hash_combine(hash, static_cast<std::uint64_t>(word));
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
        const std::size_t number = slots_[slot] - 1;
        if (hash_[number] == hash && sentence_[number] == entry.sentence &&
            std::ranges::equal(words(number), entry.words))
            return static_cast<std::int64_t>(number);
    }
    if (hash_.size() == std::numeric_limits<std::uint32_t>::max() - 1)
        fail<DataError>("more than 4 billion different translations");
    slots_[slot] = static_cast<std::uint32_t>(hash_.size()) + 1;
    hash_.push_back(hash);
    sentence_.push_back(static_cast<std::uint32_t>(entry.sentence));
    words_.insert(words_.end(), entry.words.begin(), entry.words.end());
    begin_.push_back(words_.size());
    if (2 * hash_.size() > slots_.size()) grow();
    return static_cast<std::int64_t>(hash_.size()) - 1;
}

void StringTable::grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::size_t number = 0; number < hash_.size(); ++number) {
        std::size_t slot = hash_[number] & (slots_.size() - 1);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::uint32_t>(number) + 1;
    }
}

std::size_t StringTable::size() const {
    const std::scoped_lock lock(mutex_);
    return hash_.size();
}

StringTable::Texts StringTable::texts(std::size_t begin, const Vocabulary& vocabulary) const {
    const std::scoped_lock lock(mutex_);
    Texts found;
    for (std::size_t number = begin; number < hash_.size(); ++number) {
        std::string text;
        for (const WordId word : words(number)) {
            if (!text.empty()) text += ' ';
            text += vocabulary.text(word);
        }
        found.texts.push_back(std::move(text));
        found.sentences.push_back(sentence_[number]);
    }
    return found;
}

}  // namespace hopefear
