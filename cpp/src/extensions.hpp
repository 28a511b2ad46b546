// Weights of the values of columns in a set of rows: for every test that could be added to a rule,
// the weight that it would keep of the class and of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// A column as numbers of its values, in order; -1 where missing. With few values, `bits` has a line
// of bits for missing and one for each value, over all rows.
struct CodedColumn {
    std::span<const std::int32_t> code;
    std::size_t values;
    std::span<const std::uint64_t> bits;
};

// A set of rows and the rows of the class, as bits; `weight` is empty if every row counts once.
struct Covered {
    std::span<const std::uint64_t> rows;
    std::span<const std::uint64_t> own;
    std::span<const double> weight;
};

// A value of a column and the weight of its rows in the set: of the class, and of the others.
struct ValueTally {
    std::int32_t column;
    std::int32_t code;
    double own;
    double other;
};

// The values of the rows in the set, by column and then by value, missing first.
std::vector<ValueTally> tally_values(std::span<const CodedColumn> columns, const Covered& covered,
                                     std::size_t threads);

}  // namespace rulewright
