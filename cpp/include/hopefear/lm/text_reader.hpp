// Words of a text that arrives in pieces of any size: one sentence a line, words separated by
// blanks. Any bytes are allowed, not only UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "hopefear/lm/ngram.hpp"

namespace hopefear::kneser_ney {

// Numbers the words of a text and keeps line numbers for errors.
class TextReader {
  public:
    // With `skip_special_words`, <s>, </s> and <unk> in the text are treated as blanks; otherwise
    // they are an error.
    explicit TextReader(bool skip_special_words);

    // Begin a file; the name is used in messages.
    void begin_file(std::string name);
    // Call sink.word(id) for each word and sink.end_sentence() after each line of `bytes`. The part
    // after the last blank is kept, because the word may continue.
    template <class Sink>
    void add(std::string_view bytes, Sink& sink);
    // End the file; a last line without newline is a sentence, too.
    template <class Sink>
    void end_file(Sink& sink);

    [[nodiscard]] const Vocabulary& words() const { return words_; }
    [[nodiscard]] std::uint64_t sentences() const { return sentences_; }
    [[nodiscard]] std::uint64_t tokens() const { return tokens_; }

  private:
    // Without a blank for this long, the file is not text.
    static constexpr std::size_t longest_word = std::size_t{1} << 16;

    template <class Sink>
    void word(std::string_view text, Sink& sink);
    template <class Sink>
    void end_line(Sink& sink);
    // Throw for a special word, unless such words are skipped.
    void special(std::string_view text) const;
    [[noreturn]] void refuse_length() const;

    bool skip_special_words_;
    Vocabulary words_;
    std::string file_ = "text";
    std::string rest_;  // the beginning of an incomplete word
    bool line_begun_ = false;
    std::uint64_t line_ = 1;
    std::uint64_t sentences_ = 0;
    std::uint64_t tokens_ = 0;
};

template <class Sink>
void TextReader::add(std::string_view bytes, Sink& sink) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const char c = bytes[at];
        if (!is_blank(c) && c != '\n') continue;
        word(bytes.substr(begin, at - begin), sink);
        begin = at + 1;
        if (c == '\n')
            end_line(sink);
        else
            line_begun_ = true;
    }
    rest_.append(bytes.substr(begin));
    if (rest_.size() > longest_word) refuse_length();
}

template <class Sink>
void TextReader::end_file(Sink& sink) {
    word({}, sink);
    if (line_begun_) end_line(sink);
}

template <class Sink>
void TextReader::word(std::string_view text, Sink& sink) {
    if (!rest_.empty()) text = rest_.append(text);
    if (text.empty()) return;
    if (text.size() > longest_word) refuse_length();
    line_begun_ = true;
    // KenLM reads <UNK> in a model as <unk>.
    const WordId id = text == "<UNK>" ? unknown_word : static_cast<WordId>(words_.add(text));
    if (id <= sentence_end) {
        special(text);
    } else {
        sink.word(id);
        ++tokens_;
    }
    rest_.clear();
}

template <class Sink>
void TextReader::end_line(Sink& sink) {
    sink.end_sentence();
    ++sentences_;
    ++line_;
    line_begun_ = false;
}

inline TextReader::TextReader(bool skip_special_words) : skip_special_words_(skip_special_words) {
    for (const char* word : {"<unk>", "<s>", "</s>"}) words_.add(word);  // ids 0, 1, 2
}

inline void TextReader::begin_file(std::string name) {
    file_ = std::move(name);
    line_ = 1;
}

inline void TextReader::special(std::string_view text) const {
    if (skip_special_words_) return;
    fail<DataError>(file_, ":", line_, ": the text contains the word ", text,
                    ", which is reserved in language models; remove or replace it, or skip "
                    "special words");
}

inline void TextReader::refuse_length() const {
    fail<DataError>(file_, ":", line_, ": no blank in more than ", longest_word,
                    " bytes; expected words separated by blanks, one sentence a line");
}

}  // namespace hopefear::kneser_ney
