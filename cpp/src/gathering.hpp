// Columns at some rows, side by side.
#pragma once

#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// Fill a line of `out` for each column with its values at the rows, in their order.
void gather(std::span<const Column> columns, std::span<const std::int64_t> rows,
            std::span<double> out) noexcept;

}  // namespace rulewright
