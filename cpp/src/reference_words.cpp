#include "hopefear/reference_words.hpp"

#include <algorithm>

#include "hopefear/error.hpp"
#include "hopefear/threads.hpp"
#include "hopefear/whitespace.hpp"

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

Hypotheses text_hypotheses(std::shared_ptr<const ReferenceWords> references,
                           std::vector<std::string> texts, std::vector<std::int64_t> sentences) {
    if (texts.size() != sentences.size())
        fail<DataError>(texts.size(), " hypotheses, but sentence numbers for ", sentences.size());
    for (std::size_t row = 0; row < sentences.size(); ++row)
        if (sentences[row] < 0 || static_cast<std::size_t>(sentences[row]) >= references->size())
            fail<DataError>("hypothesis ", row, " is of sentence ", sentences[row],
                            ", but there are references for ", references->size(), " sentences");
    constexpr std::size_t rows = 64;
    const std::size_t blocks = (texts.size() + rows - 1) / rows;
    auto read = [references, texts = std::move(texts)](std::size_t block,
                                                       const Hypotheses::Visit& visit) {
        std::vector<WordId> words;
        for (std::size_t row = block * rows; row < std::min(texts.size(), (block + 1) * rows);
             ++row) {
            words.clear();
            for_each_word(texts[row],
                          [&](std::string_view word) { words.push_back(references->find(word)); });
            visit(row, words);
        }
    };
    return {std::move(references), std::move(sentences), blocks, std::move(read)};
}

std::vector<double> fill_statistics(const Hypotheses& hypotheses, const ReferenceWords& references,
                                    std::size_t dimension, std::size_t threads,
                                    const std::function<FillStatistics()>& make_fill) {
    if (hypotheses.references.get() != &references)
        fail<DataError>("the hypotheses were numbered for other references");
    std::vector<double> statistics(hypotheses.size() * dimension, 0.0);
    parallel_blocks(hypotheses.blocks, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const FillStatistics fill = make_fill();
            hypotheses.read(block, [&](std::size_t row, std::span<const WordId> words) {
                fill(static_cast<std::size_t>(hypotheses.sentences[row]), words,
                     std::span(statistics).subspan(row * dimension, dimension));
            });
        }
    });
    return statistics;
}

}  // namespace hopefear
