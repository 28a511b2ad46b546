// Class weights at or below every distinct value of a column, from an order made once per fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

struct TallyOut {
    std::span<std::int32_t> row;  // the lowest row that has the value
    std::span<double> weight;     // `classes` weights per value, in rows
};

// For each distinct present value: a row that has it, and the weight of each class at or below it.
// Returns the number of distinct values.
std::size_t tally_cuts(Column x, std::span<const std::int32_t> order,
                       std::span<const std::int32_t> label, std::span<const double> weight,
                       std::size_t classes, TallyOut out) noexcept;

}  // namespace rulewright
