#include "hopefear/extract/phrase_pairs.hpp"

#include <algorithm>
#include <limits>

#include "hopefear/base/error.hpp"

namespace hopefear::extraction {

namespace {

constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max();

}  // namespace

void check(const Options& options) {
    const auto within = [](const char* name, std::int32_t value, std::int32_t least,
                           std::int32_t most) {
        if (value < least || value > most)
            fail<ConfigError>(name, " must be from ", least, " to ", most, ", got ", value);
    };
    within("max_phrase_length", options.max_phrase_length, 1, 255);
    within("max_source_symbols", options.max_source_symbols, 1, 64);
    within("max_nonterminals", options.max_nonterminals, 0, 2);
    within("min_nonterminal_span", options.min_nonterminal_span, 1, 255);
}

void PhrasePairs::find(const SentencePair& pair) {
    source_length_ = static_cast<std::int32_t>(pair.source.size());
    target_length_ = static_cast<std::int32_t>(pair.target.size());
    found_.clear();
    read_links(pair);
    for (std::int32_t begin = 0; begin < target_length_; ++begin)
        find_from(static_cast<std::size_t>(begin));
    sort();
}

void PhrasePairs::read_links(const SentencePair& pair) {
    link_begin_.assign(pair.source.size() + 1, 0);
    first_target_.assign(pair.source.size(), nowhere);
    last_target_.assign(pair.source.size(), -1);
    first_source_.assign(pair.target.size(), nowhere);
    last_source_.assign(pair.target.size(), -1);
    for (const Link link : pair.links) {
        const std::int32_t source = link.source;
        const std::int32_t target = link.target;
        ++link_begin_[link.source + 1u];
        first_target_[source] = std::min(first_target_[source], target);
        last_target_[source] = std::max(last_target_[source], target);
        first_source_[target] = std::min(first_source_[target], source);
        last_source_[target] = std::max(last_source_[target], source);
    }
    for (std::size_t i = 1; i < link_begin_.size(); ++i) link_begin_[i] += link_begin_[i - 1];
}

// Every target phrase from here on, with the source phrase that it is linked to, if that is linked
// to nothing else.
void PhrasePairs::find_from(std::size_t target_begin) {
    const auto begin = static_cast<std::int32_t>(target_begin);
    if (options_.tight && last_source_[target_begin] < 0) return;
    const std::int32_t most = options_.max_phrase_length;
    const std::int32_t last = std::min(target_length_, begin + most);
    std::int32_t source_begin = nowhere;
    std::int32_t source_end = 0;
    for (std::int32_t end = begin + 1; end <= last; ++end) {
        source_begin = std::min(source_begin, first_source_[end - 1]);
        source_end = std::max(source_end, last_source_[end - 1] + 1);
        if (source_end == 0 || (options_.tight && last_source_[end - 1] < 0)) continue;
        if (source_end - source_begin > most) return;  // it only grows
        std::int32_t first = begin;
        std::int32_t behind = end;
        for (std::int32_t s = source_begin; s < source_end; ++s) {
            first = std::min(first, first_target_[s]);
            behind = std::max(behind, last_target_[s] + 1);
        }
        if (first < begin) return;  // so does every longer one
        if (behind <= end) add(source_begin, source_end, begin, end);
    }
}

// Unless phrases are tight, unlinked words are included at both ends.
void PhrasePairs::add(std::int32_t source_begin, std::int32_t source_end, std::int32_t target_begin,
                      std::int32_t target_end) {
    const std::int32_t most = options_.max_phrase_length;
    const auto linked = [this](std::int32_t s) { return last_target_[s] >= 0; };
    const std::uint32_t links = link_begin_[source_end] - link_begin_[source_begin];
    for (std::int32_t begin = source_begin; source_end - begin <= most; --begin) {
        for (std::int32_t end = source_end; end - begin <= most; ++end) {
            found_.push_back({.source = static_cast<std::uint16_t>(begin),
                              .target = static_cast<std::uint16_t>(target_begin),
                              .source_length = static_cast<std::uint8_t>(end - begin),
                              .target_length = static_cast<std::uint8_t>(target_end - target_begin),
                              .links = links});
            if (options_.tight || end == source_length_ || linked(end)) break;
        }
        if (options_.tight || begin == 0 || linked(begin - 1)) break;
    }
}

// By counting: there are few different source spans.
void PhrasePairs::sort() {
    begin_.assign(static_cast<std::size_t>(source_length_) * width() + 1, 0);
    const auto slot = [this](const PhrasePair& pair) {
        return pair.source * width() + pair.source_length - 1;
    };
    for (const PhrasePair& pair : found_) ++begin_[slot(pair) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    pairs_.resize(found_.size());
    // begin_[i] moves from the beginning of its span to the end, which is where the next begins.
    for (const PhrasePair& pair : found_) pairs_[begin_[slot(pair)]++] = pair;
    std::ranges::move_backward(begin_.begin(), begin_.end() - 1, begin_.end());
    begin_[0] = 0;
}

namespace {

// Add the rules with the hole `first` and a second one after it.
void find_second(const PhrasePairs& phrases, const PhrasePair& outer, const PhrasePair& first,
                 const Options& options, std::vector<Holes>& rules) {
    const std::int32_t end = static_cast<std::int32_t>(outer.source_end());
    const std::int32_t words = outer.source_length - first.source_length;  // with the second hole
    const std::int32_t begin =
        static_cast<std::int32_t>(first.source_end()) + (options.adjacent_nonterminals ? 0 : 1);
    // At least one word and at most max_source_symbols - 2 of them remain.
    const std::int32_t shortest =
        std::max(options.min_nonterminal_span, words - (options.max_source_symbols - 2));
    for (std::int32_t source = begin; source + shortest <= end; ++source)
        for (std::int32_t length = shortest; length < words && source + length <= end; ++length)
            for (const PhrasePair& second :
                 phrases.of(static_cast<std::size_t>(source), static_cast<std::size_t>(length)))
                if (outer.covers_target(second) && !first.meets_target(second) &&
                    first.links + second.links < outer.links)
                    rules.push_back({&first, &second});
}

}  // namespace

void find_rules(const PhrasePairs& phrases, const PhrasePair& outer, const Options& options,
                std::vector<Holes>& rules) {
    rules.clear();
    if (outer.source_length <= options.max_source_symbols) rules.push_back({});
    if (options.max_nonterminals == 0) return;
    const std::int32_t end = static_cast<std::int32_t>(outer.source_end());
    for (std::int32_t source = outer.source; source < end; ++source) {
        if (source - outer.source >= options.max_source_symbols) break;  // too many words before it
        for (std::int32_t length = options.min_nonterminal_span;
             length < outer.source_length && source + length <= end; ++length)
            for (const PhrasePair& first :
                 phrases.of(static_cast<std::size_t>(source), static_cast<std::size_t>(length))) {
                // A rule must keep a link: phrase pairs contain all links of their words, so those
                // outside the holes are between words of the rule.
                if (!outer.covers_target(first) || first.links >= outer.links) continue;
                if (outer.source_length - length + 1 <= options.max_source_symbols)
                    rules.push_back({&first, nullptr});
                if (options.max_nonterminals > 1)
                    find_second(phrases, outer, first, options, rules);
            }
    }
}

}  // namespace hopefear::extraction
