#include "hopefear/lm/language_model.hpp"

#include <exception>
#include <string>
#include <string_view>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/mapped_file.hpp"
#include "hopefear/lm/arpa_values.hpp"
#include "lm/model.hh"
#include "lm/virtual_interface.hh"

namespace hopefear {

// The message of a KenLM exception without its first line, which names KenLM's source code.
static std::string kenlm_message(const std::exception& error) {
    const std::string_view text = error.what();
    const std::size_t first_line = text.find(".\n");
    const bool more = first_line != std::string_view::npos && first_line + 2 < text.size();
    return std::string(more ? text.substr(first_line + 2) : text);
}

struct LanguageModel::Model {
    Model(const std::string& path, std::optional<std::uint64_t> expected)
        : file(path), checksum(expected) {}

    OpenFile file;
    std::optional<std::uint64_t> checksum;
    std::unique_ptr<const lm::base::Model> kenlm;
    std::optional<PageGuard> guard;  // of KenLM's mapping; none if it read the file
    lm::ngram::State begin;
    lm::ngram::State empty;
};

LanguageModel::LanguageModel(const std::string& path, std::optional<std::uint64_t> checksum) {
    auto model = std::make_unique<Model>(path, checksum);
    if (checksum && model->file.checksum() != *checksum)
        fail<FormatError>(path, ": damaged language model: its checksum is wrong; if it was ",
                          "replaced on purpose, remove the checksum from model.toml");
    check_arpa_values(model->file);
    try {
        lm::ngram::Config config;
        config.messages = nullptr;  // the library does not print
        config.arpa_complain = lm::ngram::Config::NONE;
        model->kenlm.reset(lm::ngram::LoadVirtual(path.c_str(), config));
        const auto mapped = model->file.mapped_elsewhere();
        if (!mapped.empty()) model->guard.emplace(mapped);
        model->kenlm->BeginSentenceWrite(&model->begin);
        model->kenlm->NullContextWrite(&model->empty);
    } catch (const std::exception& error) {
        fail<FormatError>(path,
                          ": not a language model that KenLM can read: ", kenlm_message(error));
    }
    model_ = std::move(model);
    check_unchanged();
}

LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

void LanguageModel::check_unchanged() const {
    if (!model_->guard) return;
    if (model_->guard->lost()) model_->file.fail_changed();
    model_->file.check_unchanged(
        [this] { return model_->checksum && model_->file.checksum() == *model_->checksum; });
}

const lm::base::Model& LanguageModel::kenlm() const {
    return *model_->kenlm;
}

int LanguageModel::order() const {
    return model_->kenlm->Order();
}

bool LanguageModel::contains(std::string_view word) const {
    return model_->kenlm->BaseVocabulary().Index(StringPiece(word.data(), word.size())) !=
           model_->kenlm->BaseVocabulary().NotFound();
}

double LanguageModel::score(std::span<const std::string> words, bool begin, bool end) const {
    const auto& vocabulary = model_->kenlm->BaseVocabulary();
    lm::ngram::State state = begin ? model_->begin : model_->empty;
    lm::ngram::State next;
    double sum = 0.0;
    for (const std::string& word : words) {
        sum += model_->kenlm->BaseScore(&state, vocabulary.Index(word), &next);
        state = next;
    }
    if (end) sum += model_->kenlm->BaseScore(&state, vocabulary.EndSentence(), &next);
    return sum;
}

void LanguageModel::score_line(std::string_view line, TextScore& sum) const {
    const auto& vocabulary = model_->kenlm->BaseVocabulary();
    lm::ngram::State state = model_->begin;
    const auto score = [&](lm::WordIndex word) {
        lm::ngram::State next;
        const double log10 = model_->kenlm->BaseScore(&state, word, &next);
        state = next;
        sum.log10_probability += log10;
        ++sum.tokens;
        if (word != vocabulary.NotFound()) return;
        sum.log10_unknown += log10;
        ++sum.unknown;
    };
    for_each_word_between_blanks(line, [&](std::string_view word) {
        score(vocabulary.Index(StringPiece(word.data(), word.size())));
    });
    score(vocabulary.EndSentence());
}

void write_kenlm_binary(const std::string& arpa, const std::string& path,
                        std::string_view structure, std::size_t memory,
                        const std::string& directory) {
    if (structure != "probing" && structure != "trie")
        fail<ConfigError>("unknown structure '", structure, "'; known: probing, trie");
    check_arpa_values(OpenFile(arpa));
    lm::ngram::Config config;
    config.messages = nullptr;  // the library does not print
    config.arpa_complain = lm::ngram::Config::NONE;
    config.write_mmap = path.c_str();
    config.write_method = lm::ngram::Config::WRITE_AFTER;
    config.building_memory = memory;
    config.temporary_directory_prefix = directory + "/hopefear-";
    try {
        if (structure == "probing")
            const lm::ngram::ProbingModel model(arpa.c_str(), config);
        else
            const lm::ngram::TrieModel model(arpa.c_str(), config);
    } catch (const std::exception& error) {
        fail<FormatError>(arpa, ": cannot be converted to a KenLM binary: ", kenlm_message(error));
    }
}

}  // namespace hopefear
