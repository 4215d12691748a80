#include "hopefear/nbest/text.hpp"

#include <algorithm>
#include <limits>

#include "hopefear/base/error.hpp"
#include "hopefear/base/growing_array.hpp"

namespace hopefear {

void WordLists::clear() {
    ids.clear();
    offsets.assign(1, 0);
}

void WordLists::push_back(std::span<const WordId> words) {
    ids.insert(ids.end(), words.begin(), words.end());
    offsets.push_back(ids.size());
}

const std::uint8_t* NBestText::step(const std::uint8_t* at, std::vector<std::uint32_t>& words,
                                    std::vector<std::uint32_t>& spare) {
    const std::size_t prefix = read_number(at);
    const std::size_t suffix = read_number(at);
    const std::size_t middle = read_number(at);
    spare.resize(prefix + middle + suffix);
    std::copy_n(words.begin(), prefix, spare.begin());
    for (std::size_t i = 0; i < middle; ++i) spare[prefix + i] = read_number(at);
    std::copy_n(words.end() - static_cast<std::ptrdiff_t>(suffix), suffix,
                spare.end() - static_cast<std::ptrdiff_t>(suffix));
    words.swap(spare);
    return at;
}

void NBestText::read(std::size_t sentence, std::size_t index, std::vector<WordId>& out) const {
    const Sentence begin = sentences_[sentence];
    const std::uint32_t restart = restarts_[begin.restarts + index / restart_every];
    const std::uint8_t* at = bytes_.data() + begin.bytes + restart;
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> spare;
    for (std::size_t i = 0; i <= index % restart_every; ++i) at = step(at, words, spare);
    out.resize(words.size());
    const WordId* table = words_.data() + begin.words;
    std::ranges::transform(words, out.begin(), [&](std::uint32_t local) { return table[local]; });
}

void NBestText::read_all(std::size_t sentence, std::size_t count, WordLists& out) const {
    out.clear();
    const Sentence begin = sentences_[sentence];
    const std::uint8_t* at = bytes_.data() + begin.bytes;
    const WordId* table = words_.data() + begin.words;
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> spare;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % restart_every == 0) words.clear();
        at = step(at, words, spare);
        for (const std::uint32_t local : words) out.ids.push_back(table[local]);
        out.offsets.push_back(out.ids.size());
    }
}

void NBestText::release(std::size_t begin, std::size_t end) const {
    if (!bytes_.spilled() || begin >= end) return;
    const Sentence first = sentences_[begin];
    const bool last = end >= sentences_.size();
    bytes_.release(first.bytes, last ? bytes_.size() : sentences_[end].bytes);
    words_.release(first.words, last ? words_.size() : sentences_[end].words);
    restarts_.release(first.restarts, last ? restarts_.size() : sentences_[end].restarts);
}

void NBestText::spill(const std::string& directory) {
    bytes_.spill(directory);
    words_.spill(directory);
    restarts_.spill(directory);
}

std::size_t NBestText::bytes() const {
    return bytes_.bytes() + words_.bytes() + restarts_.bytes() + sentences_.bytes();
}

std::size_t NBestText::resident_bytes() const {
    return bytes_.resident_bytes() + words_.resident_bytes() + restarts_.resident_bytes() +
           sentences_.resident_bytes();
}

void NBestTextWriter::begin_sentence() {
    text_.sentences_.push_back({text_.bytes_.size(), text_.words_.size(), text_.restarts_.size()});
    index_ = 0;
}

// Give a word that is new in this sentence a number in its table.
void NBestTextWriter::add_local(WordId word) {
    const auto at = static_cast<std::size_t>(word);
    if (at >= local_.size()) local_.resize(std::max(at + 1, 2 * local_.size()));
    const std::size_t sentence = text_.sentences_.size();
    const std::size_t number = text_.words_.size() - text_.sentences_[sentence - 1].words;
    local_[at] = {static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(number)};
    text_.words_.push_back(word);
}

void NBestTextWriter::append(std::span<const WordId> words) {
    if (index_ % NBestText::restart_every == 0) {
        const std::uint64_t at =
            text_.bytes_.size() - text_.sentences_[text_.sentences_.size() - 1].bytes;
        if (at > std::numeric_limits<std::uint32_t>::max())
            fail<DataError>("sentence ", text_.sentences_.size() - 1,
                            ": its hypotheses have more than 4 GiB of text");
        text_.restarts_.push_back(static_cast<std::uint32_t>(at));
        previous_.clear();
    }
    ++index_;
    current_.resize(words.size());
    const auto sentence = static_cast<std::uint32_t>(text_.sentences_.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto at = static_cast<std::size_t>(words[i]);
        if (at >= local_.size() || local_[at].sentence != sentence) add_local(words[i]);
        current_[i] = local_[at].number;
    }
    text_.any_empty_ |= words.empty();

    const auto differ = std::ranges::mismatch(previous_, current_);
    const std::size_t prefix = static_cast<std::size_t>(differ.in2 - current_.begin());
    const std::size_t most = std::min(previous_.size(), current_.size()) - prefix;
    std::size_t suffix = 0;
    while (suffix < most &&
           previous_[previous_.size() - 1 - suffix] == current_[current_.size() - 1 - suffix])
        ++suffix;
    const std::size_t middle = current_.size() - prefix - suffix;
    if (const std::size_t most = number_bytes * (3 + middle); bytes_.size() < most)
        bytes_.resize(most);
    std::uint8_t* at = bytes_.data();
    for (const std::size_t length : {prefix, suffix, middle})
        at = put_number(static_cast<std::uint32_t>(length), at);
    for (std::size_t i = 0; i < middle; ++i) at = put_number(current_[prefix + i], at);
    text_.bytes_.append({bytes_.data(), at});
    previous_.swap(current_);
}

}  // namespace hopefear
