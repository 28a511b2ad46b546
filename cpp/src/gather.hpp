// Values of columns at some rows.
#pragma once

#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// Fills one line of `out` per column with its values at the rows, in their order.
void gather(std::span<const Column> columns, std::span<const std::int64_t> rows,
            std::span<double> out) noexcept;

}  // namespace rulewright
