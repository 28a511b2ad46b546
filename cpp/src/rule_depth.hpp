// The tests of a rule that rows pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rule_growing.hpp"

namespace rulewright {

// Columns by value, and the same columns by bin, or none: many rows are tested faster by bin.
struct TestedColumns {
    std::span<const CodedColumn> coded;
    std::span<const BinnedColumn> binned;
};

// Writes the number of the first test that fails on each row; the number of tests if none fails.
void first_failing(const TestedColumns& columns, std::span<const ColumnTest> tests,
                   std::span<const std::int32_t> rows, std::span<std::int32_t> depth);

// The rows that pass all tests, in their order.
std::vector<std::int32_t> passing_rows(const TestedColumns& columns,
                                       std::span<const ColumnTest> tests,
                                       std::span<const std::int32_t> rows);

}  // namespace rulewright
