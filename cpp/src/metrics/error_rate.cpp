#include "hopefear/metrics/error_rate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "hopefear/metrics/shift_distance.hpp"

namespace hopefear {

double error_rate(std::span<const double> statistics) {
    const double edits = statistics[0];
    const double words = statistics[1];
    if (words > 0.0) return edits / words;
    return edits > 0.0 ? 1.0 : 0.0;
}

std::size_t edit_distance(std::span<const WordId> a, std::span<const WordId> b,
                          std::vector<std::size_t>& row) {
    // A common prefix and suffix need no edit.
    while (!a.empty() && !b.empty() && a.front() == b.front()) {
        a = a.subspan(1);
        b = b.subspan(1);
    }
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
        a = a.first(a.size() - 1);
        b = b.first(b.size() - 1);
    }
    row.resize(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min(replaced, std::min(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.size()];
}

WordMetric::Count WerReferences::make_count() const {
    return [this, row = std::vector<std::size_t>()](
               std::size_t sentence, std::span<const WordId> words, std::span<double> out) mutable {
        std::size_t edits = std::numeric_limits<std::size_t>::max();
        std::size_t length = 0;
        for (std::size_t r = 0; r < references()->count(sentence); ++r) {
            const auto reference = references()->words(sentence, r);
            const std::size_t distance = edit_distance(words, reference, row);
            if (distance > edits || (distance == edits && reference.size() <= length)) continue;
            edits = distance;
            length = reference.size();
        }
        out[0] = static_cast<double>(edits);
        out[1] = static_cast<double>(length);
    };
}

namespace {

// Edits that turn a hypothesis into a reference.
struct Edits {
    std::size_t insertions = 0;  // words of the hypothesis that the reference lacks
    std::size_t deletions = 0;   // words of the reference that the hypothesis lacks
    std::size_t substitutions = 0;

    [[nodiscard]] std::size_t total() const { return insertions + deletions + substitutions; }
};

bool is_better(const Edits& a, const Edits& b) {
    return std::pair(a.total(), b.substitutions) < std::pair(b.total(), a.substitutions);
}

Edits edits_between(std::span<const WordId> hypothesis, std::span<const WordId> reference,
                    std::vector<Edits>& row) {
    row.resize(reference.size() + 1);
    for (std::size_t j = 0; j <= reference.size(); ++j) row[j] = {.deletions = j};
    for (std::size_t i = 1; i <= hypothesis.size(); ++i) {
        Edits diagonal = std::exchange(row[0], {.insertions = i});
        for (std::size_t j = 1; j <= reference.size(); ++j) {
            Edits best = diagonal;
            if (hypothesis[i - 1] != reference[j - 1]) ++best.substitutions;
            diagonal = row[j];
            Edits inserted = row[j];
            ++inserted.insertions;
            Edits deleted = row[j - 1];
            ++deleted.deletions;
            if (is_better(inserted, best)) best = inserted;
            if (is_better(deleted, best)) best = deleted;
            row[j] = best;
        }
    }
    return row[reference.size()];
}

}  // namespace

WordMetric::Count WerParts::make_count() const {
    return [this, row = std::vector<Edits>()](std::size_t sentence, std::span<const WordId> words,
                                              std::span<double> out) mutable {
        Edits best;
        std::size_t length = 0;
        for (std::size_t r = 0; r < references()->count(sentence); ++r) {
            const auto reference = references()->words(sentence, r);
            const Edits found = edits_between(words, reference, row);
            // The reference that WER takes: the closest one, and of these the longest.
            const bool closer = found.total() < best.total() ||
                                (found.total() == best.total() && reference.size() > length);
            if (r > 0 && !closer) continue;
            best = found;
            length = reference.size();
        }
        out[0] = static_cast<double>(best.insertions);
        out[1] = static_cast<double>(best.deletions);
        out[2] = static_cast<double>(best.substitutions);
    };
}

WordMetric::Count TerReferences::make_count() const {
    return [this, distance = ShiftDistance()](std::size_t sentence, std::span<const WordId> words,
                                              std::span<double> out) mutable {
        std::size_t edits = std::numeric_limits<std::size_t>::max();
        for (std::size_t r = 0; r < references()->count(sentence); ++r)
            edits = std::min(edits, distance(words, references()->words(sentence, r)));
        out[0] = static_cast<double>(edits);
        out[1] = references()->average_length(sentence);
    };
}

}  // namespace hopefear
