#include "hopefear/extract/bitext.hpp"

#include <algorithm>
#include <numeric>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/hash_tables.hpp"

namespace hopefear::extraction {

namespace {

// p(second|first) = count(first, second) / count(first).
float ratio(std::uint64_t joint, std::uint64_t total) {
    return static_cast<float>(static_cast<double>(joint) / static_cast<double>(total));
}

// w(word|NULL) of each word.
std::vector<float> given_null(const std::vector<std::uint64_t>& unlinked) {
    const std::uint64_t total = std::accumulate(unlinked.begin(), unlinked.end(), std::uint64_t{0});
    std::vector<float> weights(unlinked.size());
    for (std::size_t word = 0; word < unlinked.size() && total > 0; ++word)
        weights[word] = ratio(unlinked[word], total);
    return weights;
}

}  // namespace

void Text::sort_words() {
    std::vector<std::uint64_t> counts(words.size());
    for (const WordId id : ids) ++counts[id];
    std::vector<WordId> order(words.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](WordId a, WordId b) { return counts[a] > counts[b]; });
    Vocabulary sorted;
    std::vector<WordId> renumbered(words.size());
    for (const WordId id : order) renumbered[id] = sorted.add(words.text(id));
    for (WordId& id : ids) id = renumbered[id];
    words = std::move(sorted);
}

void TextParser::feed(std::string_view bytes) {
    lines_.feed(bytes, [this](std::string_view line) { parse_line(line); });
}

void TextParser::finish() {
    lines_.finish([this](std::string_view line) { parse_line(line); });
}

void TextParser::parse_line(std::string_view line) {
    const std::size_t valid = valid_utf8_prefix(line);
    if (valid < line.size())
        fail<DataError>("byte ", valid + 1, " of the line is not UTF-8; convert the file first");
    for_each_word_between_blanks(
        line, [this](std::string_view word) { text_.ids.push_back(text_.words.add(word)); });
    const std::size_t length = text_.ids.size() - text_.begin.back();
    if (length > longest_sentence)
        fail<DataError>("a sentence of ", length, " words; at most ", longest_sentence,
                        " can be aligned");
    text_.begin.push_back(text_.ids.size());
}

Bitext::Bitext(TextParser source, TextParser target, Alignments alignments,
               const std::string& alignment_file)
    : source_(std::move(source.text())),
      target_(std::move(target.text())),
      alignments_(std::move(alignments)) {
    check(source.file(), target.file(), alignment_file);
    source_.sort_words();
    target_.sort_words();
    count_words();
}

void Bitext::check(const std::string& source_file, const std::string& target_file,
                   const std::string& alignment_file) const {
    const auto differ = [&](const std::string& file, std::size_t count) {
        fail<FormatError>(file, ": has ", count, " lines, but ", source_file, " has ",
                          source_.size());
    };
    if (target_.size() != source_.size()) differ(target_file, target_.size());
    if (alignments_.size() != source_.size()) differ(alignment_file, alignments_.size());
    for (std::size_t i = 0; i < size(); ++i)
        for (const Link link : alignments_[i])
            if (link.source >= source_[i].size() || link.target >= target_[i].size())
                fail<FormatError>(alignment_file, ":", i + 1, ": link ", link.source, "-",
                                  link.target, " is outside: the sentences have ",
                                  source_[i].size(), " and ", target_[i].size(), " words");
}

void Bitext::count_words() {
    KeyCounts joint;
    const auto key = [](WordId source, WordId target) {
        return pair_key(static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target));
    };
    std::vector<std::uint64_t> source_total(source_.words.size());
    std::vector<std::uint64_t> target_total(target_.words.size());
    std::vector<std::uint64_t> source_unlinked(source_.words.size());
    std::vector<std::uint64_t> target_unlinked(target_.words.size());
    std::vector<bool> source_linked;
    std::vector<bool> target_linked;
    for (std::size_t i = 0; i < size(); ++i) {
        const SentencePair pair = (*this)[i];
        source_linked.assign(pair.source.size(), false);
        target_linked.assign(pair.target.size(), false);
        for (const Link link : pair.links) {
            ++joint[key(pair.source[link.source], pair.target[link.target])];
            ++source_total[pair.source[link.source]];
            ++target_total[pair.target[link.target]];
            source_linked[link.source] = target_linked[link.target] = true;
        }
        // A word that is linked to NULL counts as linked once.
        for (std::size_t s = 0; s < pair.source.size(); ++s)
            if (!source_linked[s]) {
                ++source_unlinked[pair.source[s]];
                ++source_total[pair.source[s]];
            }
        for (std::size_t t = 0; t < pair.target.size(); ++t)
            if (!target_linked[t]) {
                ++target_unlinked[pair.target[t]];
                ++target_total[pair.target[t]];
            }
    }
    weights_.source_given_null = given_null(source_unlinked);
    weights_.target_given_null = given_null(target_unlinked);
    weights_.target_given_source.reserve(alignments_.link_count());
    weights_.source_given_target.reserve(alignments_.link_count());
    for (std::size_t i = 0; i < size(); ++i) {
        const auto links = alignments_[i];
        for (const Link link : links) {
            const WordId source = source_[i][link.source];
            const WordId target = target_[i][link.target];
            const std::uint64_t count = joint.count(key(source, target));
            weights_.target_given_source.push_back(ratio(count, source_total[source]));
            weights_.source_given_target.push_back(ratio(count, target_total[target]));
        }
    }
}

SentencePair Bitext::operator[](std::size_t sentence) const {
    const auto links = alignments_[sentence];
    const std::size_t first = alignments_.first_link(sentence);
    return {.source = source_[sentence],
            .target = target_[sentence],
            .links = links,
            .target_given_source = weights_.target_given_source.data() + first,
            .source_given_target = weights_.source_given_target.data() + first};
}

}  // namespace hopefear::extraction
