// Adds non-local features to forests that were made without them, under any weights.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hopefear/base/threads.hpp"
#include "hopefear/decode/prepared_forest.hpp"
#include "hopefear/decode/rescore.hpp"
#include "hopefear/decode/translation_model.hpp"
#include "hopefear/forest/forest.hpp"
#include "hopefear/forest/kbest.hpp"

namespace hopefear {

// Thread-safe.
class ForestRescorer {
  public:
    // Triggers are local features: forests have them already.
    ForestRescorer(const std::vector<NamedLanguageModel>& models, const WordFeatures& features,
                   RescoreOptions options);
    ~ForestRescorer();

    // The forest itself is not needed afterwards.
    [[nodiscard]] PreparedForest prepare(const Forest& forest);

    // The forest after cube pruning with non-local features, or only its best derivation. Weights
    // are indexed by feature id; missing ones are 0. Non-local features that the forest already had
    // are ignored and replaced. <s> and </s> are not words of the result.
    [[nodiscard]] Forest rescore(const PreparedForest& prepared, std::span<const double> weights,
                                 bool only_best);
    // The k best derivations of that forest.
    [[nodiscard]] KBestList kbest(const PreparedForest& prepared, std::span<const double> weights,
                                  const ListOptions& options);

  private:
    struct Worker;

    [[nodiscard]] std::shared_ptr<const NonlocalIds> find_ids(
        const std::shared_ptr<Vocabulary>& names);
    [[nodiscard]] std::shared_ptr<const SentenceWords> find_numbers(
        const std::shared_ptr<Vocabulary>& words);
    void set_weights(const PreparedForest& prepared, std::span<const double> weights,
                     Worker& worker) const;
    void make_list(const PreparedForest& prepared, std::size_t list, Worker& worker) const;
    void make_chart(const PreparedForest& prepared, Worker& worker) const;
    [[nodiscard]] WorkerPool<Worker>::Loan worker();
    // The result is valid as long as nobody else uses the worker.
    const RescoredChart& rescore(const PreparedForest& prepared, std::span<const double> weights,
                                 Worker& worker) const;

    std::vector<std::string> model_names_;
    std::vector<std::string> ngram_names_;
    std::unique_ptr<const LanguageModels> models_;
    NgramFeatures ngrams_;
    RescoreOptions options_;
    std::mutex mutex_;                        // for what follows
    std::shared_ptr<const NonlocalIds> ids_;  // of the last forest
    std::shared_ptr<const SentenceWords> numbers_;
    std::shared_ptr<Vocabulary> words_;  // the vocabulary of word_ids_
    std::size_t word_count_ = 0;
    WorkerPool<Worker> workers_;
};

}  // namespace hopefear
