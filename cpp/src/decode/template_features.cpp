#include "hopefear/decode/template_features.hpp"

#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"

namespace hopefear {

namespace {

void read_source(const Grammar& grammar, Grammar::State state, std::span<const Rule> rules,
                 std::vector<Symbol>& source) {
    grammar.source_side(state, source);
    for (const Rule& rule : rules)
        if (static_cast<std::size_t>(rule.source_length) != source.size())
            fail<FormatError>(grammar.name(), ": damaged grammar: a rule of ", rule.source_length,
                              " symbols is with a source side of ", source.size());
}

}  // namespace

std::size_t TemplateRows::bytes() const {
    return sizeof *this + begin_.capacity() * sizeof(begin_[0]) +
           ids_.capacity() * (sizeof(ids_[0]) + sizeof(values_[0]));
}

void TemplateRows::finish() {
    for (const Added& one : added_) ++begin_[one.rule + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    ids_.resize(added_.size());
    values_.resize(added_.size());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const Added& one : added_) {
        const std::uint32_t place = next[one.rule]++;
        ids_[place] = one.id;
        values_[place] = one.value;
    }
    added_ = {};
}

TemplateFeatures::TemplateFeatures(std::shared_ptr<const TranslationModel> model,
                                   std::vector<std::shared_ptr<const RuleTemplate>> templates,
                                   std::size_t max_bytes)
    : model_(std::move(model)),
      templates_(std::move(templates)),
      max_shard_bytes_(max_bytes / shard_count) {}

template <class Map, class Key, class Score>
TemplateFeatures::Rows TemplateFeatures::look_up(Shard& shard, Map& map, const Key& key,
                                                 std::size_t rule_count, const Score& score) {
    {
        const std::lock_guard lock(shard.mutex);
        const auto found = map.find(key);
        if (found != map.end()) return found->second;
    }
    auto made = std::make_shared<TemplateRows>(rule_count);
    for (const auto& one : templates_) score(*one, *made);
    made->finish();
    const std::size_t bytes = made->bytes() + sizeof key + 64;  // with nodes of the map
    const std::lock_guard lock(shard.mutex);
    if (shard.bytes + bytes > max_shard_bytes_) {
        shard.of_state.clear();
        shard.of_word.clear();
        shard.bytes = 0;
        if (bytes > max_shard_bytes_) return made;
    }
    const auto [place, added] = map.emplace(key, std::move(made));
    if (added) shard.bytes += bytes;
    return place->second;
}

TemplateFeatures::Rows TemplateFeatures::find(std::size_t part, Grammar::State state,
                                              std::span<const Rule> rules) {
    const std::uint64_t key = (static_cast<std::uint64_t>(part) << 32) | state;
    Shard& shard = shards_[mix(key) % shard_count];
    std::vector<Symbol> source;
    const auto score = [&](const RuleTemplate& one, TemplateRows& rows) {
        if (source.empty()) read_source(*model_->parts()[part].grammar, state, rules, source);
        one.score(part, source, rules, rows);
    };
    return look_up(shard, shard.of_state, key, rules.size(), score);
}

TemplateFeatures::Rows TemplateFeatures::find(PassThrough kind, std::string_view word) {
    std::string key(1, static_cast<char>(kind));
    key += word;
    Shard& shard = shards_[hash_bytes(key) % shard_count];
    const auto score = [&](const RuleTemplate& one, TemplateRows& rows) {
        one.score(kind, word, rows);
    };
    return look_up(shard, shard.of_word, key, 1, score);
}

std::size_t TemplateFeatures::bytes() {
    std::size_t bytes = 0;
    for (Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        bytes += shard.bytes;
    }
    return bytes;
}

}  // namespace hopefear
