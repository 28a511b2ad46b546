// A rule grown test by test, each the one that gains most on the rows that are still covered.
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
        switch (relation) {  // a missing value is -1, as an unsigned number above all others
            case Relation::at_most:
                return static_cast<std::uint32_t>(value) <= static_cast<std::uint32_t>(code);
            case Relation::above:
                return value > code;
            default:
                return value == code;
        }
    }
};

// What a test gains: FOIL's information (Quinlan 1990), or the fall of boosting's weight by a rule
// that is sure of what it covers (Cohen & Singer 1999, equation 6).
enum class Gain { foil, boosting };

// What rules are grown from: rows in increasing order; which rows of all
// are of the class, and what all rows weigh, empty where each counts once.
struct Field {
    std::span<const std::int32_t> rows;
    std::span<const std::uint8_t> own;
    std::span<const double> weight;
};

struct Growth {
    Gain gain;
    double least;      // weight that a rule must cover
    std::size_t most;  // tests that a rule may have
};

// A column of numbers in at most 255 bins that respect their order; rows without a value are in the
// last of 256. `begin` has the first value of each bin, and their count at the end.
struct BinnedColumn {
    std::vector<std::uint8_t> bin;  // one a row
    std::vector<std::int32_t> begin;

    std::size_t bins() const noexcept { return begin.size() - 1; }
};

// Puts as equally many rows in every bin as the values allow.
BinnedColumn bin_values(const CodedColumn& x);

// What rules are asked about: columns by value, and those of numbers by bin too.
struct GrowingColumns {
    std::span<const CodedColumn> coded;
    std::span<const BinnedColumn> binned;
    std::span<const std::uint8_t> numeric;  // asked for the order of their values
    std::span<const std::uint8_t> asked;    // asked at all
};

// Grows a rule from the tests it begins with, until it covers nothing of the other classes or no
// test gains anything; gives all its tests. Of equal gains the first wins, by column, relation and
// value.
std::vector<ColumnTest> grow_rule(const GrowingColumns& columns, const Field& field,
                                  std::span<const ColumnTest> first, const Growth& growth,
                                  std::size_t threads);

// Says of each row which test is the first that fails; their count where none does.
void first_failing(std::span<const CodedColumn> columns, std::span<const ColumnTest> tests,
                   std::span<const std::int32_t> rows, std::span<std::int32_t> depth);

}  // namespace rulewright
