#include "hopefear/decode/prepared_forest.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "hopefear/base/hash.hpp"
#include "hopefear/decode/language_models.hpp"

namespace hopefear {

namespace {

// The ends of sentences in a forest.
struct Boundaries {
    explicit Boundaries(const Forest& forest)
        : begin(forest.words()->find(sentence_begin).value_or(-1)),
          end(forest.words()->find(sentence_end).value_or(-1)) {
        if (begin < 0 && end < 0) return;
        for (EdgeId edge = 0; !present && edge < static_cast<EdgeId>(forest.edge_count()); ++edge)
            present = !is_one_word(forest, edge) &&
                      std::ranges::any_of(forest.target(edge), [this](Symbol symbol) {
                          return !is_slot(symbol) && (symbol == begin || symbol == end);
                      });
    }

    static bool is_one_word(const Forest& forest, EdgeId edge) {
        return forest.target(edge).size() == 1 && forest.tails(edge).empty() &&
               forest.covered(forest.head(edge)) == 1;
    }

    Symbol begin;  // -1 if not among the words
    Symbol end;
    bool present = false;
};

// Consecutive edges of one head.
struct Run {
    EdgeId first;
    EdgeId last;  // one past the last
};

}  // namespace

class PreparedForest::Maker {
  public:
    Maker(const Forest& forest, const LanguageModels& models, PreparedForest& out)
        : forest_(forest), models_(models), boundaries_(forest), out_(out) {}

    void run() {
        add_patterns();
        out_.first_bundle_.push_back(0);
        out_.first_rule_.push_back(0);
        for (NodeId node = 0; node <= forest_.root(); ++node) {
            out_.sources_.push_back(forest_.source(node));
            const auto edges = forest_.edges(node);
            EdgeId first = *edges.begin();
            for (const EdgeId edge : edges) {
                const EdgeId next = edge + 1;
                if (next < *edges.end() &&
                    std::ranges::equal(forest_.tails(next), forest_.tails(first)))
                    continue;
                add_bundle({first, next});
                first = next;
            }
            out_.first_bundle_.push_back(static_cast<std::uint32_t>(out_.bundles_.size()));
        }
        out_.rules_.push_back({static_cast<std::uint32_t>(out_.symbols_.size()),
                               static_cast<std::uint32_t>(out_.values_.size()), 0});
        shrink();
    }

  private:
    // Add the patterns of the forest without non-local features.
    void add_patterns() {
        out_.first_id_.push_back(0);
        for (std::size_t i = 0; i < forest_.patterns().size(); ++i) {
            for (const FeatureId id : forest_.patterns()[static_cast<FeaturePatterns::Id>(i)]) {
                if (out_.nonlocal_->contains(id)) continue;
                out_.ids_.push_back(id);
                out_.feature_count_ =
                    std::max(out_.feature_count_, static_cast<std::size_t>(id) + 1);
            }
            out_.first_id_.push_back(static_cast<std::uint32_t>(out_.ids_.size()));
        }
    }

    void add_bundle(Run run) {
        const std::uint64_t hash = hash_of(run);
        for (auto [at, end] = lists_.equal_range(hash); at != end; ++at)
            if (same(at->second.first, run)) return add_bundle(run, at->second.second);
        const auto list = static_cast<std::uint32_t>(out_.list_count());
        for (EdgeId edge = run.first; edge < run.last; ++edge) add_rule(edge);
        out_.first_rule_.push_back(static_cast<std::uint32_t>(out_.rules_.size()));
        out_.arities_.push_back(static_cast<std::int32_t>(forest_.tails(run.first).size()));
        lists_.emplace(hash, std::pair(run, list));
        add_bundle(run, list);
    }

    void add_bundle(Run run, std::uint32_t list) {
        out_.bundles_.push_back({list, static_cast<std::uint32_t>(out_.tails_.size())});
        const auto tails = forest_.tails(run.first);
        out_.tails_.insert(out_.tails_.end(), tails.begin(), tails.end());
    }

    // The part of an edge's position that decides how its target side is read, and its number of
    // tails.
    [[nodiscard]] std::uint64_t place_of(Run run) const {
        const NodeId head = forest_.head(run.first);
        return 4 * forest_.tails(run.first).size() + (head == forest_.root() ? 2 : 0) +
               (forest_.covered(head) == 1 ? 1 : 0);
    }

    [[nodiscard]] std::uint64_t hash_of(Run run) const {
        std::uint64_t hash = place_of(run);
        for (EdgeId edge = run.first; edge < run.last; ++edge) {
            hash = hash_combine(hash, static_cast<std::uint64_t>(forest_.pattern()[edge]));
            for (const Symbol symbol : forest_.target(edge))
                hash = hash_combine(hash, static_cast<std::uint32_t>(symbol));
            for (const double value : forest_.features(edge).values)
                hash = hash_combine(hash, std::bit_cast<std::uint64_t>(value));
        }
        return hash;
    }

    [[nodiscard]] bool same(Run a, Run b) const {
        if (a.last - a.first != b.last - b.first || place_of(a) != place_of(b)) return false;
        for (EdgeId i = 0; i < a.last - a.first; ++i) {
            const EdgeId one = a.first + i;
            const EdgeId other = b.first + i;
            if (forest_.pattern()[one] != forest_.pattern()[other] ||
                !std::ranges::equal(forest_.target(one), forest_.target(other)) ||
                !std::ranges::equal(forest_.features(one).values, forest_.features(other).values))
                return false;
        }
        return true;
    }

    void add_rule(EdgeId edge) {
        const auto first = static_cast<std::uint32_t>(out_.symbols_.size());
        out_.rules_.push_back({first, static_cast<std::uint32_t>(out_.values_.size()),
                               static_cast<std::uint32_t>(forest_.pattern()[edge])});
        const SparseView features = forest_.features(edge);
        for (std::size_t i = 0; i < features.size(); ++i)
            if (!out_.nonlocal_->contains(features.ids[i]))
                out_.values_.push_back(features.values[i]);
        add_target(edge);
        const auto target = std::span<const Symbol>(out_.symbols_).subspan(first);
        for (std::size_t i = 0; i < models_.size(); ++i)
            out_.estimates_.push_back(models_.estimate(i, target, *out_.numbers_));
    }

    void add_target(EdgeId edge) {
        const bool bare = !boundaries_.present && forest_.head(edge) == forest_.root();
        const bool plain = !boundaries_.present || Boundaries::is_one_word(forest_, edge);
        std::vector<Symbol>& symbols = out_.symbols_;
        if (bare) symbols.push_back(begin_word);
        for (const Symbol symbol : forest_.target(edge)) {
            if (is_slot(symbol))
                symbols.push_back(symbol);
            else if (!plain && symbol == boundaries_.begin)
                symbols.push_back(begin_word);
            else if (!plain && symbol == boundaries_.end)
                symbols.push_back(end_word);
            else
                symbols.push_back(symbol + first_word);
        }
        if (bare) symbols.push_back(end_word);
    }

    void shrink() {
        out_.sources_.shrink_to_fit();
        out_.first_bundle_.shrink_to_fit();
        out_.bundles_.shrink_to_fit();
        out_.tails_.shrink_to_fit();
        out_.first_rule_.shrink_to_fit();
        out_.arities_.shrink_to_fit();
        out_.rules_.shrink_to_fit();
        out_.symbols_.shrink_to_fit();
        out_.values_.shrink_to_fit();
        out_.estimates_.shrink_to_fit();
        out_.ids_.shrink_to_fit();
        out_.first_id_.shrink_to_fit();
    }

    const Forest& forest_;
    const LanguageModels& models_;
    Boundaries boundaries_;
    PreparedForest& out_;
    std::unordered_multimap<std::uint64_t, std::pair<Run, std::uint32_t>> lists_;
};

PreparedForest::PreparedForest(const Forest& forest, const LanguageModels& models,
                               std::shared_ptr<const SentenceWords> numbers,
                               std::shared_ptr<const NonlocalIds> nonlocal)
    : words_(forest.words()), nonlocal_(std::move(nonlocal)), numbers_(std::move(numbers)) {
    Maker(forest, models, *this).run();
}

std::size_t PreparedForest::bytes() const {
    const auto of = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    return sizeof *this + of(sources_) + of(first_bundle_) + of(bundles_) + of(tails_) +
           of(first_rule_) + of(arities_) + of(rules_) + of(symbols_) + of(values_) +
           of(estimates_) + of(ids_) + of(first_id_);
}

}  // namespace hopefear
