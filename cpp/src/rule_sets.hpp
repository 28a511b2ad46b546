// Rule sets of one class: the examples that rules cover, and the deletion of superfluous rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// The number of marked rows among some.
std::size_t count_marked(std::span<const std::int32_t> rows, std::span<const std::uint8_t> marks);

// The rows that are covered exactly `wanted` times, in their order.
std::vector<std::int32_t> rows_covered(std::span<const std::int32_t> rows,
                                       std::span<const std::int16_t> times, std::int16_t wanted);

struct PartedRows {
    std::vector<std::int32_t> kept;
    std::vector<std::int32_t> aside;
};

// The number of the row that is set aside in each group of `parts` rows, which are all of the class
// or all of the others.
struct GroupDraws {
    std::span<const std::int64_t> own;
    std::span<const std::int64_t> other;
    std::int64_t parts;
};

// Sets one row of every group aside; both parts keep the order of the rows.
PartedRows part_rows(std::span<const std::int32_t> rows, std::span<const std::uint8_t> own,
                     const GroupDraws& draws);

// A rule: the rows that it covers, its number, and the bits of its tests.
struct CoveringRule {
    std::span<const std::int32_t> rows;
    std::int32_t number;
    double bits;
};

// The rows of the class, the weights of rows, empty if each counts once, and their sums.
struct ClassRows {
    std::span<const std::uint8_t> own;
    std::span<const double> weight;
    double own_weight;
    double other_weight;
};

// For every row, the number of rules that cover it and the sum of their numbers; for every number,
// the weights that its rule covers alone; and the weights that any rule covers. Weights come in
// pairs: of the class, and of the others.
struct RuleSetCounts {
    std::span<std::int16_t> times;
    std::span<std::int32_t> sum;
    std::span<double> alone;
    std::span<double> covered;
};

// Deletes the rules without which the description is shorter by more than `rounding` bits, from the
// last to the first, and returns their places in this order. With `only_weights`, `times` and `sum`
// are left as they were.
std::vector<std::size_t> delete_rules(std::span<const CoveringRule> rules, const ClassRows& rows,
                                      const RuleSetCounts& counts, double rounding,
                                      bool only_weights);

}  // namespace rulewright
