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
        switch (relation) {
            case Relation::at_most:
                return value >= 0 && value <= code;
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

// What rules are grown from: rows, any number of times each, in increasing order; which rows of all
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

// Grows a rule from the tests it begins with, until it covers nothing of the other classes or no
// test gains anything; gives all its tests. `numeric` says which columns are asked for the order of
// their values, `asked` which are asked at all. Of equal gains the first wins, by column, relation
// and value.
std::vector<ColumnTest> grow_rule(std::span<const CodedColumn> columns,
                                  std::span<const std::uint8_t> numeric,
                                  std::span<const std::uint8_t> asked, const Field& field,
                                  std::span<const ColumnTest> first, const Growth& growth,
                                  std::size_t threads);

// Says of each row which test is the first that fails; their count where none does.
void first_failing(std::span<const CodedColumn> columns, std::span<const ColumnTest> tests,
                   std::span<const std::int32_t> rows, std::span<std::int32_t> depth);

}  // namespace rulewright
