#include "hopefear/lm/text_reader.hpp"

#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear::kneser_ney {

TextReader::TextReader(bool skip_special_words) : skip_special_words_(skip_special_words) {
    for (const char* word : {"<unk>", "<s>", "</s>"}) words_.add(word);  // ids 0, 1, 2
}

void TextReader::begin_file(std::string name) {
    file_ = std::move(name);
    line_ = 1;
}

void TextReader::special(std::string_view text) const {
    if (skip_special_words_) return;
    fail<DataError>(file_, ":", line_, ": the text contains the word ", text,
                    ", which language models keep for themselves; remove or replace it, or have "
                    "such words skipped");
}

void TextReader::refuse_length() const {
    fail<DataError>(file_, ":", line_, ": no blank in more than ", longest_word,
                    " bytes; expected words separated by blanks, one sentence a line");
}

}  // namespace hopefear::kneser_ney
