// What templates say of rules: asked once for each source side, then kept, whatever the weights.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hopefear/decode/rule_template.hpp"

namespace hopefear {

// Shared by threads, and by decoders with different weights.
class TemplateFeatures {
  public:
    // Keeps about `max_bytes` at most; beyond that, templates are asked again.
    TemplateFeatures(std::shared_ptr<const TranslationModel> model,
                     std::vector<std::shared_ptr<const RuleTemplate>> templates,
                     std::size_t max_bytes);

    [[nodiscard]] bool empty() const { return templates_.empty(); }
    // `rules` are all rules at a state of a grammar.
    [[nodiscard]] std::shared_ptr<const TemplateRows> find(std::size_t part, Grammar::State state,
                                                           std::span<const Rule> rules);
    // Of a word that passes: row 0.
    [[nodiscard]] std::shared_ptr<const TemplateRows> find(PassThrough kind, std::string_view word);
    // Memory in use.
    [[nodiscard]] std::size_t bytes();

  private:
    using Rows = std::shared_ptr<const TemplateRows>;
    // Each has its own lock, so that threads seldom wait. Nobody asks a template while holding it.
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, Rows> of_state;
        std::unordered_map<std::string, Rows> of_word;
        std::size_t bytes = 0;
    };

    static constexpr std::size_t shard_count = 64;

    template <class Map, class Key, class Score>
    Rows look_up(Shard& shard, Map& map, const Key& key, std::size_t rule_count,
                 const Score& score);

    std::shared_ptr<const TranslationModel> model_;
    std::vector<std::shared_ptr<const RuleTemplate>> templates_;
    std::size_t max_shard_bytes_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace hopefear
