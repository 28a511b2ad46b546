// Checks of the values of arrays, in one pass; callers of kernels check arguments with them.
#pragma once

#include <cstdint>
#include <span>

namespace rulewright {

// Upper limit of the sum of absolute weights, so that no sum of weights can overflow.
inline constexpr std::int64_t max_weight = std::int64_t{1} << 62;

struct Extremes {
    std::int32_t smallest;
    std::int32_t largest;
};

// Of at least one number.
Extremes extremes_of(std::span<const std::int32_t> numbers) noexcept;

bool are_marks(std::span<const std::uint8_t> marks) noexcept;  // 0 or 1
bool are_finite(std::span<const double> numbers) noexcept;

// Whether the absolute weights sum to less than `max_weight`.
bool have_safe_sum(std::span<const std::int64_t> weights) noexcept;

// Whether the weights and their sum are finite and not negative.
bool are_weights(std::span<const double> weights) noexcept;

// Whether every number from 0 occurs exactly once.
bool is_permutation(std::span<const std::int32_t> numbers);

}  // namespace rulewright
