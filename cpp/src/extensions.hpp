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

// Relations of a term to the value of a row, in the order of terms.
enum class TermKind : std::size_t { at_most, above, is, is_not, missing, present };
inline constexpr std::size_t term_kinds = 6;

// Which columns are cut and which have terms of single values; and which relations of each column
// are allowed, one line of six marks each. With `boundaries`, cuts are left out that keep no more
// of the class, or no fewer of the others, than a neighbour.
struct TermQuery {
    std::span<const std::uint8_t> cut;
    std::span<const std::uint8_t> single;
    std::span<const std::uint8_t> allowed;
    bool boundaries;
};

// Terms with the weights that they keep of the class, which are above 0, and of the others.
struct TermTallies {
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> relation;
    std::vector<std::int32_t> code;
    std::vector<double> own;
    std::vector<double> other;
};

// The terms of the rows in the set, by relation, then by column, then by value. Weights up to a
// value are differences of sums over all columns before it, in this order: where these sums are not
// exact, they are still the same for any number of threads.
TermTallies tally_terms(std::span<const CodedColumn> columns, const Covered& covered,
                        const TermQuery& query, std::size_t threads);

}  // namespace rulewright
