// Word alignment in both directions: IBM model 2 with positions near the diagonal.
//
// Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
// NAACL: p(e_j, i | f) = p₀ t(e_j | NULL), or (1 - p₀) δ(i | j, m, n) t(e_j | f_i). Expectation
// maximization; translation probabilities have a sparse Dirichlet prior (variational Bayes).
#pragma once

#include <cstdint>
#include <vector>

#include "hopefear/extract/alignment_model.hpp"
#include "hopefear/extract/bitext.hpp"
#include "hopefear/grammar/alignment.hpp"

namespace hopefear {

struct WordAlignerOptions {
    double null_probability = 0.08;  // p₀
    double tension = 4.0;            // λ at the start
    double concentration = 0.01;     // α of the prior
    std::size_t max_length = 200;    // longer sentences are not aligned
    std::size_t memory = std::size_t{1} << 31;
    std::size_t threads = 0;
};

struct DirectedAlignments {
    Alignments forward;  // each target word has chosen
    Alignments reverse;  // each source word has chosen
};

class WordAligner {
  public:
    // The texts must outlive this object. If the word pairs do not fit into memory, the model is
    // estimated from an evenly spaced sample of the sentences; all sentences are aligned.
    WordAligner(const extraction::Text& source, const extraction::Text& target,
                const WordAlignerOptions& options);

    // An iteration of expectation maximization.
    void iterate();
    // The most probable links.
    [[nodiscard]] DirectedAlignments align();
    // How many sentence pairs the model is estimated from.
    [[nodiscard]] std::size_t used() const { return used_; }

    // One direction: the words of one side choose words of the other.
    struct Direction {
        double tension;
        std::vector<ExpectedCount> null_counts;  // of words that choose
        std::vector<float> null_probabilities;
        LengthCounts lengths;
        ExpectedCount distance;  // of expected links
        ExpectedCount linked;
    };

  private:
    class Sentence;

    [[nodiscard]] bool can_align(std::size_t sentence) const;
    void collect_pairs();
    bool add_pairs(std::size_t sentence);
    void maximize();

    const extraction::Text* source_;
    const extraction::Text* target_;
    WordAlignerOptions options_;
    WordPairs pairs_;
    std::vector<bool> in_use_;
    std::size_t used_ = 0;
    Direction forward_;
    Direction reverse_;
};

}  // namespace hopefear
