#include "interval_splits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

// The distinct values of a sorted column: sums up to each, and the starts of their entries.
struct Groups {
    std::vector<std::size_t> begin;  // one more than the number of groups
    std::vector<double> upto;        // (groups + 1) x width

    std::size_t count() const noexcept { return begin.size() - 1; }
};

Groups groups_of(const Measure& measure, const Members& members,
                 std::span<const std::uint32_t> entries) {
    const std::size_t width = measure.width();
    Groups groups;
    groups.upto.assign(width, 0.0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!(entries[i] & tied)) {
            groups.begin.push_back(i);
            const std::size_t before = groups.upto.size() - width;
            groups.upto.resize(groups.upto.size() + width);
            std::copy_n(groups.upto.begin() + static_cast<std::ptrdiff_t>(before), width,
                        groups.upto.end() - static_cast<std::ptrdiff_t>(width));
        }
        measure.add(members, entries[i] & number_mask, 1.0,
                    groups.upto.data() + groups.upto.size() - width);
    }
    groups.begin.push_back(entries.size());
    return groups;
}

// Intervals of groups as points of the plane. The gain is convex, so the best of them is a vertex
// of their hull, and a vertex is the heaviest interval for some weights of the two coordinates.
class IntervalHull {
public:
    static constexpr std::size_t max_questions = 400;

    IntervalHull(std::vector<double> u, std::vector<double> v)
        : u_(std::move(u)), v_(std::move(v)) {}

    struct Point {
        std::size_t first = 0, last = 0;  // groups
        double u = 0.0, v = 0.0;
    };

    template <class Visit>
    void corners(Visit&& visit) const {
        const double ways[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
        Point extreme[4];
        for (std::size_t k = 0; k < 4; ++k) visit(extreme[k] = heaviest(ways[k][0], ways[k][1]));
        std::vector<std::pair<Point, Point>> edges;
        for (std::size_t k = 0; k < 4; ++k) edges.emplace_back(extreme[k], extreme[(k + 1) % 4]);
        for (std::size_t asked = 0; !edges.empty() && asked < max_questions; ++asked) {
            checkpoint(u_.size());
            const auto [from, to] = edges.back();
            edges.pop_back();
            // Outward, counterclockwise.
            const double a = to.v - from.v, b = from.u - to.u;
            if (a == 0.0 && b == 0.0) continue;
            const Point beyond = heaviest(a, b);
            const double edge = a * from.u + b * from.v, found = a * beyond.u + b * beyond.v;
            if (!(found > edge + 1e-12 * (std::abs(edge) + std::abs(found)))) continue;
            visit(beyond);
            edges.emplace_back(from, beyond);
            edges.emplace_back(beyond, to);
        }
    }

private:
    Point heaviest(double a, double b) const noexcept {
        Point best;
        double max_total = nothing, running = nothing, u = 0.0, v = 0.0;
        std::size_t first = 0;
        for (std::size_t g = 0; g < u_.size(); ++g) {
            const double here = a * u_[g] + b * v_[g];
            if (!(running > 0.0)) running = u = v = 0.0, first = g;
            running += here, u += u_[g], v += v_[g];
            if (running > max_total) max_total = running, best = {first, g, u, v};
        }
        return best;
    }

    std::vector<double> u_, v_;
};

// The best of the intervals tried.
class IntervalSelection {
public:
    IntervalSelection(const Measure& measure, const Groups& groups, const double* inside,
                      const double* outside, const SplitConstraints& constraints)
        : measure_(measure),
          groups_(groups),
          inside_(inside),
          outside_(outside),
          constraints_(constraints),
          sides_(2 * measure.width()) {}

    void enter(const IntervalHull::Point& point) {
        // All values against none is the presence split.
        if (point.first == 0 && point.last + 1 == groups_.count()) return;
        part(point);
        const double* in = sides_.data();
        const double* out = in + measure_.width();
        if (!is_allowed(in, out)) return;
        const double gain = measure_.gain(sides_);
        const IntervalSplit found = {gain, groups_.begin[point.first],
                                     groups_.begin[point.last + 1] - 1};
        const bool earlier =
            std::pair(found.first, found.last) < std::pair(best_.first, best_.last);
        const double slack = constraints_.slack;
        if (gain > best_.gain + slack || (gain >= best_.gain - slack && earlier)) best_ = found;
    }

    const IntervalSplit& best() const noexcept { return best_; }

private:
    void part(const IntervalHull::Point& point) noexcept {
        const std::size_t width = measure_.width();
        const double* upto = groups_.upto.data();
        const double* all = upto + groups_.count() * width;
        for (std::size_t k = 0; k < width; ++k) {
            const double within =
                upto[(point.last + 1) * width + k] - upto[point.first * width + k];
            sides_[k] = inside_[k] + within;
            sides_[width + k] = outside_[k] + (all[k] - within);
        }
    }

    bool is_allowed(const double* in, const double* out) const noexcept {
        const double within = measure_.weight(in), beyond = measure_.weight(out);
        return within > 0.0 && beyond > 0.0 && within >= constraints_.min_weight &&
               beyond >= constraints_.min_weight &&
               constraints_.allow(measure_.value(in), measure_.value(out));
    }

    const Measure& measure_;
    const Groups& groups_;
    const double* inside_;
    const double* outside_;
    const SplitConstraints& constraints_;
    std::vector<double> sides_;
    IntervalSplit best_;
};

IntervalHull hull_of(const Groups& groups, const std::vector<double>& pair) {
    const std::size_t width = pair.size() / 2;
    std::vector<double> u(groups.count()), v(groups.count());
    for (std::size_t g = 0; g < groups.count(); ++g) {
        for (std::size_t k = 0; k < width; ++k) {
            const double own = groups.upto[(g + 1) * width + k] - groups.upto[g * width + k];
            u[g] += pair[k] * own;
            v[g] += pair[width + k] * own;
        }
    }
    return {std::move(u), std::move(v)};
}

}  // namespace

IntervalSplit best_interval(const Measure& measure, const Members& members,
                            std::span<const std::uint32_t> entries, const double* inside,
                            const double* outside, const SplitConstraints& constraints) {
    const Groups groups = groups_of(measure, members, entries);
    if (groups.count() < 2) return {};
    IntervalSelection selection(measure, groups, inside, outside, constraints);
    for (const auto& pair : measure.projections()) {
        hull_of(groups, pair).corners([&](const IntervalHull::Point& point) {
            selection.enter(point);
        });
    }
    return selection.best();
}

}  // namespace rulewright
