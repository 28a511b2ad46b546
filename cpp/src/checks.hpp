// What arrays hold, found in one pass: whoever calls a kernel checks its arguments with these.
#pragma once

#include <cstdint>
#include <span>

namespace rulewright {

// The absolute weights must sum to less, so that no sum of weights can overflow.
inline constexpr std::int64_t max_weight = std::int64_t{1} << 62;

struct Extremes {
    std::int32_t least;
    std::int32_t most;
};

// Of at least one number.
Extremes extremes_of(std::span<const std::int32_t> numbers) noexcept;

bool are_marks(std::span<const std::uint8_t> marks) noexcept;  // 0 or 1
bool are_finite(std::span<const double> numbers) noexcept;

// Whether the absolute weights sum to less than `max_weight`.
bool are_light(std::span<const std::int64_t> weights) noexcept;

// Whether weights are finite and not negative, and so is their sum.
bool are_weights(std::span<const double> weights) noexcept;

// Whether every number from 0 on occurs once.
bool is_permutation(std::span<const std::int32_t> numbers);

}  // namespace rulewright
