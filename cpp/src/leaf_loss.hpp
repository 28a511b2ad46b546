// The loss of a leaf: its errors, and the Gini impurity of its classes times its weight.
//
// A leaf with the weights n_1, n_2, ... of its classes and N in all has
//
//     error * (N - max n_k) + floor(impurity * G),   G = sum n_k (N - n_k) / N.
//
// It is a whole number, so that sums of leaves compare exactly. What bounds need of it:
//
// - More weight never has a lower loss, and a unit of weight adds at most `error + 2 * impurity`.
//   Of the errors this is clear. With the shares p_k, the derivative of G in n_j is
//   1 - 2 p_j + sum p_k^2 = (1 - p_j)^2 + sum_{k != j} p_k^2. It is at least 0, and at most 2,
//   because the second term is at most the square of 1 - p_j as well. Whole numbers can be taken
//   out of `floor`, so both hold for the rounded loss too.
// - A leaf has at least the loss of its parts together: errors and G are concave and homogeneous,
//   and `floor` of a sum is at least the sum of `floor`s.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "coded_cells.hpp"

namespace rulewright {

struct LeafLoss {
    std::int64_t error = 1;
    std::int64_t impurity = 0;

    // Largest loss of a unit of weight that is added to a leaf.
    std::int64_t of_unit() const noexcept { return error + 2 * impurity; }

    // `weight_of` gives the weight of a class.
    template <class WeightOf>
    std::int64_t operator()(std::size_t classes, WeightOf&& weight_of) const {
        std::int64_t sum = 0;
        std::int64_t largest = 0;
        for (std::size_t k = 0; k < classes; ++k) {
            const auto weight = static_cast<std::int64_t>(weight_of(k));
            sum += weight;
            largest = std::max(largest, weight);
        }
        const std::int64_t errors = error * (sum - largest);
        if (impurity == 0 || sum == 0) return errors;
        std::int64_t mixed = 0;
        for (std::size_t k = 0; k < classes; ++k) {
            const auto weight = static_cast<std::int64_t>(weight_of(k));
            mixed += weight * (sum - weight);
        }
        return errors + impurity * mixed / sum;
    }
};

// With a total weight N of all leaves, `impurity` N^2 and `error` N must be below this number. Then
// numbers of double precision hold all that occurs, and round as whole numbers do: a quotient of
// whole numbers a / b that is no whole number is at least 1 / b below the next one, which is more
// than the rounding of the quotient where a is below 2^53.
inline constexpr std::int64_t max_impurity_loss = std::int64_t{1} << 51U;

// Loss of leaves that counts errors only.
template <class Weight>
struct ErrorLoss {
    using Count = Weight;
    using Loss = Weight;
    static constexpr bool by_squares = false;

    Loss of_two(Count one, Count other) const { return std::min(one, other); }
    Loss of_many(Count sum, Count largest, Loss) const { return sum - largest; }
};

// Loss of leaves with impurity, in double precision, which is exact.
struct ImpurityLoss {
    using Count = std::int32_t;
    using Loss = double;
    static constexpr bool by_squares = true;

    double error;
    double impurity;

    Loss of_two(Count one, Count other) const {
        const auto a = static_cast<double>(one);
        const auto b = static_cast<double>(other);
        const double impure = std::floor(2.0 * impurity * a * b / std::max(a + b, 1.0));
        return error * std::min(a, b) + impure;
    }
    // `squares` is the sum of the squares of the weights of the classes.
    Loss of_many(Count sum, Count largest, Loss squares) const {
        const auto all = static_cast<double>(sum);
        const double impure = std::floor(impurity * (all * all - squares) / std::max(all, 1.0));
        return error * static_cast<double>(sum - largest) + impure;
    }
};

std::int64_t leaf_loss(const Cells& cells, std::span<const std::int32_t> members,
                       const LeafLoss& loss);

// Loss that every tree has: that of all points as leaves.
std::int64_t inseparable_loss(const Cells& cells, std::span<const std::int32_t> members,
                              const LeafLoss& loss);

}  // namespace rulewright
