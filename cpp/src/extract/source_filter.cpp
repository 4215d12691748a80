#include "hopefear/extract/source_filter.hpp"

#include <algorithm>

#include "hopefear/base/hash.hpp"

namespace hopefear::extraction {

void SourceFilter::add(const Text& text) {
    constexpr WordId foreign = -1;
    std::vector<WordId> numbers(text.words.size());
    for (std::size_t id = 0; id < numbers.size(); ++id)
        numbers[id] = words_->find(text.words.text(static_cast<WordId>(id))).value_or(foreign);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto sentence = static_cast<std::uint32_t>(sentence_lengths_.size());
        const auto words = text[i];
        sentence_lengths_.push_back(static_cast<std::uint32_t>(words.size()));
        for (std::size_t begin = 0; begin < words.size(); ++begin) {
            std::uint64_t hash = 0;
            for (std::size_t length = 1; length <= max_phrase_ && begin + length <= words.size();
                 ++length) {
                const WordId word = numbers[words[begin + length - 1]];
                if (word == foreign) break;
                hash = hash_combine(hash, static_cast<std::uint64_t>(word));
                const auto [at, added] =
                    ids_.try_emplace(hash, static_cast<PhraseId>(lengths_.size()));
                if (added) {
                    lengths_.push_back(static_cast<std::uint32_t>(length));
                    occurrences_.emplace_back();
                }
                occurrences_[at->second].push_back({sentence, static_cast<std::uint32_t>(begin)});
            }
        }
    }
}

void SourceFilter::find_phrases(std::span<const WordId> sentence,
                                std::vector<PhraseId>& ids) const {
    ids.assign(sentence.size() * max_phrase_, unknown);
    for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
        std::uint64_t hash = 0;
        for (std::size_t length = 1; length <= max_phrase_ && begin + length <= sentence.size();
             ++length) {
            hash = hash_combine(hash, static_cast<std::uint64_t>(sentence[begin + length - 1]));
            const auto found = ids_.find(hash);
            if (found == ids_.end()) break;
            ids[begin * max_phrase_ + length - 1] = found->second;
        }
    }
}

bool SourceFilter::matches(std::span<const PhraseId> phrases,
                           std::span<const std::uint32_t> gaps) const {
    for (const PhraseId phrase : phrases)
        if (phrase == unknown) return false;
    const PhraseId rarest = *std::ranges::min_element(
        phrases, {}, [this](PhraseId phrase) { return occurrences_[phrase].size(); });
    std::uint32_t tried = 0;  // sentences below this
    for (const Occurrence& occurrence : occurrences_[rarest]) {
        if (occurrence.sentence < tried) continue;
        if (matches_in(occurrence.sentence, phrases, gaps)) return true;
        tried = occurrence.sentence + 1;
    }
    return false;
}

// From a given occurrence of the first phrase, the earliest occurrences of the others give the
// shortest match.
bool SourceFilter::matches_in(std::uint32_t sentence, std::span<const PhraseId> phrases,
                              std::span<const std::uint32_t> gaps) const {
    const Occurrence* first = next(phrases[0], {sentence, gaps[0]});
    for (; first != nullptr; first = next(phrases[0], {sentence, first->begin + 1})) {
        std::uint32_t end = first->begin + lengths_[phrases[0]];
        for (std::size_t i = 1; i < phrases.size(); ++i) {
            const Occurrence* const found = next(phrases[i], {sentence, end + gaps[i]});
            if (found == nullptr) return false;  // nor from later occurrences
            end = found->begin + lengths_[phrases[i]];
        }
        end += gaps[phrases.size()];
        if (end > sentence_lengths_[sentence]) return false;
        if (max_span_ == 0 || end - (first->begin - gaps[0]) <= max_span_) return true;
    }
    return false;
}

const SourceFilter::Occurrence* SourceFilter::next(PhraseId phrase, Occurrence from) const {
    const auto& occurrences = occurrences_[phrase];
    const auto found = std::ranges::lower_bound(occurrences, from);
    return found != occurrences.end() && found->sentence == from.sentence ? &*found : nullptr;
}

}  // namespace hopefear::extraction
