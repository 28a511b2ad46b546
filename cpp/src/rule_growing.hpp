// A rule grown test by test, each with the highest gain on the rows that are still covered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "extensions.hpp"

namespace rulewright {

enum class Relation : std::int32_t { at_most = 0, above = 1, is = 2 };

// A test of a column against one of its values, by number; false where the value is missing.
struct ColumnTest {
    std::int32_t column;
    Relation relation;
    std::int32_t code;

    bool holds(std::int32_t value) const noexcept {
        switch (relation) {  // as an unsigned number, a missing value (-1) is above all others
            case Relation::at_most:
                return static_cast<std::uint32_t>(value) <= static_cast<std::uint32_t>(code);
            case Relation::above:
                return value > code;
            default:
                return value == code;
        }
    }
};

// The gain of a test: FOIL's information gain (Quinlan 1990), or the decrease of boosting's weight
// by a rule that is certain of the covered rows (Cohen & Singer 1999, equation 6).
enum class Gain { foil, boosting };

// Training rows of rules: rows in increasing order, the rows of the class among all rows, and the
// weights of all rows, empty if each counts once.
struct RuleTrainingRows {
    std::span<const std::int32_t> rows;
    std::span<const std::uint8_t> own;
    std::span<const double> weight;
};

struct RuleGrowthOptions {
    Gain gain;
    double min_weight;      // minimum weight that a rule covers
    std::size_t max_tests;  // maximum number of tests of a rule
};

inline constexpr std::uint8_t at_most_bit = 1, above_bit = 2;

// A column of numbers in at most 255 bins in their order; rows without a value are in the last
// of 256. `begin` has the first value of each bin, and the number of values at the end.
struct BinnedColumn {
    std::vector<std::uint8_t> bin;  // one per row
    std::vector<std::int32_t> begin;

    std::size_t bins() const noexcept { return begin.size() - 1; }
};

// Puts as nearly equal numbers of rows in every bin as the values allow.
BinnedColumn bin_values(const CodedColumn& x);

// Columns that rules may test, by value, and columns of numbers also by bin.
struct GrowingColumns {
    std::span<const CodedColumn> coded;
    std::span<const BinnedColumn> binned;
    std::span<const std::uint8_t> numeric;  // columns tested by the order of their values
    // Tests that a column allows: 0 none; of numbers, `at_most_bit` and `above_bit`.
    std::span<const std::uint8_t> allowed;
};

// Grows a rule from its first tests, until it covers no row of other classes or no test has a
// positive gain; returns all its tests. Ties go to the first column, then relation, then value.
std::vector<ColumnTest> grow_rule(const GrowingColumns& columns, const RuleTrainingRows& training,
                                  std::span<const ColumnTest> first,
                                  const RuleGrowthOptions& options, std::size_t threads);

}  // namespace rulewright
