#include "hopefear/forest/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hopefear/base/error.hpp"
#include "hopefear/forest/inside_outside.hpp"
#include "hopefear/forest/viterbi.hpp"

namespace hopefear {

namespace {

// The γ from which on `steep`, the line of larger slope, is higher than `flat`. Differences that
// overflow are computed at half size; the result can be infinite but is never NaN.
double crossing(const Line& flat, const Line& steep) {
    double rise = flat.intercept - steep.intercept;
    double run = steep.slope - flat.slope;
    double scale = 1.0;
    if (std::isinf(rise)) {
        rise = 0.5 * flat.intercept - 0.5 * steep.intercept;
        scale *= 2.0;
    }
    if (std::isinf(run)) {
        run = 0.5 * steep.slope - 0.5 * flat.slope;
        scale *= 0.5;
    }
    return rise / run * scale;
}

// The upper envelope of `lines`, in place. Unlike UpperEnvelope, it accepts lines of any magnitude;
// most come sorted.
void keep_highest(std::vector<Line>& lines) {
    std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
        return a.slope != b.slope ? a.slope < b.slope : a.intercept > b.intercept;
    });
    std::size_t kept = 0;
    for (Line line : lines) {
        if (kept > 0 && lines[kept - 1].slope == line.slope) continue;
        line.from = impossible;
        while (kept > 0) {
            line.from = crossing(lines[kept - 1], line);
            if (line.from > lines[kept - 1].from) break;
            line.from = impossible;
            --kept;
        }
        if (line.from < std::numeric_limits<double>::infinity()) lines[kept++] = line;
    }
    lines.resize(kept);
}

}  // namespace

DerivationPool::Id DerivationPool::push(Part part) {
    if (parts_.size() >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
        fail<ForestError>("the envelope has too many lines");
    parts_.push_back(part);
    return static_cast<Id>(parts_.size()) - 1;
}

DerivationPool::Id DerivationPool::join(Id first, Id second) {
    if (first == empty) return second;
    if (second == empty) return first;
    return push({first, second});
}

Derivation DerivationPool::edges(Id id) const {
    Derivation edges;
    std::vector<Id> stack;
    if (id != empty) stack.push_back(id);
    while (!stack.empty()) {
        const Part part = parts_[stack.back()];
        stack.pop_back();
        if (part.first < 0) {
            if (edges.size() == max_derivation_size) fail_derivation_size();
            edges.push_back(~part.first);
        } else {
            stack.push_back(part.second);
            stack.push_back(part.first);
        }
    }
    return edges;
}

EnvelopeSemiring::Value EnvelopeSemiring::one() const {
    return {{0.0, 0.0, impossible, DerivationPool::empty}};
}

EnvelopeSemiring::Value EnvelopeSemiring::plus(const Value& a, const Value& b) const {
    const Value both[] = {a, b};
    return sum(both);
}

EnvelopeSemiring::Value EnvelopeSemiring::sum(std::span<const Value> values) const {
    Value lines;
    std::size_t count = 0;
    for (const Value& value : values) count += value.size();
    lines.reserve(count);
    for (const Value& value : values) lines.insert(lines.end(), value.begin(), value.end());
    keep_highest(lines);
    return lines;
}

// The best of a plus the best of b at every γ: walk along both, step where one changes.
EnvelopeSemiring::Value EnvelopeSemiring::times(const Value& a, const Value& b) const {
    Value lines;
    if (a.empty() || b.empty()) return lines;
    lines.reserve(a.size() + b.size() - 1);
    std::size_t i = 0;
    std::size_t j = 0;
    while (true) {
        lines.push_back({add_scores(a[i].slope, b[j].slope),
                         add_scores(a[i].intercept, b[j].intercept), std::max(a[i].from, b[j].from),
                         pool_->join(a[i].derivation, b[j].derivation)});
        const bool a_ends = i + 1 == a.size();
        const bool b_ends = j + 1 == b.size();
        if (a_ends && b_ends) return lines;
        const bool step_a = !a_ends && (b_ends || a[i + 1].from <= b[j + 1].from);
        const bool step_b = !b_ends && (a_ends || b[j + 1].from <= a[i + 1].from);
        i += step_a ? 1 : 0;
        j += step_b ? 1 : 0;
    }
}

Envelope::Envelope(const Forest& forest, std::span<const double> intercepts,
                   std::span<const double> slopes) {
    check_edge_scores(forest, intercepts);
    check_edge_values(forest, slopes, "edge slopes");
    lines_ = inside_root(forest, EnvelopeSemiring(pool_), [&](EdgeId edge) {
        EnvelopeSemiring::Value line;
        if (intercepts[edge] != impossible)
            line.push_back({slopes[edge], intercepts[edge], impossible, pool_.add(edge)});
        return line;
    });
    if (lines_.empty()) fail_impossible();
}

std::vector<double> Envelope::column(double Line::* member) const {
    std::vector<double> values;
    for (const Line& line : lines_) values.push_back(line.*member);
    return values;
}

Derivation Envelope::derivation(std::size_t line) const {
    if (line >= lines_.size())
        fail<ForestError>("there is no line ", line, "; the envelope has ", lines_.size());
    return pool_.edges(lines_[line].derivation);
}

}  // namespace hopefear
