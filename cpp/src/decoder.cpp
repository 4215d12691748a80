#include "hopefear/decoder.hpp"

#include "hopefear/chart_forest.hpp"
#include "hopefear/language_models.hpp"

namespace hopefear {

// What one sentence needs at a time, used again for the next.
struct Decoder::Worker {
    explicit Worker(Decoder& decoder)
        : parser(decoder.scorer_, decoder.cache_, decoder.unary_rules_,
                 decoder.options_.pass_through) {}

    Parser parser;
    SentenceWords words;
};

// A worker taken from the decoder, until this ends.
class Decoder::Loan {
  public:
    explicit Loan(Decoder& decoder) : decoder_(decoder) {
        const std::lock_guard lock(decoder.mutex_);
        if (decoder.idle_.empty()) {
            worker_ = std::make_unique<Worker>(decoder);
        } else {
            worker_ = std::move(decoder.idle_.back());
            decoder.idle_.pop_back();
        }
    }
    Loan(const Loan&) = delete;
    ~Loan() {
        const std::lock_guard lock(decoder_.mutex_);
        decoder_.idle_.push_back(std::move(worker_));
    }
    Worker* operator->() { return worker_.get(); }

  private:
    Decoder& decoder_;
    std::unique_ptr<Worker> worker_;
};

Decoder::Decoder(std::shared_ptr<const TranslationModel> model, std::span<const double> weights,
                 const DecoderOptions& options)
    : model_(std::move(model)),
      options_(options),
      scorer_(model_, weights, options.rule_limit),
      cache_(scorer_, options.cache_bytes),
      unary_rules_(*model_) {}

Decoder::~Decoder() = default;

Forest Decoder::parse(const std::vector<std::string>& words) {
    Loan worker(*this);
    model_->language_models().find(words, worker->words);
    return parse_forest(worker->parser.parse(words, worker->words), *model_, words);
}

}  // namespace hopefear
