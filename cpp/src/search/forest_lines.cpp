#include "hopefear/search/forest_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "hopefear/base/error.hpp"
#include "hopefear/base/hash.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/forest/best_derivations.hpp"
#include "hopefear/search/upper_envelope.hpp"

namespace hopefear {

void StringTable::add(std::span<const Entry> entries, std::span<std::int64_t> numbers) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < entries.size(); ++i) numbers[i] = add(entries[i]);
}

std::int64_t StringTable::add(const Entry& entry) {
    std::uint64_t hash = entry.sentence;
    for (const WordId word : entry.words)
        hash = hash_combine(hash, static_cast<std::uint64_t>(word));
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
        const std::size_t number = slots_[slot] - 1;
        if (hash_[number] == hash && sentence_[number] == entry.sentence &&
            std::ranges::equal(words(number), entry.words))
            return static_cast<std::int64_t>(number);
    }
    if (hash_.size() == std::numeric_limits<std::uint32_t>::max() - 1)
        fail<DataError>("more than 4 billion different translations");
    slots_[slot] = static_cast<std::uint32_t>(hash_.size()) + 1;
    hash_.push_back(hash);
    sentence_.push_back(static_cast<std::uint32_t>(entry.sentence));
    words_.insert(words_.end(), entry.words.begin(), entry.words.end());
    begin_.push_back(words_.size());
    if (2 * hash_.size() > slots_.size()) grow();
    return static_cast<std::int64_t>(hash_.size()) - 1;
}

void StringTable::grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::size_t number = 0; number < hash_.size(); ++number) {
        std::size_t slot = hash_[number] & (slots_.size() - 1);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::uint32_t>(number) + 1;
    }
}

std::size_t StringTable::size() const {
    const std::scoped_lock lock(mutex_);
    return hash_.size();
}

StringTable::Texts StringTable::texts(std::size_t begin, const Vocabulary& vocabulary) const {
    const std::scoped_lock lock(mutex_);
    Texts found;
    for (std::size_t number = begin; number < hash_.size(); ++number) {
        std::string text;
        for (const WordId word : words(number)) {
            if (!text.empty()) text += ' ';
            text += vocabulary.text(word);
        }
        found.texts.push_back(std::move(text));
        found.sentences.push_back(sentence_[number]);
    }
    return found;
}

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

// The upper envelope of one forest after the other, with reused buffers.
class EnvelopeSearch {
  public:
    // A point: the score of an edge is origin * score + step * slope. At infinity the origin is 0.
    struct Point {
        double origin = 0.0;
        double step = 0.0;
    };
    struct FoundLine {
        double slope;
        double intercept;
        std::vector<WordId> words;
        std::size_t number;       // in order of discovery
        std::size_t settled = 0;  // the number of the line that it meets on the envelope

        [[nodiscard]] double at(const Point& point) const {
            return point.origin * intercept + point.step * slope;
        }
    };

    // The lines, by increasing slope.
    const std::vector<FoundLine>& find(const Forest& forest, const TailPairs& tails,
                                       std::span<const double> scores,
                                       std::span<const double> slopes) {
        forest_ = &forest;
        tails_ = &tails;
        scores_ = scores;
        slopes_ = slopes;
        lines_.clear();
        seen_.clear();
        count_ = 0;
        look_around();
        while (look_at_crossings()) {
        }
        return lines_;
    }

  private:
    static constexpr std::size_t lanes = 8;
    // Lines that cross beyond this step count as parallel.
    static constexpr double farthest = 1e100;

    // Begin far out on both sides and at points in between. Any points would do; at these, slopes
    // begin to matter.
    void look_around() {
        double scores = 0.0;
        double slopes = 0.0;
        for (std::size_t edge = 0; edge < scores_.size(); ++edge) {
            scores += std::abs(scores_[edge]);
            slopes += std::abs(slopes_[edge]);
        }
        const double unit = scores > 0.0 && slopes > 0.0
                                ? std::clamp(scores / slopes, 1.0 / farthest, farthest)
                                : 1.0;
        points_ = {Point{0.0, -1.0},        Point{1.0, -2.0 * unit}, Point{1.0, -0.5 * unit},
                   Point{1.0, -0.1 * unit}, Point{1.0, 0.1 * unit},  Point{1.0, 0.5 * unit},
                   Point{1.0, 2.0 * unit},  Point{0.0, 1.0}};
        search();
        for (std::size_t lane = 0; lane < lanes; ++lane) lines_.push_back(line(lane));
        keep_highest();
    }

    // Search where neighbouring lines cross; false if the envelope is complete.
    bool look_at_crossings() {
        std::size_t used = 0;
        std::size_t left[lanes];
        for (std::size_t i = 0; i + 1 < lines_.size() && used < lanes; ++i) {
            if (lines_[i].settled == lines_[i + 1].number) continue;
            points_[used] = {1.0, crossing(lines_[i], lines_[i + 1])};
            left[used++] = i;
        }
        if (used == 0) return false;
        std::fill(points_.begin() + used, points_.end(), points_[0]);
        search();
        const std::size_t known = lines_.size();
        for (std::size_t lane = 0; lane < used; ++lane) {
            FoundLine& low = lines_[left[lane]];
            // Most crossings are part of the envelope: then the derivation need not be read. Nor is
            // a line new that was found before and dropped: rounding could make it return forever.
            if (is_higher(best_.score(lane), low, points_[lane])) {
                FoundLine found = line(lane);
                if (is_higher(found.at(points_[lane]), low, points_[lane]) &&
                    seen_.emplace(found.slope, found.intercept).second) {
                    lines_.push_back(std::move(found));
                    continue;
                }
            }
            low.settled = lines_[left[lane] + 1].number;
        }
        if (lines_.size() > known) keep_highest();
        return true;
    }

    void search() {
        std::array<double, lanes> origin;
        std::array<double, lanes> step;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            origin[lane] = points_[lane].origin;
            step[lane] = points_[lane].step;
        }
        Lanes<lanes> origins;
        Lanes<lanes> steps;
        origins.set(origin);
        steps.set(step);
        with_wide_vectors([&]() HOPEFEAR_INLINE {
            best_.find(forest_->edge_begin(), *tails_,
                       [&](EdgeId edge, Lanes<lanes>& sum) HOPEFEAR_INLINE {
                           const double score = scores_[edge];
                           const double slope = slopes_[edge];
                           for (std::size_t i = 0; i < sum.parts.size(); ++i)
                               sum.parts[i] = origins.parts[i] * score + steps.parts[i] * slope;
                       });
        });
    }

    // The line of the best derivation in a lane.
    [[nodiscard]] FoundLine line(std::size_t lane) {
        read_derivation(
            forest_->root(), *tails_, [&](NodeId node) { return best_.edge(node, lane); },
            [&](EdgeId edge) { return forest_->target(edge); }, text_);
        double slope = 0.0;
        double intercept = 0.0;
        for (const EdgeId edge : text_.edges) {
            slope += slopes_[edge];
            intercept += scores_[edge];
        }
        // Numbers begin at 1: 0 means not settled with any line.
        return {slope, intercept, text_.words, ++count_};
    }

    // Whether a score is higher than a line by more than sums of edges in another order would be.
    static bool is_higher(double score, const FoundLine& line, const Point& at) {
        const double size = std::abs(at.origin * line.intercept) + std::abs(at.step * line.slope);
        return score > line.at(at) + 2e-12 * size;
    }

    static double crossing(const FoundLine& flat, const FoundLine& steep) {
        return (flat.intercept - steep.intercept) / (steep.slope - flat.slope);
    }

    // Reduce the lines to their upper envelope; ties go to the line found first.
    void keep_highest() {
        line_slopes_.clear();
        line_intercepts_.clear();
        for (const FoundLine& line : lines_) {
            line_slopes_.push_back(line.slope);
            line_intercepts_.push_back(line.intercept);
        }
        envelope_.find(line_slopes_, line_intercepts_);
        const auto lines = envelope_.lines();
        const auto starts = envelope_.starts();
        std::vector<FoundLine> highest;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool before = i + 1 < lines.size() && starts[i + 1] <= -farthest;
            const bool beyond = starts[i] > farthest;
            if (!before && !beyond) highest.push_back(std::move(lines_[lines[i]]));
        }
        lines_ = std::move(highest);
    }

    const Forest* forest_ = nullptr;
    const TailPairs* tails_ = nullptr;
    std::span<const double> scores_;
    std::span<const double> slopes_;
    BestDerivations<lanes> best_;
    std::array<Point, lanes> points_;
    DerivationText text_;
    std::size_t count_ = 0;
    std::vector<FoundLine> lines_;
    std::set<std::pair<double, double>> seen_;  // the slopes and intercepts found at crossings
    UpperEnvelope envelope_;
    std::vector<double> line_slopes_;
    std::vector<double> line_intercepts_;
};

// Forests differ in size: small blocks keep all threads busy.
constexpr std::size_t block = 4;

std::size_t blocks(const ForestSet& forests) {
    return (forests.size() + block - 1) / block;
}

}  // namespace

ForestLines forest_lines(const ForestSet& forests, std::span<const double> scores,
                         std::span<const double> slopes, StringTable& table, std::size_t threads) {
    forests.check_edges(scores, "scores");
    forests.check_edges(slopes, "slopes");
    struct Piece {
        ForestLines lines;
        FoundStrings strings;
    };
    std::vector<Piece> pieces(blocks(forests));
    parallel_blocks(forests.size(), block, threads, [&](std::size_t begin, std::size_t end) {
        Piece& piece = pieces[begin / block];
        static thread_local EnvelopeSearch search;
        for (std::size_t sentence = begin; sentence < end; ++sentence) {
            if (const Forest* forest = forests[sentence])
                for (const auto& line :
                     search.find(*forest, forests.tails(sentence), forests.edges(scores, sentence),
                                 forests.edges(slopes, sentence))) {
                    piece.lines.slopes.push_back(line.slope);
                    piece.lines.intercepts.push_back(line.intercept);
                    piece.strings.add(sentence, line.words);
                }
            piece.lines.offsets.push_back(static_cast<std::int64_t>(piece.lines.slopes.size()));
        }
    });
    ForestLines all;
    all.offsets.push_back(0);
    for (const auto& [lines, strings] : pieces) {
        const std::int64_t before = static_cast<std::int64_t>(all.slopes.size());
        for (const std::int64_t offset : lines.offsets) all.offsets.push_back(before + offset);
        all.slopes.insert(all.slopes.end(), lines.slopes.begin(), lines.slopes.end());
        all.intercepts.insert(all.intercepts.end(), lines.intercepts.begin(),
                              lines.intercepts.end());
        strings.number(table, all.strings);
    }
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
            best.find(forest->edge_begin(), forests.tails(sentence),
                      [&](EdgeId edge, Lanes<1>& sum) { sum.fill(own[edge]); });
            read_derivation(
                forest->root(), forests.tails(sentence),
                [&](NodeId node) { return best.edge(node, 0); },
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
