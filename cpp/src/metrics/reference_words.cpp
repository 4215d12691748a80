#include "hopefear/metrics/reference_words.hpp"

#include <algorithm>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear {

ReferenceWords::ReferenceWords(const std::vector<std::vector<std::string>>& references) {
    for (std::size_t sentence = 0; sentence < references.size(); ++sentence) {
        if (references[sentence].empty())
            fail<DataError>("sentence ", sentence, " has no reference");
        for (const std::string& reference : references[sentence]) {
            for_each_word(reference,
                          [&](std::string_view word) { words_.push_back(vocabulary_.add(word)); });
            word_begin_.push_back(words_.size());
        }
        reference_begin_.push_back(word_begin_.size() - 1);
    }
}

double ReferenceWords::average_length(std::size_t sentence) const {
    const std::uint64_t begin = word_begin_[reference_begin_[sentence]];
    const std::uint64_t end = word_begin_[reference_begin_[sentence + 1]];
    return static_cast<double>(end - begin) / static_cast<double>(count(sentence));
}

std::vector<WordId> ReferenceWords::find_all(
    const Vocabulary& vocabulary, const std::optional<std::vector<std::string>>& spellings) const {
    if (spellings && spellings->size() != vocabulary.size())
        fail<DataError>(spellings->size(), " spellings for a vocabulary of ", vocabulary.size());
    std::vector<WordId> found(vocabulary.size());
    for (std::size_t id = 0; id < found.size(); ++id)
        found[id] = find(spellings ? std::string_view((*spellings)[id])
                                   : vocabulary.text(static_cast<WordId>(id)));
    return found;
}

void check_sentences(std::size_t rows, std::span<const std::int64_t> sentences,
                     std::size_t sentence_count) {
    if (rows != sentences.size())
        fail<DataError>(rows, " hypotheses, but sentence numbers for ", sentences.size());
    for (std::size_t row = 0; row < rows; ++row)
        if (sentences[row] < 0 || static_cast<std::size_t>(sentences[row]) >= sentence_count)
            fail<DataError>("hypothesis ", row, " belongs to sentence ", sentences[row],
                            ", but there are references for ", sentence_count, " sentences");
}

Hypotheses text_hypotheses(std::shared_ptr<const ReferenceWords> references,
                           std::vector<std::string> texts, std::vector<std::int64_t> sentences) {
    check_sentences(texts.size(), sentences, references->size());
    constexpr std::size_t block_size = 64;
    const std::size_t size = texts.size();
    auto read = [references, texts = std::move(texts), sentences = std::move(sentences)](
                    std::size_t block, const Hypotheses::Visit& visit) {
        const std::size_t end = std::min(texts.size(), (block + 1) * block_size);
        std::vector<WordId> words;
        for (std::size_t row = block * block_size; row < end; ++row) {
            words.clear();
            for_each_word(texts[row],
                          [&](std::string_view word) { words.push_back(references->find(word)); });
            visit(row, static_cast<std::size_t>(sentences[row]), words);
        }
    };
    return {std::move(references), size, (size + block_size - 1) / block_size,
            [size](std::size_t block) { return std::min(size, block * block_size); },
            std::move(read)};
}

Hypotheses nbest_hypotheses(std::shared_ptr<const ReferenceWords> references, const NBest& lists,
                            const std::optional<std::vector<std::string>>& spellings) {
    if (lists.sentences() != references->size())
        fail<DataError>("n-best lists of ", lists.sentences(), " sentences, but references for ",
                        references->size());
    auto read = [&lists, numbers = references->find_all(*lists.words(), spellings)](
                    std::size_t sentence, const Hypotheses::Visit& visit) {
        WordLists hypotheses;
        lists.sentence_words(sentence, hypotheses);
        for (WordId& id : hypotheses.ids) id = numbers[id];
        std::size_t row = lists.rows(sentence).begin;
        for (std::size_t i = 0; i < hypotheses.size(); ++i) visit(row++, sentence, hypotheses[i]);
        if (lists.spilled()) lists.release(sentence, sentence + 1);
    };
    return {std::move(references), lists.hypotheses(), lists.sentences(),
            [&lists](std::size_t sentence) {
                return static_cast<std::size_t>(lists.offsets()[sentence]);
            },
            std::move(read)};
}

}  // namespace hopefear
