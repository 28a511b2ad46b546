#include "number_measures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "scanning.hpp"

namespace rulewright {
namespace {

// Variance: the sums are the weight, the sum, and the sum of squares.
class VarianceSide {
public:
    VarianceSide(const Members& members, const double* left, const double* right) noexcept
        : members_(members),
          below_(left[0]),
          sum_(left[1]),
          total_(left[0] + right[0]),
          sums_(left[1] + right[1]) {}

    void move(std::uint32_t entry) noexcept {
        const std::size_t i = entry & number_mask;
        const double weight = members_.weight_of(i);
        below_ += weight;
        sum_ += weight * members_.target[i];
    }
    double left() const noexcept { return below_; }
    double right() const noexcept { return total_ - below_; }
    double gain() const noexcept {
        const double apart = sum_ * total_ - below_ * sums_;
        return (apart * apart) / (total_ * (below_ * (total_ - below_)));
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return constraints.allow(sum_ / below_, (sums_ - sum_) / (total_ - below_));
    }

private:
    Members members_;
    double below_, sum_, total_, sums_;
};

// Base class of measures of numbers.
class NumberMeasure : public Measure {
public:
    std::size_t width() const noexcept override { return 3; }
    void add(const Members& members, std::size_t i, double share,
             double* sums) const noexcept override {
        const double weight = members.weight_of(i) * share, y = members.target[i];
        sums[0] += weight;
        sums[1] += weight * y;
        sums[2] += weight * y * y;
    }
    double weight(const double* sums) const noexcept override { return sums[0]; }
    double value(const double* sums) const noexcept override { return sums[1] / sums[0]; }
    std::vector<std::vector<double>> projections() const override {
        return {{1.0, 0.0, 0.0, 0.0, 1.0, 0.0}};
    }

protected:
    static bool all_equal(const Members& members) noexcept {
        return std::all_of(members.target.begin(), members.target.end(),
                           [&](double y) { return y == members.target[0]; });
    }
};

class VarianceMeasure : public NumberMeasure {
public:
    Summary summary(const Members& members, const double* sums) const override {
        // Around the mean: sums of squares would lose digits.
        const double mean = value(sums);
        double spread = 0.0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const double apart = members.target[i] - mean;
            spread += members.weight_of(i) * apart * apart;
        }
        return {spread, mean, all_equal(members)};
    }
    double gain(std::span<const double> branches) const override {
        double weight = 0.0, sum = 0.0, apart = 0.0;
        for (std::size_t at = 0; at < branches.size(); at += 3) {
            weight += branches[at];
            sum += branches[at + 1];
        }
        // From differences of means: differences of large sums would lose digits.
        for (std::size_t at = 0; at < branches.size(); at += 3) {
            const double off = branches[at + 1] * weight - branches[at] * sum;
            if (branches[at] > 0.0) apart += off * off / branches[at];
        }
        return apart / (weight * weight);
    }
    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const SplitConstraints& constraints) const override {
        return scan(entries, VarianceSide(members, left, right), constraints);
    }
};

// The weighted median of numbers added one by one, and their distances from it.
class RunningMedian {
public:
    void add(double y, double weight) {
        if (lower_.empty() || y <= lower_.top().first) {
            lower_.emplace(y, weight);
            below_ += weight;
            sum_below_ += weight * y;
        } else {
            upper_.emplace(y, weight);
            above_ += weight;
            sum_above_ += weight * y;
        }
        balance();
    }
    double median() const { return lower_.empty() ? 0.0 : lower_.top().first; }
    double distances() const {
        const double middle = median();
        return std::max(0.0, (middle * below_ - sum_below_) + (sum_above_ - middle * above_));
    }

private:
    // The median is the top of the lower half, which holds at least half of the weight.
    void balance() {
        while (!upper_.empty() && below_ < above_) {
            const auto [value, w] = upper_.top();
            upper_.pop();
            lower_.emplace(value, w);
            below_ += w, above_ -= w;
            sum_below_ += w * value, sum_above_ -= w * value;
        }
        while (lower_.size() > 1 && below_ - lower_.top().second >= above_ + lower_.top().second) {
            const auto [value, w] = lower_.top();
            lower_.pop();
            upper_.emplace(value, w);
            below_ -= w, above_ += w;
            sum_below_ -= w * value, sum_above_ += w * value;
        }
    }

    using Weighted = std::pair<double, double>;
    std::priority_queue<Weighted> lower_;
    std::priority_queue<Weighted, std::vector<Weighted>, std::greater<>> upper_;
    double below_ = 0.0, above_ = 0.0, sum_below_ = 0.0, sum_above_ = 0.0;
};

// Medians cannot be updated backwards, so both sides of every cut are computed before the first
// example moves.
class MedianSide {
public:
    MedianSide(const Members& members, std::span<const std::uint32_t> entries)
        : below_(entries.size()), above_(entries.size() + 1) {
        RunningMedian lower, upper;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::size_t member = entries[i] & number_mask;
            lower.add(members.target[member], members.weight_of(member));
            weight_ += members.weight_of(member);
            below_[i] = {weight_, lower.distances(), lower.median()};
        }
        for (std::size_t i = entries.size(); i-- > 0;) {
            const std::size_t member = entries[i] & number_mask;
            upper.add(members.target[member], members.weight_of(member));
            above_[i] = {0.0, upper.distances(), upper.median()};
        }
    }

    void move(std::uint32_t) noexcept { ++moved_; }
    double left() const noexcept { return below_[moved_ - 1].weight; }
    double right() const noexcept { return weight_ - left(); }
    double gain() const noexcept {
        return above_[0].distances - (below_[moved_ - 1].distances + above_[moved_].distances);
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return constraints.allow(below_[moved_ - 1].median, above_[moved_].median);
    }

private:
    struct Part {
        double weight = 0.0;  // known weight below the cut
        double distances = 0.0;
        double median = 0.0;
    };

    std::vector<Part> below_, above_;
    std::size_t moved_ = 0;
    double weight_ = 0.0;
};

// Absolute distances from the median. Missing values are on no side while a cut is searched.
class AbsoluteMeasure : public NumberMeasure {
public:
    Summary summary(const Members& members, const double*) const override {
        RunningMedian all;
        for (std::size_t i = 0; i < members.size(); ++i) {
            all.add(members.target[i], members.weight_of(i));
        }
        return {all.distances(), all.median(), all_equal(members)};
    }
    double gain(std::span<const double>) const override {
        return -std::numeric_limits<double>::infinity();
    }
    bool sideless() const noexcept override { return true; }
    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double*,
                 const double*, const SplitConstraints& constraints) const override {
        return scan(entries, MedianSide(members, entries), constraints);
    }
};

}  // namespace

std::unique_ptr<Measure> variance_measure() { return std::make_unique<VarianceMeasure>(); }

std::unique_ptr<Measure> absolute_measure() { return std::make_unique<AbsoluteMeasure>(); }

}  // namespace rulewright
