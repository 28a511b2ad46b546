#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "interruption.hpp"
#include "logistic.hpp"
#include "row_groups.hpp"
#include "scorecards.hpp"

namespace rulewright {

namespace {

using Points = std::vector<std::int32_t>;

constexpr std::size_t multipliers = 24;
constexpr std::size_t descents = 4;  // number of roundings from which points are improved
constexpr std::size_t max_sweeps = 50;
constexpr double improvement = 1e-10;

// A problem whose rows of one class on which the same conditions hold are merged.
class MergedProblem {
public:
    MergedProblem(const PointsProblem& problem, std::span<const std::int32_t> y,
                  std::size_t classes)
        : problem_(problem) {
        RowGroups groups(problem.rows);
        const int bits = std::bit_width(std::max<std::size_t>(classes, 1) - 1);
        for (int bit = 0; bit < bits; ++bit) {
            groups.split([&](std::size_t i) { return (y[i] >> bit) & 1; });
        }
        for (std::size_t j = 0; j < problem.conditions; ++j) {
            const auto line = problem.holds.subspan(j * problem.rows, problem.rows);
            groups.split([&](std::size_t i) { return line[i]; });
            checkpoint(problem.rows);
        }
        if (problem.rows > 0) gather(groups, y);
    }

    PointsProblem problem() const {
        PointsProblem merged = problem_;
        merged.holds = holds_;
        merged.weight = weight_;
        merged.rows = weight_.size();
        return merged;
    }

    std::span<const std::int32_t> y() const { return y_; }

private:
    void gather(const RowGroups& groups, std::span<const std::int32_t> y) {
        const std::size_t count = groups.count();
        weight_.assign(count, 0.0);
        y_.resize(count);
        holds_.resize(problem_.conditions * count);
        std::vector<std::size_t> some(count);
        for (std::size_t i = 0; i < problem_.rows; ++i) {
            const std::uint32_t group = groups.group()[i];
            weight_[group] += problem_.weight[i];
            some[group] = i;
        }
        for (std::size_t g = 0; g < count; ++g) {
            y_[g] = y[some[g]];
            for (std::size_t j = 0; j < problem_.conditions; ++j) {
                holds_[j * count + g] = problem_.holds[j * problem_.rows + some[g]];
            }
        }
    }

    PointsProblem problem_;
    std::vector<std::uint8_t> holds_;
    std::vector<double> weight_;
    std::vector<std::int32_t> y_;
};

// Weights of the rows with each total: of the class, and of all.
struct Totals {
    std::vector<double> own;
    std::vector<double> all;
    std::int32_t lowest = 0;
};

struct Line {
    double slope = 0.0;
    double intercept = 0.0;
    double loss = 0.0;
};

double line_loss(const Totals& totals, double slope, double intercept, double penalty) {
    double loss = penalty / 2 * slope * slope;
    for (std::size_t t = 0; t < totals.all.size(); ++t) {
        if (totals.all[t] == 0) continue;
        const double score = slope * (totals.lowest + static_cast<double>(t)) + intercept;
        loss += totals.all[t] * softplus(score) - totals.own[t] * score;
    }
    return loss;
}

// The logistic curve through the totals with the least loss; its slope is not negative.
Line fit_line(const Totals& totals, double penalty, Line line) {
    line.loss = line_loss(totals, line.slope, line.intercept, penalty);
    for (std::size_t iteration = 0; iteration < 40; ++iteration) {
        double g0 = 0, g1 = penalty * line.slope, h00 = 1e-9, h01 = 0, h11 = penalty + 1e-9;
        for (std::size_t t = 0; t < totals.all.size(); ++t) {
            if (totals.all[t] == 0) continue;
            const double x = totals.lowest + static_cast<double>(t);
            const double p = sigmoid(line.slope * x + line.intercept);
            const double slope = totals.all[t] * p - totals.own[t];
            const double curve = totals.all[t] * p * (1 - p);
            g0 += slope;
            g1 += slope * x;
            h00 += curve;
            h01 += curve * x;
            h11 += curve * x * x;
        }
        const double determinant = std::max(h00 * h11 - h01 * h01, 1e-300);
        double step0 = -(h11 * g0 - h01 * g1) / determinant;
        double step1 = -(h00 * g1 - h01 * g0) / determinant;
        if (line.slope <= 0 && step1 < 0) {
            step1 = 0;
            step0 = -g0 / h00;
        }
        if (!(-(step0 * g0 + step1 * g1) > 1e-11 * (1 + line.loss))) break;
        bool moved = false;
        for (double share = 1; share > 1e-6 && !moved; share /= 2) {
            Line next{std::max(line.slope + share * step1, 0.0), line.intercept + share * step0,
                      0.0};
            next.loss = line_loss(totals, next.slope, next.intercept, penalty);
            if (next.loss < line.loss) {
                line = next;
                moved = true;
            }
        }
        if (!moved) break;
    }
    return line;
}

class PointsSearch {
public:
    PointsSearch(const PointsProblem& problem, std::span<const std::int32_t> own)
        : problem_(problem), own_(own), total_(problem.rows, 0) {}

    RoundedPoints run(std::span<const double> coefficient) {
        std::vector<RoundedPoints> starts = roundings(coefficient);
        RoundedPoints best = starts.front();
        for (std::size_t s = 0; s < std::min(starts.size(), descents); ++s) {
            RoundedPoints found = descend(starts[s]);
            if (found.loss < best.loss - improvement) best = std::move(found);
        }
        return divided(best);
    }

private:
    std::span<const std::uint8_t> holds(std::size_t j) const {
        return problem_.holds.subspan(j * problem_.rows, problem_.rows);
    }

    std::int32_t clamped(std::size_t j, double value) const {
        return std::clamp(static_cast<std::int32_t>(std::lround(value)), problem_.low[j],
                          problem_.high[j]);
    }

    // Different roundings of the coefficients times multipliers, the best first.
    std::vector<RoundedPoints> roundings(std::span<const double> coefficient) {
        double largest = 0.0, limit = 1.0;
        for (std::size_t j = 0; j < problem_.conditions; ++j) {
            largest = std::max(largest, std::abs(coefficient[j]));
            limit = std::max<double>(
                limit, std::max(std::abs(problem_.low[j]), std::abs(problem_.high[j])));
        }
        std::set<Points> seen;
        std::vector<RoundedPoints> found;
        for (std::size_t m = 0; m < multipliers; ++m) {
            const double top = 0.5 + (limit - 0.01) * static_cast<double>(m + 1) / multipliers;
            Points points(problem_.conditions, 0);
            for (std::size_t j = 0; largest > 0 && j < points.size(); ++j) {
                points[j] = clamped(j, coefficient[j] / largest * top);
            }
            if (seen.insert(points).second) found.push_back(judged(points, {1 / top, 0, 0}));
        }
        std::ranges::stable_sort(found, {}, &RoundedPoints::loss);
        return found;
    }

    double penalty(const Points& points) const {
        double sum = 0.0;
        for (const std::int32_t p : points) sum += static_cast<double>(p) * p;
        return problem_.ridge * sum;
    }

    // Sums the points of each row, and returns the limits of the totals.
    std::pair<std::int32_t, std::int32_t> add_up(const Points& points) {
        std::ranges::fill(total_, 0);
        std::int32_t lowest = 0, highest = 0;
        for (std::size_t j = 0; j < points.size(); ++j) {
            if (points[j] == 0) continue;
            (points[j] < 0 ? lowest : highest) += points[j];
            const auto mask = holds(j);
            for (std::size_t i = 0; i < problem_.rows; ++i) total_[i] += points[j] * mask[i];
        }
        checkpoint(problem_.rows);
        return {lowest, highest};
    }

    RoundedPoints judged(const Points& points, const Line& start) {
        const auto [lowest, highest] = add_up(points);
        Totals totals;
        totals.lowest = lowest;
        totals.own.assign(static_cast<std::size_t>(highest - lowest) + 1, 0.0);
        totals.all = totals.own;
        for (std::size_t i = 0; i < problem_.rows; ++i) {
            const auto t = static_cast<std::size_t>(total_[i] - lowest);
            totals.all[t] += problem_.weight[i];
            totals.own[t] += problem_.weight[i] * own_[i];
        }
        const Line line = fit_line(totals, penalty(points), start);
        return {points, line.slope, line.intercept, line.loss};
    }

    // Changes single points, then pairs of points by one each, until none improves the loss.
    RoundedPoints descend(RoundedPoints best) {
        for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
            bool changed = false;
            for (std::size_t j = 0; j < problem_.conditions; ++j) changed |= change_one(best, j);
            if (!changed && !change_two(best)) break;
        }
        return best;
    }

    bool change_one(RoundedPoints& best, std::size_t j) {
        Points without = best.points;
        without[j] = 0;
        const std::int32_t low = problem_.low[j], high = problem_.high[j];
        const auto [lowest, highest] = add_up(without);
        const std::int32_t base = lowest + std::min(low, 0);
        const auto width = static_cast<std::size_t>(highest + std::max(high, 0) - base) + 1;
        Totals outside{std::vector<double>(width), std::vector<double>(width), base};
        Totals inside = outside;
        const auto mask = holds(j);
        for (std::size_t i = 0; i < problem_.rows; ++i) {
            Totals& part = mask[i] ? inside : outside;
            const auto t = static_cast<std::size_t>(total_[i] - base);
            part.all[t] += problem_.weight[i];
            part.own[t] += problem_.weight[i] * own_[i];
        }
        bool changed = false;
        const std::int32_t current = best.points[j];
        for (std::int32_t value = low; value <= high; ++value) {
            if (value == current) continue;
            Totals moved = outside;
            for (std::size_t t = 0; t < width; ++t) {
                if (inside.all[t] == 0) continue;
                const auto to = static_cast<std::size_t>(static_cast<std::int32_t>(t) + value);
                moved.all[to] += inside.all[t];
                moved.own[to] += inside.own[t];
            }
            Points points = without;
            points[j] = value;
            const Line line =
                fit_line(moved, penalty(points), {best.slope, best.intercept, best.loss});
            if (line.loss < best.loss - improvement) {
                best = {points, line.slope, line.intercept, line.loss};
                changed = true;
            }
        }
        return changed;
    }

    bool change_two(RoundedPoints& best) {
        const Points before = best.points;
        for (std::size_t j = 0; j < before.size(); ++j) {
            for (std::size_t k = j + 1; k < before.size(); ++k) {
                for (const std::int32_t one : {-1, 1}) {
                    for (const std::int32_t other : {-1, 1}) {
                        Points points = before;
                        points[j] += one;
                        points[k] += other;
                        if (!allowed(points, j) || !allowed(points, k)) continue;
                        RoundedPoints found =
                            judged(points, {best.slope, best.intercept, best.loss});
                        if (found.loss < best.loss - improvement) {
                            best = std::move(found);
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    bool allowed(const Points& points, std::size_t j) const {
        return points[j] >= problem_.low[j] && points[j] <= problem_.high[j];
    }

    // The same curve with points divided by their common factor, unless their limits forbid it.
    RoundedPoints divided(const RoundedPoints& found) const {
        std::int32_t factor = 0;
        for (const std::int32_t p : found.points) factor = std::gcd(factor, p);
        if (factor <= 1) return found;
        RoundedPoints smaller = found;
        smaller.slope *= factor;
        for (std::size_t j = 0; j < problem_.conditions; ++j) {
            smaller.points[j] /= factor;
            if (!allowed(smaller.points, j)) return found;
        }
        return smaller;
    }

    PointsProblem problem_;
    std::span<const std::int32_t> own_;
    std::vector<std::int32_t> total_;
};

// Points of several classes. `total` has the sums by class and then by row.
class ClassPointsSearch {
public:
    ClassPointsSearch(const PointsProblem& problem, std::span<const std::int32_t> y,
                      std::size_t classes)
        : problem_(problem), y_(y), classes_(classes), total_(classes * problem.rows) {}

    RoundedPoints run(std::span<const double> coefficient) {
        double largest = 0.0, limit = 1.0;
        const std::size_t last = problem_.conditions - 1;
        for (std::size_t j = 0; j < last; ++j) {
            limit = std::max<double>(limit, problem_.high[j]);
            for (std::size_t c = 0; c < classes_; ++c) {
                largest = std::max(largest, std::abs(coefficient[j * classes_ + c]));
            }
        }
        std::vector<RoundedPoints> starts;
        std::set<Points> seen;
        for (std::size_t m = 0; m < multipliers / 3; ++m) {
            const double top = 0.5 + (limit - 0.01) * static_cast<double>(m + 1) * 3 / multipliers;
            const double factor = largest > 0 ? top / largest : 1.0;
            Points points(coefficient.size());
            for (std::size_t place = 0; place < points.size(); ++place) {
                points[place] = clamped(place / classes_, coefficient[place] * factor);
            }
            if (seen.insert(points).second) starts.push_back(judged(points, 1 / factor));
        }
        std::ranges::stable_sort(starts, {}, &RoundedPoints::loss);
        RoundedPoints best = starts.front();
        for (std::size_t s = 0; s < std::min<std::size_t>(starts.size(), 2); ++s) {
            RoundedPoints found = descend(starts[s]);
            if (found.loss < best.loss - improvement) best = std::move(found);
        }
        return best;
    }

private:
    std::int32_t clamped(std::size_t j, double value) const {
        const double within = std::clamp(value, -1e6, 1e6);
        return std::clamp(static_cast<std::int32_t>(std::lround(within)), problem_.low[j],
                          problem_.high[j]);
    }

    std::span<const std::uint8_t> holds(std::size_t j) const {
        return problem_.holds.subspan(j * problem_.rows, problem_.rows);
    }

    double penalty(const Points& points) const {
        double sum = 0.0;
        for (std::size_t place = 0; place + classes_ < points.size(); ++place) {
            sum += static_cast<double>(points[place]) * points[place];
        }
        return problem_.ridge * sum;
    }

    void add_up(const Points& points) {
        std::ranges::fill(total_, 0.0);
        for (std::size_t j = 0; j < problem_.conditions; ++j) {
            const auto mask = holds(j);
            for (std::size_t c = 0; c < classes_; ++c) {
                const double value = points[j * classes_ + c];
                if (value == 0) continue;
                double* line = total_.data() + c * problem_.rows;
                for (std::size_t i = 0; i < problem_.rows; ++i) line[i] += value * mask[i];
            }
        }
    }

    // The loss at a slope, with its first two derivatives.
    struct Curve {
        double loss, first, second;
    };

    Curve curve(double slope, double penalty) const {
        Curve sums{penalty / 2 * slope * slope, penalty * slope, penalty + 1e-9};
        std::vector<double> value(classes_);
        for (std::size_t i = 0; i < problem_.rows; ++i) {
            double highest = -1e300;
            for (std::size_t c = 0; c < classes_; ++c) {
                value[c] = total_[c * problem_.rows + i];
                highest = std::max(highest, slope * value[c]);
            }
            double sum = 0, mean = 0, square = 0;
            for (std::size_t c = 0; c < classes_; ++c) {
                const double odds = std::exp(slope * value[c] - highest);
                sum += odds;
                mean += odds * value[c];
                square += odds * value[c] * value[c];
            }
            mean /= sum;
            const double own = value[static_cast<std::size_t>(y_[i])];
            sums.loss += problem_.weight[i] * (highest + std::log(sum) - slope * own);
            sums.first += problem_.weight[i] * (mean - own);
            sums.second += problem_.weight[i] * std::max(square / sum - mean * mean, 0.0);
        }
        checkpoint(problem_.rows * classes_);
        return sums;
    }

    RoundedPoints judged(const Points& points, double slope) {
        add_up(points);
        const double sum = penalty(points);
        Curve now = curve(slope, sum);
        for (std::size_t iteration = 0; iteration < 30; ++iteration) {
            const double step = -now.first / now.second;
            if (!(-step * now.first > 1e-11 * (1 + now.loss))) break;
            bool moved = false;
            for (double share = 1; share > 1e-6 && !moved; share /= 2) {
                const double next = std::max(slope + share * step, 0.0);
                const Curve there = curve(next, sum);
                if (there.loss < now.loss) {
                    slope = next;
                    now = there;
                    moved = true;
                }
            }
            if (!moved) break;
        }
        return {points, slope, 0.0, now.loss};
    }

    RoundedPoints descend(RoundedPoints best) {
        for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
            best = judged(best.points, best.slope);
            Points points = best.points;
            const double slope = best.slope;
            for (std::size_t j = 0; j < problem_.conditions; ++j) {
                for (std::size_t c = 0; c < classes_; ++c) change(points, slope, j, c);
            }
            if (points == best.points) break;
            RoundedPoints found = judged(points, slope);
            if (!(found.loss < best.loss - improvement)) break;
            best = std::move(found);
        }
        return best;
    }

    // Sets the points of a condition for a class to the best value at this slope.
    void change(Points& points, double slope, std::size_t j, std::size_t c) {
        const auto mask = holds(j);
        std::vector<double> chance, weight;
        std::vector<std::size_t> where;
        double own = 0.0;
        for (std::size_t i = 0; i < problem_.rows; ++i) {
            if (!mask[i]) continue;
            where.push_back(i);
            chance.push_back(chance_of(i, c, slope));
            weight.push_back(problem_.weight[i]);
            if (static_cast<std::size_t>(y_[i]) == c) own += problem_.weight[i];
        }
        checkpoint(where.size() * classes_);
        const std::int32_t now = points[j * classes_ + c];
        const bool penalised = j + 1 < problem_.conditions;
        const double ridge = penalised ? problem_.ridge * slope * slope / 2 : 0.0;
        std::int32_t best = now;
        double least = ridge * now * now - improvement;
        for (std::int32_t value = problem_.low[j]; value <= problem_.high[j]; ++value) {
            if (value == now) continue;
            const double shift = slope * (value - now), factor = std::expm1(shift);
            double loss = ridge * value * value - shift * own;
            for (std::size_t r = 0; r < where.size(); ++r) {
                loss += weight[r] * std::log1p(chance[r] * factor);
            }
            if (loss < least) {
                least = loss;
                best = value;
            }
        }
        if (best == now) return;
        points[j * classes_ + c] = best;
        for (const std::size_t i : where) total_[c * problem_.rows + i] += best - now;
    }

    double chance_of(std::size_t i, std::size_t c, double slope) const {
        double sum = 0.0;
        const double own = total_[c * problem_.rows + i];
        for (std::size_t k = 0; k < classes_; ++k) {
            sum += std::exp(slope * (total_[k * problem_.rows + i] - own));
        }
        return 1 / sum;
    }

    PointsProblem problem_;
    std::span<const std::int32_t> y_;
    std::size_t classes_;
    std::vector<double> total_;
};

}  // namespace

RoundedPoints round_points(const PointsProblem& problem, std::span<const std::uint8_t> own,
                           std::span<const double> coefficient) {
    const std::vector<std::int32_t> y(own.begin(), own.end());
    const MergedProblem merged(problem, y, 2);
    return PointsSearch(merged.problem(), merged.y()).run(coefficient);
}

RoundedPoints round_class_points(const PointsProblem& problem, std::span<const std::int32_t> y,
                                 std::size_t classes, std::span<const double> coefficient) {
    const MergedProblem merged(problem, y, classes);
    return ClassPointsSearch(merged.problem(), merged.y(), classes).run(coefficient);
}

}  // namespace rulewright
