#include "hopefear/io/moses_hypergraph.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/lines.hpp"
#include "hopefear/base/numbers.hpp"
#include "hopefear/forest/builder.hpp"

namespace hopefear {

namespace {

constexpr std::string_view header = "# target ||| features ||| source-covered";
constexpr std::string_view bars = "|||";
constexpr std::string_view blanks = " \t";

// The tokens of a line, one after the other.
class Tokens {
  public:
    explicit Tokens(std::string_view line) : rest_(line) { skip(); }
    [[nodiscard]] bool end() const { return rest_.empty(); }
    std::string_view next() {
        const std::string_view token = rest_.substr(0, rest_.find_first_of(blanks));
        rest_.remove_prefix(token.size());
        skip();
        return token;
    }

  private:
    void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }
    std::string_view rest_;
};

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0)
        return std::nullopt;
    return number;
}

// The vertex that a token of the target side stands for, if it is [digits].
std::optional<std::string_view> vertex_digits(std::string_view token) {
    if (token.size() < 3 || token.front() != '[' || token.back() != ']') return std::nullopt;
    const std::string_view digits = token.substr(1, token.size() - 2);
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return digits;
}

std::string_view other_name(const FeatureRenaming& renamed, std::string_view name) {
    if (renamed.empty()) return name;
    const auto found = renamed.find(name);
    return found == renamed.end() ? name : found->second;
}

class Parser {
  public:
    Parser(std::shared_ptr<Vocabulary> words, std::shared_ptr<Vocabulary> feature_names,
           const FeatureRenaming& renamed)
        : words_(*words),
          feature_names_(*feature_names),
          renamed_(renamed),
          builder_(std::move(words), std::move(feature_names)) {}

    void line(std::string_view text) {
        if (const std::size_t valid = valid_utf8_prefix(text); valid < text.size())
            fail<FormatError>("byte ", valid + 1, " of the line is not UTF-8");
        if (first_) {
            first_ = false;
            covered_ = text == header;
        }
        if (missing_ > 0) {
            edge(text);
            --missing_;
        } else if (!text.starts_with('#')) {
            count(text);
        }
    }

    [[nodiscard]] Forest finish() {
        if (!sized_) fail<FormatError>("no line 'VERTICES EDGES' was found");
        if (missing_ > 0 || builder_.node_count() < vertices_)
            fail<FormatError>("the file ends after vertex ",
                              static_cast<std::int64_t>(builder_.node_count()) - 1, " of ",
                              vertices_, ", with ", missing_, " of its edges missing");
        if (builder_.edge_count() != edges_)
            fail<FormatError>("the file has ", builder_.edge_count(), " edges, but says it has ",
                              edges_);
        builder_.set_root(static_cast<NodeId>(vertices_) - 1);
        return builder_.build();
    }

  private:
    void count(std::string_view text) {
        Tokens tokens(text);
        if (tokens.end() && builder_.node_count() == vertices_ && sized_) return;  // at the end
        const auto number = [&](const char* what) {
            const std::string_view token = tokens.end() ? "" : tokens.next();
            const auto value = whole_number<std::int32_t>(token);
            if (!value) fail<FormatError>("expected ", what, ", found '", text, "'");
            return static_cast<std::size_t>(*value);
        };
        if (!sized_) {
            vertices_ = number("the numbers of vertices and of edges");
            edges_ = number("the numbers of vertices and of edges");
            if (vertices_ == 0) fail<FormatError>("expected one vertex or more, found 0");
            sized_ = true;
        } else {
            if (builder_.node_count() == vertices_)
                fail<FormatError>("expected the end after ", vertices_, " vertices, found '", text,
                                  "'");
            missing_ = number("the number of edges of a vertex");
            vertex_ = builder_.add_node({});
            first_edge_ = true;
        }
        if (!tokens.end()) fail<FormatError>("expected the end of the line, found '", text, "'");
    }

    void edge(std::string_view text) {
        Tokens tokens(text);
        target(tokens);
        const bool more = features(tokens);
        if (more != covered_)
            fail<FormatError>("expected ", covered_ ? 3 : 2, " fields separated by '|||', as ",
                              covered_ ? "the first line says" : "there is no header", ", found '",
                              text, "'");
        if (covered_) covered(tokens, text);
        first_edge_ = false;
        builder_.add_edge(vertex_, tails_, {ids_, values_}, target_);
    }

    void target(Tokens& tokens) {
        target_.clear();
        tails_.clear();
        while (true) {
            if (tokens.end()) fail<FormatError>("expected '|||' after the target side");
            const std::string_view token = tokens.next();
            if (token == bars) return;
            if (const auto digits = vertex_digits(token)) {
                const auto vertex = whole_number<NodeId>(*digits);
                if (!vertex || *vertex >= vertex_)
                    fail<FormatError>("an edge of vertex ", vertex_, " has the tail ", token,
                                      "; expected a vertex before it");
                target_.push_back(slot_symbol(static_cast<std::int32_t>(tails_.size())));
                tails_.push_back(*vertex);
            } else {
                target_.push_back(words_.add(token));
            }
        }
    }

    // Whether there is a field after this one.
    bool features(Tokens& tokens) {
        ids_.clear();
        values_.clear();
        while (!tokens.end()) {
            const std::string_view token = tokens.next();
            if (token == bars) return true;
            const std::size_t equals = token.rfind('=');
            if (equals == std::string_view::npos || equals == 0)
                fail<FormatError>("expected a feature as NAME=VALUE, found '", token, "'");
            const auto value = parse_number(token.substr(equals + 1));
            if (!value || !std::isfinite(*value))
                fail<FormatError>("expected a finite number as the value of feature '",
                                  token.substr(0, equals), "', found '", token.substr(equals + 1),
                                  "'");
            ids_.push_back(feature_names_.add(other_name(renamed_, token.substr(0, equals))));
            values_.push_back(*value);
        }
        return false;
    }

    // The first edge of a vertex counts.
    void covered(Tokens& tokens, std::string_view text) {
        const auto value = whole_number<std::int32_t>(tokens.end() ? "" : tokens.next());
        if (!value || !tokens.end())
            fail<FormatError>("expected the number of source words covered as the third field, ",
                              "found '", text, "'");
        if (first_edge_) builder_.set_source(vertex_, {SourceSpan::unknown, *value});
    }

    Vocabulary& words_;
    Vocabulary& feature_names_;
    const FeatureRenaming& renamed_;
    ForestBuilder builder_;
    bool first_ = true;     // is this the first line?
    bool covered_ = false;  // do edges have the third field?
    bool sized_ = false;    // are the next two known?
    std::size_t vertices_ = 0;
    std::size_t edges_ = 0;
    std::size_t missing_ = 0;  // edges of the present vertex still to come
    NodeId vertex_ = -1;       // the present one
    bool first_edge_ = false;  // before the first of its edges
    std::vector<Symbol> target_;
    std::vector<NodeId> tails_;
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
};

void append_token(std::string& out, std::string_view token, const char* what) {
    if (token.empty() || token == bars || token.find_first_of(" \t\r\n") != std::string_view::npos)
        fail<FormatError>("the ", what, " '", token,
                          "' cannot be written in Moses' format, where blanks and '|||' separate");
    out.append(token);
}

void append_target(std::string& out, const Forest& forest, EdgeId edge) {
    for (const Symbol symbol : forest.target(edge)) {
        if (is_slot(symbol)) {
            const NodeId tail = forest.tails(edge)[slot_of(symbol)];
            out.append("[").append(std::to_string(tail)).append("]");
        } else {
            const std::string_view word = forest.words()->text(symbol);
            if (vertex_digits(word))
                fail<FormatError>(
                    "the word '", word,
                    "' cannot be written in Moses' format, where it would be a vertex");
            append_token(out, word, "word");
        }
        out.append(" ");
    }
    if (forest.target(edge).empty()) out.append(" ");  // Moses splits at " ||| "
}

void append_features(std::string& out, const Forest& forest, EdgeId edge,
                     const FeatureRenaming& renamed) {
    const SparseView features = forest.features(edge);
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (i > 0) out.append(" ");
        const std::string_view name = forest.feature_names()->text(features.ids[i]);
        append_token(out, other_name(renamed, name), "feature name");
        out.append("=");
        append_number(out, features.values[i]);
    }
}

}  // namespace

Forest parse_moses_hypergraph(std::string_view text, const std::string& file,
                              const std::shared_ptr<Vocabulary>& words,
                              const std::shared_ptr<Vocabulary>& feature_names,
                              const FeatureRenaming& renamed) {
    Parser parser(words, feature_names, renamed);
    Lines lines(file);
    const auto visit = [&](std::string_view line) { parser.line(line); };
    lines.feed(text, visit);
    lines.finish(visit);
    try {
        return parser.finish();
    } catch (const DataError& error) {
        fail<FormatError>(file, ":", lines.count(), ": ", error.what());
    }
}

std::string format_moses_hypergraph(const Forest& forest, bool covered,
                                    const FeatureRenaming& renamed) {
    std::string out;
    if (covered) out.append(header).append("\n");
    out.append(std::to_string(forest.node_count())).append(" ");
    out.append(std::to_string(forest.edge_count())).append("\n");
    for (NodeId node = 0; node <= forest.root(); ++node) {
        out.append(std::to_string(forest.edges(node).size())).append("\n");
        for (const EdgeId edge : forest.edges(node)) {
            append_target(out, forest, edge);
            out.append("||| ");
            append_features(out, forest, edge, renamed);
            if (covered) out.append(" ||| ").append(std::to_string(forest.covered(node)));
            out.append("\n");
        }
    }
    return out;
}

}  // namespace hopefear
