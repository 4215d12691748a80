// Word alignment in both directions: IBM model 2 with positions near the diagonal.
//
// Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2,
// NAACL: p(e_j, i | f) = p₀ t(e_j | NULL), or (1 - p₀) δ(i | j, m, n) t(e_j | f_i). Expectation
// maximization; translation probabilities have a sparse Dirichlet prior (variational Bayes).
#pragma once

#include <cstdint>
#include <span>
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

// What an iteration changes.
struct AlignmentParameters {
    double forward_tension;
    double reverse_tension;
    std::vector<float> probabilities;
};

// Several processes with the same texts and options can share the work: parameters and counts of
// one are those of all, and sums of counts do not depend on how sentences are divided.
class WordAligner {
  public:
    // The texts must outlive this object. If the word pairs do not fit into memory, the model is
    // estimated from an evenly spaced sample of the sentences; all sentences are aligned.
    WordAligner(const extraction::Text& source, const extraction::Text& target,
                const WordAlignerOptions& options);

    // An iteration of expectation maximization is the expectation of all sentences, then a
    // maximization.
    void expect(extraction::SentenceRange sentences);
    void maximize();
    // The most probable links of some sentences.
    [[nodiscard]] DirectedAlignments align(extraction::SentenceRange sentences);

    // The expected counts since the last maximization, which are removed here.
    [[nodiscard]] std::vector<std::uint64_t> take_counts();
    // Add the expected counts of another process.
    void add_counts(std::span<const std::uint64_t> counts);
    [[nodiscard]] AlignmentParameters parameters();
    void set_parameters(double forward_tension, double reverse_tension,
                        std::span<const float> probabilities);

    [[nodiscard]] std::size_t size() const { return source_->size(); }
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
    void learn_tension();
    // Call visit(count) for each expected count, and visit(probability) for each probability, in
    // an order that is the same in all processes.
    template <class Visit>
    void for_each_count(const Visit& visit);
    template <class Visit>
    void for_each_probability(const Visit& visit);

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
