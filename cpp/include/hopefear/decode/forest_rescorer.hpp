// Puts non-local features into forests that were made without them, under any weights.
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

namespace hopefear {

// May be used by any number of threads at once.
class ForestRescorer {
  public:
    // Triggers are local: forests have them already.
    ForestRescorer(const std::vector<NamedLanguageModel>& models, const WordFeatures& features,
                   RescoreOptions options);
    ~ForestRescorer();

    // The forest itself is not needed any more.
    [[nodiscard]] PreparedForest prepare(const Forest& forest);

    // The forest over nodes split by what non-local features remember, and of this what survives.
    // Weights are by feature id, those beyond the end are 0. What the forest had already of the
    // non-local features does not count and is replaced. <s> and </s> are no words of the result.
    // Of all that, only the best derivation if so told.
    [[nodiscard]] Forest rescore(const PreparedForest& prepared, std::span<const double> weights,
                                 bool only_best);

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

    std::vector<std::string> model_names_;
    std::vector<std::string> ngram_names_;
    std::unique_ptr<const LanguageModels> models_;
    NgramFeatures ngrams_;
    RescoreOptions options_;
    std::mutex mutex_;                        // for what follows
    std::shared_ptr<const NonlocalIds> ids_;  // of the last forest
    std::shared_ptr<const SentenceWords> numbers_;
    std::shared_ptr<Vocabulary> words_;  // whose numbers they are
    std::size_t word_count_ = 0;
    WorkerPool<Worker> workers_;
};

}  // namespace hopefear
