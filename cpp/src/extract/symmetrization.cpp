#include "hopefear/extract/symmetrization.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hopefear {

namespace {

// A point of the union.
struct Point {
    Link link;
    bool forward;
    bool reverse;
    bool chosen;
};

// The order in which points are tried: target words first.
bool before(const Link& a, const Link& b) {
    return std::pair(a.target, a.source) < std::pair(b.target, b.source);
}

class Grower {
  public:
    Grower(std::span<const Link> forward, std::span<const Link> reverse) {
        for (const Link link : forward) points_.push_back({link, true, false, false});
        for (const Link link : reverse) points_.push_back({link, false, true, false});
        std::stable_sort(points_.begin(), points_.end(),
                         [](const Point& a, const Point& b) { return before(a.link, b.link); });
        merge_equal();
        for (const Point& point : points_) {
            covered_source_.resize(
                std::max<std::size_t>(covered_source_.size(), std::size_t{point.link.source} + 1));
            covered_target_.resize(
                std::max<std::size_t>(covered_target_.size(), std::size_t{point.link.target} + 1));
        }
    }

    void choose_intersection() {
        for (Point& point : points_)
            if (point.forward && point.reverse) choose(point);
    }

    void choose_all() {
        for (Point& point : points_) choose(point);
    }

    // Points added after the current one are visited in the same pass, as symal walks over a sorted
    // set while it grows.
    void grow(bool diagonal) {
        for (bool added = true; std::exchange(added, false);)
            for (const Point& point : points_)
                if (point.chosen) added |= add_neighbors(point.link, diagonal);
    }

    void add_final(Symmetrization::Final final) {
        if (final == Symmetrization::Final::none) return;
        const bool both = final == Symmetrization::Final::both;
        for (const bool forward : {true, false})
            for (Point& point : points_) {
                if (point.chosen || point.forward != forward) continue;
                const bool source = covered_source_[point.link.source];
                const bool target = covered_target_[point.link.target];
                if (both ? !source && !target : !source || !target) choose(point);
            }
    }

    [[nodiscard]] std::vector<Link> chosen() const {
        std::vector<Link> links;
        for (const Point& point : points_)
            if (point.chosen) links.push_back(point.link);
        std::sort(links.begin(), links.end());
        return links;
    }

  private:
    void merge_equal() {
        std::size_t size = 0;
        for (const Point& point : points_) {
            if (size > 0 && points_[size - 1].link == point.link) {
                points_[size - 1].forward |= point.forward;
                points_[size - 1].reverse |= point.reverse;
            } else {
                points_[size++] = point;
            }
        }
        points_.resize(size);
    }

    void choose(Point& point) {
        point.chosen = true;
        covered_source_[point.link.source] = true;
        covered_target_[point.link.target] = true;
    }

    bool add_neighbors(Link center, bool diagonal) {
        static constexpr std::array<std::pair<int, int>, 8> steps{
            // (target, source)
            {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};
        bool added = false;
        for (const auto& [target, source] : std::span(steps).first(diagonal ? 8 : 4)) {
            Point* const point = find(center.source + source, center.target + target);
            if (point == nullptr || point->chosen) continue;
            if (covered_source_[point->link.source] && covered_target_[point->link.target])
                continue;
            choose(*point);
            added = true;
        }
        return added;
    }

    Point* find(int source, int target) {
        if (source < 0 || target < 0) return nullptr;
        const Link link{static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
        const auto at = std::lower_bound(
            points_.begin(), points_.end(), link,
            [](const Point& point, const Link& value) { return before(point.link, value); });
        return at != points_.end() && at->link == link ? &*at : nullptr;
    }

    std::vector<Point> points_;
    std::vector<bool> covered_source_;
    std::vector<bool> covered_target_;
};

}  // namespace

std::vector<Link> symmetrize(std::span<const Link> forward, std::span<const Link> reverse,
                             const Symmetrization& how) {
    Grower grower(forward, reverse);
    if (how.base == Symmetrization::Base::union_of_both) {
        grower.choose_all();
        return grower.chosen();
    }
    grower.choose_intersection();
    if (how.base == Symmetrization::Base::grow) {
        grower.grow(how.diagonal);
        grower.add_final(how.final);
    }
    return grower.chosen();
}

Alignments symmetrize(const Alignments& forward, const Alignments& reverse,
                      const Symmetrization& how) {
    if (forward.size() != reverse.size())
        fail<DataError>("the forward alignment has ", forward.size(),
                        " sentences and the reverse one ", reverse.size());
    Alignments both;
    for (std::size_t i = 0; i < forward.size(); ++i)
        both.add(symmetrize(forward[i], reverse[i], how));
    return both;
}

}  // namespace hopefear
