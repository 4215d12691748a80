#include "hopefear/metrics/shift_distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace hopefear {

void BeamDistance::start(std::span<const WordId> reference, std::size_t hypothesis_length) {
    reference_ = reference;
    const std::size_t columns = reference.size() + 1;
    const double ratio = hypothesis_length > 0 ? static_cast<double>(reference.size()) /
                                                     static_cast<double>(hypothesis_length)
                                               : 1.0;
    // In a matrix far from square, neighbouring rows must still overlap.
    const std::ptrdiff_t width =
        ratio / 2 > beam ? static_cast<std::ptrdiff_t>(std::ceil(ratio / 2 + beam)) : beam;
    rows_.assign(1, {0, columns, 0});
    for (std::size_t i = 1; i <= hypothesis_length; ++i) {
        const auto diagonal =
            static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(i) * ratio));
        const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, diagonal - width));
        const bool last = i == hypothesis_length;
        const std::size_t end =
            last ? columns : std::min(columns, static_cast<std::size_t>(diagonal + width));
        const Row& above = rows_.back();
        rows_.push_back({begin, end, above.at + (above.end - above.begin)});
    }
    const std::size_t cells = rows_.back().at + (rows_.back().end - rows_.back().begin);
    costs_.resize(cells);
    edits_.assign(cells, Edit::insert);
    for (std::size_t j = 0; j < columns; ++j) costs_[j] = static_cast<int>(j);
}

int BeamDistance::align(std::span<const WordId> hypothesis) {
    for (std::size_t i = 1; i < rows_.size(); ++i) {
        const Row& above = rows_[i - 1];
        const Row& row = rows_[i];
        const auto cost_above = [&](std::size_t j) {
            return j >= above.begin && j < above.end ? costs_[above.at + (j - above.begin)]
                                                     : infinity;
        };
        int left = infinity;
        for (std::size_t j = row.begin; j < row.end; ++j) {
            int best = infinity;
            Edit edit = Edit::insert;
            const auto offer = [&](int cost, Edit offered) {
                if (cost >= best) return;
                best = cost;
                edit = offered;
            };
            if (j > 0) {
                const bool match = hypothesis[i - 1] == reference_[j - 1];
                offer(cost_above(j - 1) + !match, match ? Edit::match : Edit::replace);
            }
            offer(cost_above(j) + 1, Edit::remove);
            offer(left + 1, Edit::insert);
            costs_[row.at + (j - row.begin)] = left = best;
            edits_[row.at + (j - row.begin)] = edit;
        }
    }
    return costs_.back();
}

int BeamDistance::distance(std::span<const WordId> hypothesis, std::size_t same, int limit) {
    const auto row_costs = std::span(costs_).subspan(rows_[same].at);
    above_.assign(row_costs.begin(), row_costs.begin() + static_cast<std::ptrdiff_t>(
                                                             rows_[same].end - rows_[same].begin));
    const auto excess = static_cast<int>(reference_.size()) - static_cast<int>(hypothesis.size());
    for (std::size_t i = same + 1; i < rows_.size(); ++i) {
        const Row& above = rows_[i - 1];
        const Row& row = rows_[i];
        const auto cost_above = [&](std::size_t j) {
            return j >= above.begin && j < above.end ? above_[j - above.begin] : infinity;
        };
        below_.resize(row.end - row.begin);
        int left = infinity;
        // A path through this cell needs at least the difference of the remaining lengths in
        // further edits.
        int bound = infinity;
        for (std::size_t j = row.begin; j < row.end; ++j) {
            int cost = std::min(cost_above(j), left) + 1;
            if (j > 0)
                cost = std::min(cost, cost_above(j - 1) + (hypothesis[i - 1] != reference_[j - 1]));
            below_[j - row.begin] = left = cost;
            const int rest = excess - static_cast<int>(j) + static_cast<int>(i);
            bound = std::min(bound, cost + std::abs(rest));
        }
        if (bound > limit) return bound;
        std::swap(above_, below_);
    }
    return above_.back();
}

std::size_t ShiftDistance::operator()(std::span<const WordId> hypothesis,
                                      std::span<const WordId> reference) {
    if (reference.empty()) return hypothesis.size();
    words_.assign(hypothesis.begin(), hypothesis.end());
    distance_.start(reference, hypothesis.size());
    tries_ = 0;
    for (std::size_t shifts = 0;; ++shifts) {
        current_ = distance_.align(words_);
        find_best_shift(reference);
        // An interrupted search makes no shift.
        if (!best_ || tries_ >= max_tries) return shifts + static_cast<std::size_t>(current_);
        move(words_, *best_, destination(*best_));
    }
}

void ShiftDistance::find_best_shift(std::span<const WordId> reference) {
    best_.reset();
    if (current_ == 0) return;
    read_alignment(words_.size(), reference.size());
    for (std::size_t begin = 0; begin < words_.size(); ++begin) {
        const std::size_t first = begin - std::min(begin, max_shift_distance);
        const std::size_t last = std::min(reference.size(), begin + max_shift_distance + 1);
        for (std::size_t at = first; at < last; ++at) {
            const std::size_t most =
                std::min({max_shift_size, words_.size() - begin, reference.size() - at});
            for (std::size_t length = 1;
                 length <= most && words_[begin + length - 1] == reference[at + length - 1];
                 ++length) {
                if (!worth_trying(begin, at, length)) continue;
                try_targets(begin, at, length);
                if (tries_ >= max_tries) return;
            }
        }
    }
}

void ShiftDistance::read_alignment(std::size_t hypothesis_length, std::size_t reference_length) {
    hypothesis_errors_.assign(hypothesis_length, false);
    reference_errors_.assign(reference_length, false);
    aligned_.assign(reference_length, 0);
    distance_.trace([&](BeamDistance::Edit edit, std::size_t i, std::size_t j) {
        using Edit = BeamDistance::Edit;
        if (edit != Edit::insert) hypothesis_errors_[i - 1] = edit != Edit::match;
        if (edit == Edit::remove) return;
        reference_errors_[j - 1] = edit != Edit::match;
        aligned_[j - 1] = i;
    });
}

bool ShiftDistance::worth_trying(std::size_t begin, std::size_t reference_begin,
                                 std::size_t length) const {
    const auto any = [&](const std::vector<bool>& errors, std::size_t from) {
        const auto first = errors.begin() + static_cast<std::ptrdiff_t>(from);
        return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
               first + static_cast<std::ptrdiff_t>(length);
    };
    // Correct words stay, correct positions are kept, and a block is not shifted into itself: the
    // word aligned to the first position must be outside.
    const std::size_t aligned = aligned_[reference_begin];
    const bool inside = aligned > begin && aligned <= begin + length;
    return any(hypothesis_errors_, begin) && any(reference_errors_, reference_begin) && !inside;
}

void ShiftDistance::try_targets(std::size_t begin, std::size_t reference_begin,
                                std::size_t length) {
    // Targets: after the word before the first position, and after the word of each position.
    std::optional<std::size_t> previous;
    for (std::size_t place = 0; place <= length; ++place) {
        const std::size_t before = reference_begin + place;  // positions before the target
        const std::size_t target = before == 0 ? 0 : aligned_[before - 1];
        if (target == previous) continue;
        previous = target;
        try_shift({begin, length, target, 0});
    }
}

void ShiftDistance::try_shift(const Shift& shift) {
    ++tries_;
    const std::size_t to = destination(shift);
    if (to == shift.begin) return;
    shifted_ = words_;
    move(shifted_, shift, to);
    const int needed = best_ ? best_->gain : 1;
    const int limit = current_ - needed;
    const int distance = distance_.distance(shifted_, std::min(shift.begin, to), limit);
    if (distance > limit) return;
    // Ties go to the longest block, then the first block, then the first target.
    const auto rank = [](const Shift& s) {
        return std::tuple(-s.gain, -static_cast<std::ptrdiff_t>(s.length), s.begin, s.target);
    };
    Shift found = shift;
    found.gain = current_ - distance;
    if (!best_ || rank(found) < rank(*best_)) best_ = found;
}

std::size_t ShiftDistance::destination(const Shift& shift) const {
    if (shift.target > shift.begin + shift.length) return shift.target - shift.length;
    return std::min(shift.target, words_.size() - shift.length);
}

void ShiftDistance::move(std::vector<WordId>& words, const Shift& shift, std::size_t to) {
    const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
    if (to < shift.begin)
        std::rotate(at(to), at(shift.begin), at(shift.begin + shift.length));
    else
        std::rotate(at(shift.begin), at(shift.begin + shift.length), at(to + shift.length));
}

}  // namespace hopefear
