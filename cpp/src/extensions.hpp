// What the values of columns hold of a set of rows: what every test that could be added to a rule
// would keep of what the rule covers, of its class and of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// A column as numbers of its values, in order; -1 where missing. Where there are few values, `bits`
// has a line of bits for missing and one for each value, over all rows.
struct CodedColumn {
    std::span<const std::int32_t> code;
    std::size_t values;
    std::span<const std::uint64_t> bits;
};

// A set of rows and the rows of the class, as bits; `weight` is empty where every row counts once.
struct Covered {
    std::span<const std::uint64_t> rows;
    std::span<const std::uint64_t> own;
    std::span<const double> weight;
};

// A value of a column and the weight of the rows in the set that have it: of the class, of others.
struct Slot {
    std::int32_t column;
    std::int32_t code;
    double own;
    double other;
};

// The values that rows of the set have, by column and then by value, missing first.
std::vector<Slot> tally_values(std::span<const CodedColumn> columns, const Covered& covered,
                               std::size_t threads);

}  // namespace rulewright
