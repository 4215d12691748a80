#include "hopefear/search/forest_lines.hpp"

#include <cstddef>

#include "hopefear/base/threads.hpp"
#include "hopefear/forest/best_derivations.hpp"

namespace hopefear {

namespace {

// The strings found by one block of work; the number of strings of each sentence is kept elsewhere.
struct FoundStrings {
    std::vector<WordId> words;
    std::vector<std::size_t> begin{0};
    std::vector<std::size_t> sentence;

    void add(std::size_t of, std::span<const WordId> string) {
        words.insert(words.end(), string.begin(), string.end());
        begin.push_back(words.size());
        sentence.push_back(of);
    }
    // Look up the numbers of all strings in a table.
    void number(StringTable& table, std::vector<std::int64_t>& numbers) const {
        std::vector<StringTable::Entry> entries;
        entries.reserve(sentence.size());
        for (std::size_t i = 0; i < sentence.size(); ++i)
            entries.push_back(
                {sentence[i], std::span(words).subspan(begin[i], begin[i + 1] - begin[i])});
        const std::size_t at = numbers.size();
        numbers.resize(at + entries.size());
        table.add(entries, std::span(numbers).subspan(at));
    }
};

// Forests differ in size: small blocks keep all threads busy.
constexpr std::size_t block = 4;

std::size_t blocks(const ForestSet& forests) {
    return (forests.size() + block - 1) / block;
}

}  // namespace

ForestLines forest_lines(const ForestSet& forests, std::span<const double> scores,
                         std::span<const double> slopes, StringTable& table, FoundBefore& before,
                         std::size_t threads) {
    forests.check_edges(scores, "scores");
    forests.check_edges(slopes, "slopes");
    before.sentences.resize(forests.size());
    struct Piece {
        ForestLines lines;
        std::vector<std::size_t> derivations;  // among the known ones
    };
    std::vector<Piece> pieces(blocks(forests));
    parallel_blocks(forests.size(), block, threads, [&](std::size_t begin, std::size_t end) {
        auto& [lines, derivations] = pieces[begin / block];
        static thread_local EnvelopeSearch search;
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            if (const Forest* forest = forests[sentence])
                for (const auto& line :
                     search.find(*forest, forests.tails(sentence), forests.edges(scores, sentence),
                                 forests.edges(slopes, sentence), before.sentences[sentence])) {
                    lines.slopes.push_back(line.slope);
                    lines.intercepts.push_back(line.intercept);
                    derivations.push_back(line.derivation);
                }
            lines.offsets.push_back(static_cast<std::int64_t>(lines.slopes.size()));
        }
    });
    ForestLines all;
    all.offsets.push_back(0);
    FoundStrings strings;
    std::vector<std::int64_t*> unnumbered;
    std::vector<std::int64_t*> numbers;  // of all lines
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto& [lines, derivations] = pieces[i];
        const std::int64_t first = static_cast<std::int64_t>(all.slopes.size());
        all.slopes.insert(all.slopes.end(), lines.slopes.begin(), lines.slopes.end());
        all.intercepts.insert(all.intercepts.end(), lines.intercepts.begin(),
                              lines.intercepts.end());
        std::size_t line = 0;
        for (std::size_t j = 0; j < lines.offsets.size(); ++j) {
            all.offsets.push_back(first + lines.offsets[j]);
            KnownDerivations& known = before.sentences[i * block + j];
            for (; line < static_cast<std::size_t>(lines.offsets[j]); ++line) {
                numbers.push_back(&known.string(derivations[line]));
                if (*numbers.back() >= 0) continue;
                strings.add(i * block + j, known.words(derivations[line]));
                unnumbered.push_back(numbers.back());
            }
        }
    }
    std::vector<std::int64_t> added;
    strings.number(table, added);
    for (std::size_t i = 0; i < added.size(); ++i) *unnumbered[i] = added[i];
    for (const std::int64_t* const number : numbers) all.strings.push_back(*number);
    return all;
}

std::vector<std::int64_t> best_strings(const ForestSet& forests, std::span<const double> scores,
                                       StringTable& table, std::size_t threads) {
    forests.check_edges(scores, "scores");
    std::vector<FoundStrings> pieces(blocks(forests));
    parallel_blocks(forests.size(), block, threads, [&](std::size_t begin, std::size_t end) {
        BestDerivations<1> best;
        DerivationText text;
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            const Forest* forest = forests[sentence];
            if (!forest) continue;
            const auto own = forests.edges(scores, sentence);
            const TailPairs& tails = forests.tails(sentence);
            const auto value = [&](EdgeId edge) { return own[edge]; };
            best.find(forest->edge_begin(), tails,
                      [&](EdgeId edge, Lanes<1>& sum) { sum.fill(own[edge]); });
            read_derivation(
                forest->root(), tails,
                [&](NodeId node) { return best.edge(forest->edge_begin(), tails, value, node, 0); },
                [&](EdgeId edge) { return forest->target(edge); }, text);
            pieces[begin / block].add(sentence, text.words);
        }
    });
    std::vector<std::int64_t> strings;
    for (const FoundStrings& piece : pieces) piece.number(table, strings);
    std::vector<std::int64_t> by_sentence(forests.size(), -1);
    std::size_t next = 0;
    for (std::size_t sentence = 0; sentence < forests.size(); ++sentence)
        if (forests[sentence]) by_sentence[sentence] = strings[next++];
    return by_sentence;
}

}  // namespace hopefear
