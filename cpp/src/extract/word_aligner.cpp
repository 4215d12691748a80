#include "hopefear/extract/word_aligner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"

namespace hopefear {

namespace {

constexpr std::size_t sentences_a_block = 64;
constexpr float least_probability = 1e-12f;

// ψ(x), the derivative of log Γ: the recurrence, then the asymptotic series.
double digamma(double x) {
    double result = 0.0;
    while (x < 7.0) {
        result -= 1.0 / x;
        x += 1.0;
    }
    const double y = 1.0 / (x * x);
    return result + std::log(x) - 0.5 / x -
           y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

// The mean of log p under a Dirichlet posterior, as a probability (variational Bayes).
float posterior(double count, double total, double concentration) {
    const double log = digamma(count + concentration) - total;
    return std::max(static_cast<float>(std::exp(log)), least_probability);
}

}  // namespace

// Scratch for one sentence pair: its word pairs, and what a word may be aligned to.
class WordAligner::Sentence {
  public:
    explicit Sentence(WordAligner& aligner) : aligner_(&aligner) {}

    void load(std::size_t number) {
        source_ = (*aligner_->source_)[number];
        target_ = (*aligner_->target_)[number];
        WordPairs& pairs = aligner_->pairs_;
        for (const auto s : source_)
            for (const auto t : target_) pairs.prefetch(s, t);
        pairs_.resize(source_.size() * target_.size());
        WordPair** place = pairs_.data();
        for (const auto s : source_)
            for (const auto t : target_) *place++ = pairs.get(s, t);
    }
    void expect() {
        expect(aligner_->forward_, target_, source_, [this](std::size_t t, std::size_t s) {
            WordPair* const pair = pairs_[s * target_.size() + t];
            return std::pair(&pair->target_given_source, &pair->target_given_source_count);
        });
        expect(aligner_->reverse_, source_, target_, [this](std::size_t s, std::size_t t) {
            WordPair* const pair = pairs_[s * target_.size() + t];
            return std::pair(&pair->source_given_target, &pair->source_given_target_count);
        });
    }
    void choose(std::vector<Link>& forward, std::vector<Link>& reverse) {
        const auto link = [](std::size_t s, std::size_t t) {
            return Link{static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(t)};
        };
        choose(
            aligner_->forward_, target_, source_,
            [this](std::size_t t, std::size_t s) {
                const WordPair* const pair = pairs_[s * target_.size() + t];
                return pair ? pair->target_given_source : least_probability;
            },
            [&](std::size_t t, std::size_t s) { forward.push_back(link(s, t)); });
        choose(
            aligner_->reverse_, source_, target_,
            [this](std::size_t s, std::size_t t) {
                const WordPair* const pair = pairs_[s * target_.size() + t];
                return pair ? pair->source_given_target : least_probability;
            },
            [&](std::size_t s, std::size_t t) { reverse.push_back(link(s, t)); });
    }

  private:
    using Words = std::span<const extraction::WordId>;

    // The positions that word j may be aligned to.
    void place(const Direction& direction, std::size_t j, std::size_t m, std::size_t n) {
        weights_.resize(n);
        distances_.resize(n);
        Diagonal(direction.tension).fill(j, m, weights_, distances_);
    }

    // Add the probabilities of all links, given the sentences, to the counts.
    template <class Entry>
    void expect(Direction& direction, Words choosing, Words chosen, const Entry& entry) {
        const double p0 = aligner_->options_.null_probability;
        double distance = 0.0;
        double linked = 0.0;
        for (std::size_t j = 0; j < choosing.size(); ++j) {
            place(direction, j, choosing.size(), chosen.size());
            const double null = p0 * direction.null_probabilities[choosing[j]];
            double sum = null;
            for (std::size_t i = 0; i < chosen.size(); ++i)
                sum += weights_[i] *= (1.0 - p0) * *entry(j, i).first;
            direction.null_counts[choosing[j]].add(null / sum);
            for (std::size_t i = 0; i < chosen.size(); ++i) {
                const double probability = weights_[i] / sum;
                entry(j, i).second->add(probability);
                distance += probability * distances_[i];
                linked += probability;
            }
        }
        direction.distance.add(distance);
        direction.linked.add(linked);
    }

    template <class Probability, class Take>
    void choose(const Direction& direction, Words choosing, Words chosen,
                const Probability& probability, const Take& take) {
        const double p0 = aligner_->options_.null_probability;
        for (std::size_t j = 0; j < choosing.size(); ++j) {
            place(direction, j, choosing.size(), chosen.size());
            double best = p0 * direction.null_probabilities[choosing[j]];
            std::size_t place = chosen.size();
            for (std::size_t i = 0; i < chosen.size(); ++i) {
                const double score = (1.0 - p0) * weights_[i] * probability(j, i);
                if (score > best) {
                    best = score;
                    place = i;
                }
            }
            if (place < chosen.size()) take(j, place);
        }
    }

    WordAligner* aligner_;
    Words source_;
    Words target_;
    std::vector<WordPair*> pairs_;
    std::vector<double> weights_;
    std::vector<double> distances_;
};

WordAligner::WordAligner(const extraction::Text& source, const extraction::Text& target,
                         const WordAlignerOptions& options)
    : source_(&source), target_(&target), options_(options), pairs_(options.memory) {
    if (source.size() != target.size())
        fail<DataError>("the source text has ", source.size(), " sentences, the target text ",
                        target.size());
    const auto start = [&](std::size_t words) {
        return Direction{options.tension,
                         std::vector<ExpectedCount>(words),
                         std::vector<float>(words, 1.0f),
                         {},
                         {},
                         {}};
    };
    forward_ = start(target.words.size());
    reverse_ = start(source.words.size());
    collect_pairs();
}

bool WordAligner::can_align(std::size_t sentence) const {
    const std::size_t source = (*source_)[sentence].size();
    const std::size_t target = (*target_)[sentence].size();
    return std::min(source, target) > 0 && std::max(source, target) <= options_.max_length;
}

void WordAligner::collect_pairs() {
    const std::size_t count = source_->size();
    in_use_.assign(count, false);
    // Steps of the golden section, made coprime, visit all sentences, evenly spaced at any moment.
    auto stride = static_cast<std::size_t>(0.6180339887498949 * static_cast<double>(count)) | 1;
    while (std::gcd(stride, count) > 1) stride += 2;
    for (std::size_t i = 0, sentence = 0; i < count; ++i, sentence = (sentence + stride) % count) {
        if (!can_align(sentence)) continue;
        if (!add_pairs(sentence)) return;
        in_use_[sentence] = true;
        ++used_;
        const auto source = static_cast<std::uint32_t>((*source_)[sentence].size());
        const auto target = static_cast<std::uint32_t>((*target_)[sentence].size());
        ++forward_.lengths[{target, source}];
        ++reverse_.lengths[{source, target}];
    }
}

bool WordAligner::add_pairs(std::size_t sentence) {
    for (const auto s : (*source_)[sentence])
        for (const auto t : (*target_)[sentence])
            if (!pairs_.add(s, t)) return false;
    return true;
}

void WordAligner::expect(extraction::SentenceRange sentences) {
    sentences.check(size());
    parallel_blocks(sentences.size(), sentences_a_block, options_.threads,
                    [&](std::size_t begin, std::size_t end) {
                        Sentence sentence(*this);
                        for (std::size_t i = sentences.begin + begin; i < sentences.begin + end;
                             ++i)
                            if (in_use_[i]) {
                                sentence.load(i);
                                sentence.expect();
                            }
                    });
}

template <class Visit>
void WordAligner::for_each_count(const Visit& visit) {
    for (WordPair& pair : pairs_.slots())
        if (pair.used()) {
            visit(pair.target_given_source_count);
            visit(pair.source_given_target_count);
        }
    for (Direction* direction : {&forward_, &reverse_}) {
        for (ExpectedCount& count : direction->null_counts) visit(count);
        visit(direction->distance);
        visit(direction->linked);
    }
}

template <class Visit>
void WordAligner::for_each_probability(const Visit& visit) {
    for (WordPair& pair : pairs_.slots())
        if (pair.used()) {
            visit(pair.target_given_source);
            visit(pair.source_given_target);
        }
    for (Direction* direction : {&forward_, &reverse_})
        for (float& probability : direction->null_probabilities) visit(probability);
}

std::vector<std::uint64_t> WordAligner::take_counts() {
    std::vector<std::uint64_t> counts;
    for_each_count([&](ExpectedCount& count) {
        counts.push_back(count.units());
        count.clear();
    });
    return counts;
}

void WordAligner::add_counts(std::span<const std::uint64_t> counts) {
    std::size_t expected = 0;
    for_each_count([&](ExpectedCount&) { ++expected; });
    if (counts.size() != expected)
        fail<DataError>(counts.size(), " expected counts of another text or other options; this ",
                        "one has ", expected);
    auto next = counts.begin();
    for_each_count([&](ExpectedCount& count) { count.add_units(*next++); });
}

AlignmentParameters WordAligner::parameters() {
    AlignmentParameters found{forward_.tension, reverse_.tension, {}};
    for_each_probability([&](float probability) { found.probabilities.push_back(probability); });
    return found;
}

void WordAligner::set_parameters(double forward_tension, double reverse_tension,
                                 std::span<const float> probabilities) {
    std::size_t expected = 0;
    for_each_probability([&](float&) { ++expected; });
    if (probabilities.size() != expected)
        fail<DataError>(probabilities.size(), " probabilities of another text or other options; ",
                        "this one has ", expected);
    forward_.tension = forward_tension;
    reverse_.tension = reverse_tension;
    auto next = probabilities.begin();
    for_each_probability([&](float& probability) { probability = *next++; });
}

void WordAligner::learn_tension() {
    for (Direction* direction : {&forward_, &reverse_}) {
        const double words = direction->linked.value();
        double all = 0.0;
        for (const auto& [lengths, count] : direction->lengths)
            all += static_cast<double>(count) * lengths.first;
        if (all > 0.0)
            direction->tension =
                better_tension(direction->tension, direction->distance.value() / all, words / all,
                               direction->lengths, options_.threads);
        direction->distance.clear();
        direction->linked.clear();
    }
}

void WordAligner::maximize() {
    learn_tension();
    const double alpha = options_.concentration;
    constexpr std::size_t block = 1 << 14;
    std::vector<ExpectedCount> source_totals(source_->words.size());
    std::vector<ExpectedCount> target_totals(target_->words.size());
    std::vector<WordPair>& slots = pairs_.slots();
    parallel_blocks(slots.size(), block, options_.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const WordPair& pair = slots[i];
            if (!pair.used()) continue;
            source_totals[pair.source()].add(pair.target_given_source_count.value() + alpha);
            target_totals[pair.target()].add(pair.source_given_target_count.value() + alpha);
        }
    });
    const auto digammas = [](const std::vector<ExpectedCount>& totals) {
        std::vector<double> result(totals.size());
        for (std::size_t i = 0; i < totals.size(); ++i)
            if (totals[i].value() > 0.0) result[i] = digamma(totals[i].value());
        return result;
    };
    const std::vector<double> given_source = digammas(source_totals);
    const std::vector<double> given_target = digammas(target_totals);
    parallel_blocks(slots.size(), block, options_.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            WordPair& pair = slots[i];
            if (!pair.used()) continue;
            pair.target_given_source = posterior(pair.target_given_source_count.value(),
                                                 given_source[pair.source()], alpha);
            pair.source_given_target = posterior(pair.source_given_target_count.value(),
                                                 given_target[pair.target()], alpha);
            pair.target_given_source_count.clear();
            pair.source_given_target_count.clear();
        }
    });
    for (Direction* direction : {&forward_, &reverse_}) {
        double total = 0.0;
        for (const ExpectedCount& count : direction->null_counts) total += count.value() + alpha;
        if (total <= 0.0) continue;
        for (std::size_t word = 0; word < direction->null_counts.size(); ++word) {
            direction->null_probabilities[word] =
                posterior(direction->null_counts[word].value(), digamma(total), alpha);
            direction->null_counts[word].clear();
        }
    }
}

DirectedAlignments WordAligner::align(extraction::SentenceRange sentences) {
    sentences.check(size());
    constexpr std::size_t together = 1 << 14;
    DirectedAlignments found;
    std::vector<std::vector<Link>> forward;
    std::vector<std::vector<Link>> reverse;
    for (std::size_t first = sentences.begin; first < sentences.end; first += together) {
        const std::size_t count = std::min(together, sentences.end - first);
        forward.assign(count, {});
        reverse.assign(count, {});
        parallel_blocks(count, sentences_a_block, options_.threads,
                        [&](std::size_t begin, std::size_t end) {
                            Sentence sentence(*this);
                            for (std::size_t i = begin; i < end; ++i)
                                if (can_align(first + i)) {
                                    sentence.load(first + i);
                                    sentence.choose(forward[i], reverse[i]);
                                }
                        });
        for (std::vector<Link>& links : forward) found.forward.add(std::move(links));
        for (std::vector<Link>& links : reverse) found.reverse.add(std::move(links));
    }
    return found;
}

}  // namespace hopefear
