#include "checks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "clones.hpp"

namespace rulewright {

RULEWRIGHT_CLONES Extremes extremes_of(std::span<const std::int32_t> numbers) noexcept {
    std::int32_t smallest = numbers.front();
    std::int32_t largest = smallest;
#pragma omp simd reduction(min : smallest) reduction(max : largest)
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        smallest = std::min(smallest, numbers[i]);
        largest = std::max(largest, numbers[i]);
    }
    return {smallest, largest};
}

RULEWRIGHT_CLONES bool are_marks(std::span<const std::uint8_t> marks) noexcept {
    std::uint8_t all = 0;
    for (const auto mark : marks) all |= mark;
    return all <= 1;
}

RULEWRIGHT_CLONES bool are_finite(std::span<const double> numbers) noexcept {
    double odd = 0.0;  // a number that is not finite minus itself is NaN
#pragma omp simd reduction(+ : odd)
    for (std::size_t i = 0; i < numbers.size(); ++i) odd += numbers[i] - numbers[i];
    return odd == 0.0;
}

// The upper and the lower halves are summed separately, so neither sum can overflow.
RULEWRIGHT_CLONES bool have_safe_sum(std::span<const std::int64_t> weights) noexcept {
    std::uint64_t upper = 0, lower = 0;
    for (const auto weight : weights) {
        const auto bits = static_cast<std::uint64_t>(weight);
        const std::uint64_t absolute = weight < 0 ? std::uint64_t{0} - bits : bits;
        upper += absolute >> 32;
        lower += absolute & 0xFFFFFFFFU;
    }
    return upper + (lower >> 32) < static_cast<std::uint64_t>(max_weight) >> 32;
}

RULEWRIGHT_CLONES bool are_weights(std::span<const double> weights) noexcept {
    double sum = 0.0, smallest = 0.0;
#pragma omp simd reduction(+ : sum) reduction(min : smallest)
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        smallest = weights[i] < smallest ? weights[i] : smallest;
    }
    return smallest >= 0.0 && sum <= std::numeric_limits<double>::max();  // false for NaN
}

bool is_permutation(std::span<const std::int32_t> numbers) {
    std::vector<bool> seen(numbers.size(), false);
    for (const auto number : numbers) {
        const auto i = static_cast<std::size_t>(number);
        if (number < 0 || i >= seen.size() || seen[i]) return false;
        seen[i] = true;
    }
    return true;
}

}  // namespace rulewright
