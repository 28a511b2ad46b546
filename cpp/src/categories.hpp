// Weights of the categories of a column: the positive and the negative weight of their rows.
#pragma once

#include <cstdint>
#include <span>

namespace rulewright {

// `code` is a category's number, or negative where the value is missing.
void weigh_categories(std::span<const std::int32_t> code, std::span<const std::int64_t> weight,
                      std::span<std::int64_t> positive, std::span<std::int64_t> negative) noexcept;

}  // namespace rulewright
