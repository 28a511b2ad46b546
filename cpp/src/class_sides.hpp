// Class counts on the two sides of a cut while examples move across it.
//
// There are three ways to compute the same gains. Two classes of unit weights need one count. More
// classes of unit weights need a sum that is updated. Other weights need all impurities at every
// cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logarithms.hpp"
#include "measures.hpp"

namespace rulewright {

inline double total_of(std::span<const double> values) noexcept {
    double total = 0.0;
    for (const double v : values) total += v;
    return total;
}

class GiniOfTwo {
public:
    GiniOfTwo(const double* left, const double* right) noexcept
        : below_(left[0] + left[1]),
          positive_(left[1]),
          total_(below_ + right[0] + right[1]),
          positives_(left[1] + right[1]) {}

    void move(std::uint32_t entry) noexcept {
        below_ += 1.0;
        positive_ += static_cast<double>((entry & second) >> 30);
    }
    double left() const noexcept { return below_; }
    double right() const noexcept { return total_ - below_; }
    double gain() const noexcept {
        const double apart = positive_ * total_ - below_ * positives_;
        return 2.0 * (apart * apart) / (total_ * (below_ * (total_ - below_)));
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return constraints.allow(positive_ / below_, (positives_ - positive_) / (total_ - below_));
    }

private:
    double below_, positive_, total_, positives_;
};

// Entropy of two classes of unit weights, from a table of x log x.
class EntropyOfTwo {
public:
    EntropyOfTwo(const double* left, const double* right, std::span<const double> table) noexcept
        : table_(table),
          below_{static_cast<std::size_t>(left[0]), static_cast<std::size_t>(left[1])},
          above_{static_cast<std::size_t>(right[0]), static_cast<std::size_t>(right[1])},
          whole_(impurity(below_[0] + above_[0], below_[1] + above_[1])) {}

    void move(std::uint32_t entry) noexcept {
        const std::size_t c = (entry & second) >> 30;
        ++below_[c];
        --above_[c];
    }
    double left() const noexcept { return static_cast<double>(below_[0] + below_[1]); }
    double right() const noexcept { return static_cast<double>(above_[0] + above_[1]); }
    double gain() const noexcept {
        return whole_ - (impurity(below_[0], below_[1]) + impurity(above_[0], above_[1]));
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return constraints.allow(static_cast<double>(below_[1]) / left(),
                                 static_cast<double>(above_[1]) / right());
    }

private:
    double impurity(std::size_t a, std::size_t b) const noexcept {
        return table_[a + b] - (table_[a] + table_[b]);
    }

    std::span<const double> table_;
    std::size_t below_[2], above_[2];
    double whole_;
};

struct GiniImpurity {
    static double impurity(std::span<const double> counts) noexcept {
        const double total = total_of(counts);
        double squares = 0.0;
        for (const double c : counts) squares += c * c;
        return total > 0.0 ? total - squares / total : 0.0;
    }
};

struct EntropyImpurity {
    static double impurity(std::span<const double> counts) noexcept {
        double pure = 0.0;
        for (const double c : counts) pure += xlogx(c);
        return xlogx(total_of(counts)) - pure;
    }
};

struct ErrorImpurity {
    static double impurity(std::span<const double> counts) noexcept {
        return total_of(counts) - *std::max_element(counts.begin(), counts.end());
    }
};

// Any number of classes and any weights: impurities are recomputed at every cut.
template <class ImpurityFunction>
class CountsOfMany {
public:
    CountsOfMany(const Members& members, const double* left, const double* right,
                 std::size_t classes)
        : members_(members),
          below_(left, left + classes),
          above_(right, right + classes),
          left_(total_of(below_)),
          right_(total_of(above_)) {
        auto all = below_;
        for (std::size_t c = 0; c < classes; ++c) all[c] += above_[c];
        whole_ = ImpurityFunction::impurity(all);
    }

    void move(std::uint32_t entry) noexcept {
        const std::size_t i = entry & number_mask;
        const double weight = members_.weight_of(i);
        below_[members_.label[i]] += weight;
        above_[members_.label[i]] -= weight;
        left_ += weight;
        right_ -= weight;
    }
    double left() const noexcept { return left_; }
    double right() const noexcept { return right_; }
    double gain() const noexcept {
        return whole_ - (ImpurityFunction::impurity(below_) + ImpurityFunction::impurity(above_));
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return !constraints.bounded || constraints.allow(below_[1] / left_, above_[1] / right_);
    }

private:
    Members members_;
    std::vector<double> below_, above_;
    double left_, right_, whole_;
};

// Many classes of unit weights: a sum over the classes, updated as one of them changes.
template <class Term>
class SumsOfMany {
public:
    SumsOfMany(const Members& members, const double* left, const double* right, std::size_t classes,
               Term term)
        : members_(members), term_(term), below_(classes), above_(classes) {
        double sum_all = 0.0;
        for (std::size_t c = 0; c < classes; ++c) {
            below_[c] = static_cast<std::size_t>(left[c]);
            above_[c] = static_cast<std::size_t>(right[c]);
            left_ += below_[c];
            right_ += above_[c];
            sum_left_ += term_(below_[c]);
            sum_right_ += term_(above_[c]);
            sum_all += term_(below_[c] + above_[c]);
        }
        whole_ = term_.impurity(left_ + right_, sum_all);
    }

    void move(std::uint32_t entry) noexcept {
        const std::size_t c = members_.label[entry & number_mask];
        sum_left_ -= term_(below_[c]);
        sum_right_ -= term_(above_[c]);
        ++below_[c];
        --above_[c];
        sum_left_ += term_(below_[c]);
        sum_right_ += term_(above_[c]);
        ++left_;
        --right_;
    }
    double left() const noexcept { return static_cast<double>(left_); }
    double right() const noexcept { return static_cast<double>(right_); }
    double gain() const noexcept {
        return whole_ - (term_.impurity(left_, sum_left_) + term_.impurity(right_, sum_right_));
    }
    bool allowed(const SplitConstraints& constraints) const noexcept {
        return !constraints.bounded || constraints.allow(static_cast<double>(below_[1]) / left(),
                                                         static_cast<double>(above_[1]) / right());
    }

private:
    Members members_;
    Term term_;
    std::vector<std::size_t> below_, above_;
    std::size_t left_ = 0, right_ = 0;
    double sum_left_ = 0.0, sum_right_ = 0.0, whole_ = 0.0;
};

struct SquareTerm {
    double operator()(std::size_t count) const noexcept {
        return static_cast<double>(count) * static_cast<double>(count);
    }
    double impurity(std::size_t total, double squares) const noexcept {
        return total ? static_cast<double>(total) - squares / static_cast<double>(total) : 0.0;
    }
};

struct LogTerm {
    std::span<const double> table;

    double operator()(std::size_t count) const noexcept { return table[count]; }
    double impurity(std::size_t total, double sum) const noexcept { return table[total] - sum; }
};

}  // namespace rulewright
