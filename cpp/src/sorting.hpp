// Rows sorted by the value of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// Fills `order` with the rows whose value is present, by increasing value, equal values by row, and
// sets the bits of `mark` on each row whose value equals that of the row before it. Returns their
// number.
std::size_t sort_rows(Column x, std::span<std::uint32_t> order, std::uint32_t mark);

}  // namespace rulewright
