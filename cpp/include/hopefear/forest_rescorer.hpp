// Puts non-local features into forests that were made without them, under any weights.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "hopefear/forest.hpp"
#include "hopefear/rescore.hpp"
#include "hopefear/translation_model.hpp"
#include "hopefear/worker_pool.hpp"

namespace hopefear {

// Which of the features of forests are non-local: those of language models and n-grams.
struct NonlocalIds {
    std::shared_ptr<Vocabulary> names;  // what the ids number
    std::vector<FeatureId> language_models;
    std::vector<FeatureId> ngrams;
    std::vector<char> all;  // by id

    [[nodiscard]] bool contains(FeatureId id) const {
        return static_cast<std::size_t>(id) < all.size() && all[id];
    }
};

// A forest, and what rescoring needs of it whatever the weights are. It never changes.
class PreparedForest {
  public:
    [[nodiscard]] const std::shared_ptr<const Forest>& forest() const { return forest_; }
    // Beyond those of the forest.
    [[nodiscard]] std::size_t bytes() const;

  private:
    friend class ForestRescorer;

    std::shared_ptr<const Forest> forest_;
    // Edges of a node that follow each other and have the same tails make a bundle: the first edge
    // of each, and one behind the last.
    std::vector<std::uint32_t> first_edge_;
    std::vector<std::uint32_t> first_bundle_;  // by node, and one more
    // Target sides with <s> and </s> as in a model, the forest's words behind.
    std::vector<Symbol> symbols_;
    std::vector<std::uint32_t> first_symbol_;  // by edge, and one more
    std::vector<float> estimates_;             // log10, by edge and language model
    SentenceWords words_;
    std::shared_ptr<const NonlocalIds> ids_;
    bool replaces_ = false;  // whether edges have some of them already
};

// May be used by any number of threads at once.
class ForestRescorer {
  public:
    // Triggers are local: forests have them already.
    ForestRescorer(const std::vector<NamedLanguageModel>& models, const WordFeatures& features,
                   RescoreOptions options);
    ~ForestRescorer();

    // If edges have <s> or </s>, the strings of the forest are taken to have them at their ends, as
    // parses do; otherwise all its strings are whole sentences. An edge that makes one word out of
    // one source word has a word in any case.
    [[nodiscard]] PreparedForest prepare(std::shared_ptr<const Forest> forest);

    // The forest over nodes split by what non-local features remember, and of this what survives.
    // Weights are by feature id, those beyond the end are 0. What the forest has already of the
    // non-local features does not count and is replaced. <s> and </s> are no words of the result.
    // Of all that, only the best derivation if so told.
    [[nodiscard]] Forest rescore(const PreparedForest& prepared, std::span<const double> weights,
                                 bool only_best);

  private:
    struct Worker;
    struct Boundaries;

    [[nodiscard]] std::shared_ptr<const NonlocalIds> find_ids(
        const std::shared_ptr<Vocabulary>& names);
    void add_bundles(PreparedForest& prepared, NodeId node) const;
    void add_target(PreparedForest& prepared, EdgeId edge, const Boundaries& boundaries) const;
    void make_chart(const PreparedForest& prepared, Worker& worker) const;
    void make_list(const PreparedForest& prepared, std::size_t bundle, Worker& worker) const;
    [[nodiscard]] Forest make_forest(const PreparedForest& prepared, const Chart& chart,
                                     const RescoredChart& rescored, bool only_best) const;

    std::vector<std::string> model_names_;
    std::vector<std::string> ngram_names_;
    std::unique_ptr<const LanguageModels> models_;
    NgramFeatures ngrams_;
    RescoreOptions options_;
    std::mutex mutex_;                        // for what follows
    std::shared_ptr<const NonlocalIds> ids_;  // of the last forest
    WorkerPool<Worker> workers_;
};

}  // namespace hopefear
