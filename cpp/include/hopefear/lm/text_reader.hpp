// Text in pieces of any size, as words of sentences: a line is a sentence, words are separated by
// blanks. Bytes that are not UTF-8 are as good as others.
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

// Numbers the words of a text, with line numbers for errors.
class TextReader {
  public:
    // With `skip_special_words`, <s>, </s> and <unk> in the text are taken for blanks; otherwise
    // they are an error.
    explicit TextReader(bool skip_special_words);

    // A file begins; the name is for errors.
    void begin_file(std::string name);
    // Call sink.word(id) for each word and sink.end_sentence() after each line of `bytes`. What
    // follows the last blank is kept, because more of it may come.
    template <class Sink>
    void add(std::string_view bytes, Sink& sink);
    // The file is over; a last line without its newline is a sentence too.
    template <class Sink>
    void end_file(Sink& sink);

    [[nodiscard]] const Vocabulary& words() const { return words_; }
    [[nodiscard]] std::uint64_t sentences() const { return sentences_; }
    [[nodiscard]] std::uint64_t tokens() const { return tokens_; }

  private:
    // No blank for so long: this is no text.
    static constexpr std::size_t longest_word = std::size_t{1} << 16;

    template <class Sink>
    void word(std::string_view text, Sink& sink);
    template <class Sink>
    void end_line(Sink& sink);
    // Complain about a special word, unless it is to be skipped.
    void special(std::string_view text) const;
    [[noreturn]] void refuse_length() const;

    bool skip_special_words_;
    Vocabulary words_;
    std::string file_ = "text";
    std::string rest_;  // the beginning of a word whose end has not arrived
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
    // KenLM takes <UNK> for <unk> when it reads a model.
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
                    ", which language models keep for themselves; remove or replace it, or have "
                    "such words skipped");
}

inline void TextReader::refuse_length() const {
    fail<DataError>(file_, ":", line_, ": no blank in more than ", longest_word,
                    " bytes; expected words separated by blanks, one sentence a line");
}

}  // namespace hopefear::kneser_ney
