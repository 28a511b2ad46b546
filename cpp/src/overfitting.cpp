#include "overfitting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr double invisible = 1e-18;
constexpr double as_good_as_equal = 1.0 + 1e-9;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);  // b is positive
}

}  // namespace

Splits::Splits(std::int32_t objects, std::int32_t trained)
    : objects_(objects), trained_(trained), log_factorial_(static_cast<std::size_t>(objects) + 1) {
    long double sum = 0.0L;  // avoids accumulated rounding errors
    for (std::int32_t n = 2; n <= objects; ++n) {
        sum += std::log(static_cast<long double>(n));
        log_factorial_[static_cast<std::size_t>(n)] = static_cast<double>(sum);
    }
    log_splits_ = log_choose(objects, trained);
}

double Splits::log_choose(std::int32_t n, std::int32_t k) const noexcept {
    const auto f = [this](std::int32_t i) { return log_factorial_[static_cast<std::size_t>(i)]; };
    return f(n) - f(k) - f(n - k);
}

double Splits::weight(const RuleCounts& rule) const noexcept {
    const std::int32_t q = rule.connected, h = rule.inferior;
    if (q > trained_ || h > objects_ - trained_) return 0.0;
    return std::exp(log_choose(objects_ - q - h, trained_ - q) - log_splits_);
}

Deviation Splits::deviation(const RuleCounts& rule, Counted counted) const noexcept {
    const std::int32_t hidden = objects_ - trained_;
    const std::int32_t free = objects_ - rule.connected - rule.inferior;
    const std::int32_t in_training = trained_ - rule.connected;
    const auto times = [](std::int32_t a, std::int32_t b) { return std::int64_t{a} * b; };
    switch (counted) {
        case Counted::errors:
            return {{free, rule.errors - rule.inferior, in_training}, times(rule.errors, trained_)};
        case Counted::negatives:
            return {{free, rule.negatives - rule.inferior_negatives, in_training},
                    times(rule.negatives, trained_)};
        default:  // too few positives are hidden
            return {{free, rule.positives - rule.connected_positives, hidden - rule.inferior},
                    times(rule.positives, hidden)};
    }
}

double Splits::mass(const Draw& d, std::int32_t marked) const noexcept {
    return std::exp(log_choose(d.marked, marked) + log_choose(d.all - d.marked, d.drawn - marked) -
                    log_choose(d.all, d.drawn));
}

template <class Take>
void Splits::each_mass(const Draw& d, std::int64_t max_marked, Take take) const noexcept {
    const std::int64_t min_marked = std::max(0, d.drawn + d.marked - d.all);
    max_marked = std::min<std::int64_t>(max_marked, std::min(d.marked, d.drawn));
    if (max_marked < min_marked) return;
    const std::int64_t mode =
        (std::int64_t{d.drawn} + 1) * (std::int64_t{d.marked} + 1) / (std::int64_t{d.all} + 2);
    const std::int64_t start = std::clamp(mode, min_marked, max_marked);
    const double first = mass(d, static_cast<std::int32_t>(start));
    const double enough = invisible * first;
    // P[s - 1] / P[s] = s (all - marked - drawn + s) / ((marked - s + 1) (drawn - s + 1))
    const auto below = [&d](std::int64_t s) {
        const double lost = static_cast<double>(s * (d.all - d.marked - d.drawn + s));
        return lost / static_cast<double>((d.marked - s + 1) * (d.drawn - s + 1));
    };
    take(start, first);
    double p = first;
    for (std::int64_t s = start; s > min_marked && p > enough; --s) take(s - 1, p *= below(s));
    p = first;
    for (std::int64_t s = start + 1; s <= max_marked && p > enough; ++s) take(s, p /= below(s));
}

double Splits::term(const RuleCounts& rule, Counted counted,
                    std::int64_t min_deviation) const noexcept {
    const double w = weight(rule);
    if (w == 0.0) return 0.0;
    const auto [draw, max_deviation] = deviation(rule, counted);
    double sum = 0.0;
    each_mass(draw, floor_divide(max_deviation - min_deviation, objects_),
              [&sum](std::int64_t, double p) { sum += p; });
    return w * std::min(sum, 1.0);
}

std::int64_t Splits::exceeded_at_most(std::span<const RuleCounts> rules, Counted counted,
                                      double eta) const {
    // A rule has one deviation in every interval of `objects` units: first the interval, then the
    // position in it.
    std::vector<double> intervals(static_cast<std::size_t>(objects_) + 1, 0.0);
    for (const auto& rule : rules) {
        checkpoint(64);
        const double w = weight(rule);
        if (w < invisible) continue;
        const auto [draw, max_deviation] = deviation(rule, counted);
        each_mass(draw, floor_divide(max_deviation - 1, objects_),
                  [&, top = max_deviation](std::int64_t s, double p) {
                      intervals[static_cast<std::size_t>(top / objects_ - s)] += w * p;
                  });
    }
    const double limit = eta * as_good_as_equal;
    double above = 0.0;
    std::size_t interval = intervals.size();
    while (interval > 0 && above + intervals[interval - 1] <= limit) above += intervals[--interval];
    if (interval == 0) return 0;
    --interval;
    std::vector<std::pair<std::int64_t, double>> places;
    for (const auto& rule : rules) {
        const double w = weight(rule);
        if (w < invisible) continue;
        const auto [d, max_deviation] = deviation(rule, counted);
        const std::int64_t s = max_deviation / objects_ - static_cast<std::int64_t>(interval);
        const std::int64_t deviation = max_deviation - s * objects_;
        if (s < std::max(0, d.drawn + d.marked - d.all) || s > std::min(d.marked, d.drawn))
            continue;
        if (deviation > 0)
            places.emplace_back(deviation, w * mass(d, static_cast<std::int32_t>(s)));
    }
    std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a > b; });
    for (const auto& [place, p] : places) {
        above += p;
        if (above > limit) return place;
    }
    return places.empty() ? 0 : places.back().first;  // reached only by rounding
}

}  // namespace rulewright
