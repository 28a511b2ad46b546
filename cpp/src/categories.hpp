// Rows and weights of the categories of a column.
#pragma once

#include <cstdint>
#include <span>

namespace rulewright {

// The positive and the negative weight of the rows of each category. `code` is a category's number,
// or negative where the value is missing.
void weigh_categories(std::span<const std::int32_t> code, std::span<const std::int64_t> weight,
                      std::span<std::int64_t> positive, std::span<std::int64_t> negative) noexcept;

// The number of rows of each code; -1 is the code of missing values, which are not counted.
void count_codes(std::span<const std::int32_t> code, std::span<std::int64_t> count);

// The weight of the rows of each code, added in the order of the rows.
void sum_by_code(std::span<const std::int32_t> code, std::span<const double> weight,
                 std::span<double> sum) noexcept;

}  // namespace rulewright
