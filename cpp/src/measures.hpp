// Measures of splits: the decrease of impurity.
//
// A measure sees a set of examples by its sums: the weight of each class, or for numbers the
// weight, the weighted sum and the weighted sum of squares. The gain of a split is the decrease of
// weighted impurity: I(S) - I(S1) - ... - I(Sb).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace rulewright {

// An example in a sorted column of a node: its number there, whether its value equals that of the
// previous one, and with two classes whether it is of the second.
inline constexpr std::uint32_t tied = 1U << 31;
inline constexpr std::uint32_t second = 1U << 30;
inline constexpr std::uint32_t number_mask = second - 1;

// The examples of a node. Without weights each weighs 1.
struct Members {
    std::span<const std::uint16_t> label;  // class numbers; or else
    std::span<const double> target;        // the numbers to predict
    std::span<const double> weight;

    std::size_t size() const noexcept { return label.empty() ? target.size() : label.size(); }
    double weight_of(std::size_t i) const noexcept { return weight.empty() ? 1.0 : weight[i]; }
};

// Constraints on the sides of a split. A node's value is the share of its second class, or its
// mean: with `bounded`, both sides must lie between the bounds, and in the order of `direction`.
struct SplitConstraints {
    double min_weight = 0.0;  // minimum weight on each side
    double slack = 0.0;       // minimum difference of gains that counts
    bool bounded = false;
    int direction = 0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();

    bool allow(double left, double right) const noexcept {
        return !bounded || (lower <= left && left <= upper && lower <= right && right <= upper &&
                            static_cast<double>(direction) * (right - left) >= 0.0);
    }
};

struct Cut {
    double gain = -std::numeric_limits<double>::infinity();
    std::size_t position = 0;  // the last entry below the cut
    std::size_t tried = 0;     // cuts that leave enough weight on both sides
    // In a coded column: the last cell below the cut, and its value, or NaN at the end of the cell.
    std::uint16_t code = 0;
    double value = std::numeric_limits<double>::quiet_NaN();

    bool found() const noexcept { return gain > -std::numeric_limits<double>::infinity(); }
};

// Statistics of a node, whether or not it is split.
struct Summary {
    double impurity = 0.0;  // weighted
    double value = 0.0;     // mean or median, or the share of the second class
    bool pure = false;
};

class Measure {
public:
    virtual ~Measure() = default;

    virtual std::size_t width() const noexcept = 0;  // length of the sums of a set
    virtual void add(const Members& members, std::size_t i, double share,
                     double* sums) const noexcept = 0;
    virtual double weight(const double* sums) const noexcept = 0;
    virtual double value(const double* sums) const noexcept = 0;
    virtual Summary summary(const Members& members, const double* sums) const = 0;

    // The gain of a split into branches with these sums.
    virtual double gain(std::span<const double> branches) const = 0;

    // The best cut of a sorted column. `left` and `right` are the initial sums below and above: all
    // entries lie above, and missing values may lie on either side.
    virtual Cut best_cut(const Members& members, std::span<const std::uint32_t> entries,
                         const double* left, const double* right,
                         const SplitConstraints& constraints) const = 0;

    // Whether `gain_of_two` gives the gains of `best_cut`, to the last bit, from whole numbers of
    // examples of two classes. These gains are convex functions of the counts on a side.
    virtual bool counts_two() const noexcept { return false; }
    virtual double gain_of_two(const double*, const double*) const { return 0.0; }

    // Maximum difference between gains of the same split, if weights are summed in different
    // orders.
    virtual double rounding(double impurity) const noexcept { return 1e-12 * impurity; }

    // Expected decrease of impurity by chance for one more category: that of an average example.
    virtual double chance(double impurity, double weight) const noexcept {
        return impurity / weight;
    }

    // Whether its best cut ignores missing values.
    virtual bool sideless() const noexcept { return false; }

    // Pairs of linear functions of the sums, such that the gain is a convex function of each pair.
    virtual std::vector<std::vector<double>> projections() const = 0;
};

enum class Impurity { error, entropy, gini, variance, absolute };

// `largest` is the maximum sum of unit weights.
std::unique_ptr<Measure> measure_of(Impurity impurity, std::size_t classes, std::size_t largest);

// Scores rows of class weights, each of the examples that one branch covers; higher is better.
using Scoring = std::function<void(std::span<const double> covered, std::span<const double> all,
                                   std::span<double> scores)>;

// The score of a split is the highest of its branches, each taken as a rule.
std::unique_ptr<Measure> scored_measure(std::size_t classes, Scoring scoring);

}  // namespace rulewright
