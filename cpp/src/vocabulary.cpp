#include "hopefear/vocabulary.hpp"

#include <limits>

#include "hopefear/error.hpp"
#include "hopefear/hash.hpp"

namespace hopefear {

std::string_view Vocabulary::text(Id id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= size())
        fail<DataError>("id ", id, " is not in the vocabulary, which has ", size(), " entries");
    const std::uint64_t begin = offsets_[id];
    return std::string_view(characters_).substr(begin, offsets_[id + 1] - begin);
}

std::size_t Vocabulary::slot(std::string_view text) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_bytes(text) & mask;
    while (slots_[at] >= 0 && this->text(slots_[at]) != text) at = (at + 1) & mask;
    return at;
}

std::optional<Vocabulary::Id> Vocabulary::find(std::string_view text) const {
    const Id id = slots_[slot(text)];
    return id < 0 ? std::nullopt : std::optional<Id>(id);
}

std::vector<Vocabulary::Id> Vocabulary::find_all(std::span<const std::string_view> texts) const {
    std::vector<Id> ids;
    ids.reserve(texts.size());
    for (const std::string_view text : texts) ids.push_back(find(text).value_or(-1));
    return ids;
}

std::vector<std::string_view> Vocabulary::texts() const {
    std::vector<std::string_view> all;
    all.reserve(size());
    for (std::size_t id = 0; id < size(); ++id) all.push_back(text(static_cast<Id>(id)));
    return all;
}

Vocabulary::Id Vocabulary::add(std::string_view text) {
    std::size_t at = slot(text);
    if (slots_[at] >= 0) return slots_[at];
    if (size() >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
        fail<DataError>("more than ", std::numeric_limits<Id>::max(), " different strings");
    if (2 * (size() + 1) > slots_.size()) {
        grow();
        at = slot(text);
    }
    const Id id = static_cast<Id>(size());
    characters_.append(text);
    offsets_.push_back(characters_.size());
    slots_[at] = id;
    return id;
}

void Vocabulary::grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t id = 0; id < size(); ++id)
        slots_[slot(text(static_cast<Id>(id)))] = static_cast<Id>(id);
}

std::size_t Vocabulary::bytes() const {
    return characters_.capacity() + offsets_.capacity() * sizeof(offsets_[0]) +
           slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace hopefear
