// The upper envelope of a forest along a line of weights.
//
// Macherey et al. (2008), Lattice-based minimum error rate training; Kumar et al. (2009) for
// hypergraphs. Unlike these papers, which combine the envelope of a node from those of its tails,
// the lines of the root's envelope are found one by one: the best derivations at two points are two
// lines, and at their crossing either there is a better one or the envelope between them is known
// (Eisner & Severance 1976, Mathematical techniques for efficient record segmentation). The
// envelope is the same, only what the root needs is computed, and several points share a pass over
// the forest. Derivations that were found along other lines are a good beginning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hopefear/forest/best_derivations.hpp"
#include "hopefear/search/upper_envelope.hpp"

namespace hopefear {

// Derivations of a forest that were found before.
class KnownDerivations {
  public:
    [[nodiscard]] std::size_t size() const { return last_use_.size(); }
    [[nodiscard]] std::span<const EdgeId> edges(std::size_t derivation) const {
        return edges_[derivation];
    }
    [[nodiscard]] std::span<const WordId> words(std::size_t derivation) const {
        return words_[derivation];
    }
    // The number of its string in a table; -1 as long as that is not set.
    std::int64_t& string(std::size_t derivation) { return string_[derivation]; }

    void begin_search() { ++searches_; }
    void add(const DerivationText& text) {
        edges_.add(text.edges);
        words_.add(text.words);
        string_.push_back(-1);
        last_use_.push_back(searches_);
    }
    void drop_last();
    void use(std::size_t derivation) { last_use_[derivation] = searches_; }
    // Keep no more than so many: those that were used last.
    void keep(std::size_t most);

  private:
    // Rows of different lengths, one after the other.
    template <class T>
    class Rows {
      public:
        [[nodiscard]] std::span<const T> operator[](std::size_t row) const {
            return std::span(values_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
        }
        void add(std::span<const T> row) {
            values_.insert(values_.end(), row.begin(), row.end());
            begin_.push_back(static_cast<std::uint32_t>(values_.size()));
        }
        void drop_last() {
            begin_.pop_back();
            values_.resize(begin_.back());
        }

      private:
        std::vector<T> values_;
        std::vector<std::uint32_t> begin_{0};
    };

    Rows<EdgeId> edges_;  // in the order of the target side
    Rows<WordId> words_;
    std::vector<std::int64_t> string_;
    std::vector<std::uint32_t> last_use_;  // the search in which it was part of the envelope
    std::uint32_t searches_ = 0;
};

// The buffers are reused from forest to forest.
class EnvelopeSearch {
  public:
    struct Line {
        double slope;
        double intercept;
        std::size_t derivation;   // among the known ones
        std::size_t number;       // in order of discovery
        std::size_t settled = 0;  // the number of the line that it meets on the envelope
    };

    // The lines where an edge has the score scores[e] + γ slopes[e], by increasing slope. The
    // derivations are added to the known ones, which are few enough to be tried again.
    const std::vector<Line>& find(const Forest& forest, const TailPairs& tails,
                                  std::span<const double> scores, std::span<const double> slopes,
                                  KnownDerivations& known);

  private:
    static constexpr std::size_t lanes = 8;
    // The score of an edge is origin * score + step * slope. At infinity the origin is 0.
    struct Point {
        double origin = 0.0;
        double step = 0.0;
    };

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void look_around();
    bool look_at_crossings();
    void look_at(Point point, std::size_t left = none);
    void add_crossings(std::size_t most);
    void search();
    [[nodiscard]] bool is_above(double score, const Point& at, std::size_t count) const;
    void add_line(std::size_t derivation);
    void keep_highest();

    const Forest* forest_ = nullptr;
    const TailPairs* tails_ = nullptr;
    std::span<const double> scores_;
    std::span<const double> slopes_;
    KnownDerivations* known_ = nullptr;
    BestDerivations<lanes> best_;
    std::array<Point, lanes> points_;
    std::array<std::size_t, lanes> left_;  // of the lines that cross there
    std::size_t used_ = 0;                 // of them
    DerivationText text_;
    std::size_t count_ = 0;  // of lines
    std::vector<Line> lines_;
    std::vector<std::pair<double, double>> seen_;  // slopes and intercepts
    UpperEnvelope envelope_;
    std::vector<double> line_slopes_;
    std::vector<double> line_intercepts_;
    std::vector<Line> highest_;
};

}  // namespace hopefear
