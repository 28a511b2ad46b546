// Ranks of the values of a column among its different ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

inline constexpr std::size_t max_ranked_values = 1 << 15;

// Fills `ranks` and returns the number of different values, or 0 if there are more than
// `max_ranked_values`. Missing values are equal and come last; so are the zeros of both signs.
std::size_t dense_ranks(Column x, std::span<std::int64_t> ranks);

}  // namespace rulewright
