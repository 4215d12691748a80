#include "hopefear/extract/rule_instance.hpp"

#include <algorithm>

#include "hopefear/base/hash.hpp"

namespace hopefear::extraction {

namespace {

// The number of the hole that begins at position `at` of one side of a rule, or -1.
int hole_at_source(const Place& place, std::uint32_t at) {
    for (int k = 0; k < 2; ++k)
        if (place.holes[k].source_length > 0 && place.holes[k].source == at) return k;
    return -1;
}

int hole_at_target(const Place& place, std::uint32_t at) {
    for (int k = 0; k < 2; ++k)
        if (place.holes[k].target_length > 0 && place.holes[k].target == at) return k;
    return -1;
}

// The position in the rule of the target word at `at` from its beginning.
std::uint32_t target_place(const Place& place, std::uint32_t at) {
    std::uint32_t shorter = 0;
    for (const Place::Hole& hole : place.holes)
        if (hole.target_length > 0 && hole.target < at) shorter += hole.target_length - 1u;
    return at - shorter;
}

// Call visit(link, source position in the rule, target position in the rule) for the links between
// words of the rule, in order.
template <class Visit>
void for_each_link(const SentencePair& pair, const Place& place, Visit&& visit) {
    const Link begin{place.source, 0};
    auto link = std::ranges::lower_bound(pair.links, begin);
    std::uint32_t in_rule = 0;
    for (std::uint32_t at = 0; at < place.source_length; ++at, ++in_rule) {
        const std::uint32_t word = place.source + at;
        if (const int hole = hole_at_source(place, at); hole >= 0) {
            at += place.holes[hole].source_length - 1u;
            continue;
        }
        while (link != pair.links.end() && link->source < word) ++link;
        for (; link != pair.links.end() && link->source == word; ++link)
            visit(static_cast<std::uint32_t>(link - pair.links.begin()), in_rule,
                  target_place(place, static_cast<std::uint32_t>(link->target - place.target)));
    }
}

}  // namespace

Place place_of(std::size_t sentence, const PhrasePair& outer, const Holes& holes) {
    Place place{.sentence = static_cast<std::uint32_t>(sentence),
                .source = outer.source,
                .target = outer.target,
                .source_length = outer.source_length,
                .target_length = outer.target_length,
                .holes = {}};
    int k = 0;
    for (const PhrasePair* const hole : {holes.first, holes.second})
        if (hole != nullptr)
            place.holes[k++] = {.source = static_cast<std::uint8_t>(hole->source - outer.source),
                                .source_length = hole->source_length,
                                .target = static_cast<std::uint8_t>(hole->target - outer.target),
                                .target_length = hole->target_length};
    return place;
}

SourceKey source_key(const SourceKeys& keys, const SentencePair& pair, const Place& place) {
    SourceKey key{};
    int length = 0;
    for (std::uint32_t at = 0; at < place.source_length; ++at, ++length) {
        const int hole = hole_at_source(place, at);
        if (hole >= 0) at += place.holes[hole].source_length - 1u;
        keys.append(
            key, length,
            hole >= 0 ? SourceKeys::nonterminal : SourceKeys::code(pair.source[place.source + at]));
    }
    return key;
}

std::uint64_t target_hash(const SentencePair& pair, const Place& place, bool indexed) {
    std::uint64_t hash = 0;
    for (std::uint32_t at = 0; at < place.target_length; ++at) {
        const int hole = hole_at_target(place, at);
        if (hole < 0) {
            hash = hash_combine(hash, static_cast<std::uint64_t>(pair.target[place.target + at]));
        } else {
            hash = hash_combine(hash, ~static_cast<std::uint64_t>(indexed ? hole : 0));
            at += place.holes[hole].target_length - 1u;
        }
    }
    return hash;
}

std::uint32_t alignment_hash(const SentencePair& pair, const Place& place) {
    std::uint64_t hash = 0;
    for_each_link(pair, place, [&](std::uint32_t, std::uint32_t source, std::uint32_t target) {
        hash = hash_combine(hash, source << 16 | target);
    });
    return static_cast<std::uint32_t>(hash >> 32);
}

void read_rule(const SentencePair& pair, const Place& place, RuleText& text) {
    text.source.clear();
    for (std::uint32_t at = 0; at < place.source_length; ++at) {
        const int hole = hole_at_source(place, at);
        text.source.push_back(hole >= 0 ? -1 : pair.source[place.source + at]);
        if (hole >= 0) at += place.holes[hole].source_length - 1u;
    }
    text.target.clear();
    for (std::uint32_t at = 0; at < place.target_length; ++at) {
        const int hole = hole_at_target(place, at);
        text.target.push_back(hole >= 0 ? slot_symbol(hole) : pair.target[place.target + at]);
        if (hole >= 0) at += place.holes[hole].target_length - 1u;
    }
    text.alignment.clear();
    text.links.clear();
    for_each_link(pair, place, [&](std::uint32_t link, std::uint32_t source, std::uint32_t target) {
        text.links.push_back(link);
        text.alignment.push_back(
            {static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)});
    });
}

namespace {

// Π over the words of a side: the mean of the weights of their links, or the weight given NULL.
// `places[i]` is the place of link i on this side.
template <class PlaceOf>
double side_weight(std::span<const WordId> words, const RuleText& text, PlaceOf&& place_of,
                   const float* link_weights, const std::vector<float>& given_null) {
    double weight = 1.0;
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (words[at] < 0) continue;
        double sum = 0.0;
        int count = 0;
        for (std::size_t i = 0; i < text.links.size(); ++i)
            if (place_of(text.alignment[i]) == at) {
                sum += link_weights[text.links[i]];
                ++count;
            }
        weight *= count > 0 ? sum / count : given_null[words[at]];
    }
    return weight;
}

}  // namespace

RuleWeights lexical_weights(const SentencePair& pair, const LexicalWeights& weights,
                            const RuleText& text) {
    return {.target_given_source = side_weight(
                text.target, text, [](Link link) { return link.target; }, pair.target_given_source,
                weights.target_given_null),
            .source_given_target = side_weight(
                text.source, text, [](Link link) { return link.source; }, pair.source_given_target,
                weights.source_given_null)};
}

}  // namespace hopefear::extraction
