#include <algorithm>
#include <limits>

#include "hopefear/base/characters.hpp"
#include "hopefear/forest/builder.hpp"
#include "hopefear/io/columns.hpp"
#include "hopefear/io/forest_codec.hpp"

namespace hopefear {

namespace {

// Rows of unequal length.
template <class T>
struct Rows {
    std::vector<T> values;
    std::vector<std::size_t> begin{0};

    [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
    [[nodiscard]] std::span<const T> operator[](std::size_t row) const {
        return std::span(values).subspan(begin[row], begin[row + 1] - begin[row]);
    }
    void end_row() { begin.push_back(values.size()); }
};

std::vector<Vocabulary::Id> read_numbers(ByteReader& in, std::span<const Vocabulary::Id> ids,
                                         const char* what) {
    std::vector<Vocabulary::Id> numbers(in.count(what));
    std::uint64_t stored = 0;  // wraps around if the difference is too large
    for (Vocabulary::Id& number : numbers) {
        stored += static_cast<std::uint64_t>(unzigzag(in.varint()));
        if (stored >= ids.size())
            fail<FormatError>("among the ", what, " is number ", stored, ", but the store has ",
                              ids.size());
        number = ids[stored];
    }
    return numbers;
}

Rows<std::uint32_t> read_patterns(ByteReader& in, std::size_t features) {
    Rows<std::uint32_t> patterns;
    const std::size_t count = in.count("patterns");
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t size = in.count("features of a pattern");
        for (std::size_t k = 0; k < size; ++k)
            patterns.values.push_back(
                static_cast<std::uint32_t>(in.below(features, "a feature of a pattern")));
        patterns.end_row();
    }
    return patterns;
}

std::vector<std::int32_t> read_differences(ByteReader& in, std::size_t count) {
    std::vector<std::int32_t> numbers;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        last += static_cast<std::uint64_t>(unzigzag(in.varint()));
        const auto number = static_cast<std::int64_t>(last);
        if (number < SourceSpan::unknown || number > std::numeric_limits<std::int32_t>::max())
            fail<FormatError>("node ", i, " has the invalid source position or number of words ",
                              number);
        numbers.push_back(static_cast<std::int32_t>(number));
    }
    return numbers;
}

struct Nodes {
    explicit Nodes(ByteReader& in) : edges(in.count("nodes")) {
        for (std::uint64_t& count : edges) {
            count = in.varint();
            // Every edge takes at least one more byte.
            if (count > in.remaining() || total > in.remaining() - count)
                fail<FormatError>("the nodes have more edges than there are bytes for");
            total += count;
        }
        begin = read_differences(in, edges.size());
        covered = read_differences(in, edges.size());
    }
    std::vector<std::uint64_t> edges;
    std::size_t total = 0;
    std::vector<std::int32_t> begin;
    std::vector<std::int32_t> covered;
};

struct Rules {
    Rules(ByteReader& in, std::size_t patterns, const std::vector<Vocabulary::Id>& words)
        : pattern(in.count("rules")) {
        for (std::uint32_t& number : pattern)
            number = static_cast<std::uint32_t>(in.below(patterns, "the pattern of a rule"));
        std::vector<std::size_t> sizes(pattern.size());
        for (std::size_t& size : sizes) size = in.count("symbols of a rule");
        for (const std::size_t size : sizes) {
            std::uint32_t slots = 0;
            for (std::size_t i = 0; i < size; ++i) {
                const std::uint64_t code = in.varint();
                slots += code & 1;
                target.values.push_back(symbol(code, words));
            }
            target.end_row();
            arity.push_back(slots);
        }
    }
    static Symbol symbol(std::uint64_t code, const std::vector<Vocabulary::Id>& words) {
        const std::uint64_t number = code >> 1;
        if ((code & 1) != 0) {
            if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
                fail<FormatError>("a rule has the invalid tail slot ", number);
            return slot_symbol(static_cast<std::int32_t>(number));
        }
        if (number >= words.size())
            fail<FormatError>("a rule has the word number ", number, " of ", words.size());
        return words[number];
    }
    std::vector<std::uint32_t> pattern;
    Rows<Symbol> target;
    std::vector<std::uint32_t> arity;
};

struct Edges {
    Edges(ByteReader& in, const Nodes& nodes, const Rules& rules) {
        for (std::size_t i = 0; i < nodes.total; ++i) {
            const std::uint64_t back = in.below(first.size() + 1, "the distance to a rule");
            if (back == 0) {
                if (first.size() == rules.pattern.size())
                    fail<FormatError>("edge ", i, " refers to a rule that does not exist");
                first.push_back(i);
                rule.push_back(static_cast<std::uint32_t>(first.size()) - 1);
            } else {
                rule.push_back(static_cast<std::uint32_t>(first.size() - back));
            }
        }
        if (first.size() < rules.pattern.size())
            fail<FormatError>("rule ", first.size(), " has no edge");
        std::size_t edge = 0;
        for (std::size_t node = 0; node < nodes.edges.size(); ++node)
            for (std::uint64_t k = 0; k < nodes.edges[node]; ++k, ++edge) {
                for (std::uint32_t i = 0; i < rules.arity[rule[edge]]; ++i)
                    tails.values.push_back(
                        static_cast<NodeId>(node - 1 - in.below(node, "the distance to a tail")));
                tails.end_row();
            }
    }
    std::vector<std::uint32_t> rule;
    std::vector<std::size_t> first;  // by rule
    Rows<NodeId> tails;
};

// Rules are stored once and copied to their edges: without a limit, a few bytes could ask for any
// amount of memory. No encoded forest comes near this one.
void check_copies(const Rows<std::uint32_t>& patterns, const Rules& rules, const Edges& edges,
                  std::size_t bytes) {
    const std::size_t limit = std::min((std::size_t{1} << 20) + 100 * bytes, std::size_t{1} << 31);
    std::size_t copies = 0;
    for (const std::uint32_t rule : edges.rule) {
        copies += rules.target[rule].size() + patterns[rules.pattern[rule]].size();
        if (copies > limit)
            fail<FormatError>("the edges would have more than ", limit,
                              " words and feature values, from ", bytes, " bytes");
    }
}

// The values of all features, column by column, handed out row by row.
class Columns {
  public:
    Columns(ByteReader& in, std::size_t features, const Rows<std::uint32_t>& patterns,
            const Rules& rules, const Edges& edges)
        : next_(features, 0) {
        for (std::size_t i = 0; i < features; ++i)
            shared_.push_back(static_cast<char>(in.below(2, "whether a feature is shared")));
        std::vector<std::size_t> size(features, 0);
        for (std::size_t i = 0; i < edges.rule.size(); ++i)
            for (const std::uint32_t feature : patterns[rules.pattern[edges.rule[i]]])
                size[feature] += !shared_[feature] || edges.first[edges.rule[i]] == i;
        for (const std::size_t count : size) columns_.push_back(read_values(in, count));
        shared_rows_.resize(rules.pattern.size());
    }
    // The values of the next edge, whose rule is number `rule`, in the order of its pattern.
    std::span<const double> row(std::size_t rule, std::span<const std::uint32_t> pattern) {
        std::vector<double>& values = shared_rows_[rule];
        const bool first = values.empty();
        values.resize(pattern.size());
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            const std::uint32_t feature = pattern[i];
            if (first || !shared_[feature]) values[i] = columns_[feature][next_[feature]++];
        }
        return values;
    }

  private:
    std::vector<char> shared_;
    std::vector<std::vector<double>> columns_;
    std::vector<std::size_t> next_;
    std::vector<std::vector<double>> shared_rows_;
};

}  // namespace

std::vector<Vocabulary::Id> decode_vocabulary(std::span<const char> bytes, Vocabulary& vocabulary) {
    ByteReader in(bytes);
    std::vector<Vocabulary::Id> ids(in.count("strings"));
    for (Vocabulary::Id& id : ids) {
        const std::size_t size = in.count("characters of a string");
        const auto bytes_of_text = in.take(size);
        const std::string_view text(bytes_of_text.data(), bytes_of_text.size());
        if (valid_utf8_prefix(text) < text.size())
            fail<FormatError>("string ", &id - ids.data(), " of a vocabulary is not UTF-8");
        id = vocabulary.add(text);
    }
    if (in.remaining() > 0)
        fail<FormatError>(in.remaining(), " bytes are left after the end of a vocabulary");
    return ids;
}

Forest decode_forest(std::span<const char> bytes, const CodecVocabularies& vocabularies) {
    ByteReader in(bytes);
    const auto words = read_numbers(in, vocabularies.word_ids, "words");
    const auto features = read_numbers(in, vocabularies.feature_ids, "features");
    const Rows<std::uint32_t> patterns = read_patterns(in, features.size());
    const Nodes nodes(in);
    const Rules rules(in, patterns.size(), words);
    const Edges edges(in, nodes, rules);
    check_copies(patterns, rules, edges, bytes.size());
    Columns columns(in, features.size(), patterns, rules, edges);
    if (in.remaining() > 0)
        fail<FormatError>(in.remaining(), " bytes are left after the end of a forest");
    ForestBuilder builder(vocabularies.words, vocabularies.feature_names);
    std::vector<FeatureId> ids;
    std::size_t edge = 0;
    for (std::size_t node = 0; node < nodes.edges.size(); ++node) {
        const NodeId head = builder.add_node({nodes.begin[node], nodes.covered[node]});
        for (std::uint64_t i = 0; i < nodes.edges[node]; ++i, ++edge) {
            const std::uint32_t rule = edges.rule[edge];
            const auto pattern = patterns[rules.pattern[rule]];
            ids.clear();
            for (const std::uint32_t feature : pattern) ids.push_back(features[feature]);
            builder.add_edge(head, edges.tails[edge], {ids, columns.row(rule, pattern)},
                             rules.target[rule]);
        }
    }
    if (builder.node_count() > 0) builder.set_root(static_cast<NodeId>(builder.node_count()) - 1);
    return std::move(builder).build();
}

}  // namespace hopefear
