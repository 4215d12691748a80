#include "hopefear/lm/kenlm_binary.hpp"

#include <exception>

#include "hopefear/base/error.hpp"
#include "hopefear/lm/kenlm_message.hpp"
#include "lm/model.hh"

namespace hopefear {

void write_kenlm_binary(const std::string& arpa, const std::string& path,
                        std::string_view structure, std::size_t memory,
                        const std::string& directory) {
    if (structure != "probing" && structure != "trie")
        fail<ConfigError>("unknown structure '", structure, "'; known: probing, trie");
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
        fail<FormatError>(arpa, ": KenLM cannot make a binary model of it: ", kenlm_message(error));
    }
}

}  // namespace hopefear
