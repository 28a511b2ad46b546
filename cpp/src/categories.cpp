#include "categories.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rulewright {

void weigh_categories(std::span<const std::int32_t> code, std::span<const std::int64_t> weight,
                      std::span<std::int64_t> positive, std::span<std::int64_t> negative) noexcept {
    std::fill(positive.begin(), positive.end(), 0);
    std::fill(negative.begin(), negative.end(), 0);
    for (std::size_t row = 0; row < code.size(); ++row) {
        if (code[row] < 0) continue;
        const auto c = static_cast<std::size_t>(code[row]);
        (weight[row] < 0 ? negative : positive)[c] += weight[row];
    }
}

void count_codes(std::span<const std::int32_t> code, std::span<std::int64_t> count) {
    // Several counters of each code: a row need not wait for the sum of the row before.
    constexpr std::size_t counters = 4;
    const std::size_t size = count.size() + 1;  // the first is that of missing values
    std::vector<std::int64_t> found(counters * size);
    for (std::size_t row = 0; row < code.size(); ++row) {
        ++found[row % counters * size + static_cast<std::size_t>(code[row] + 1)];
    }
    std::ranges::fill(count, std::int64_t{0});
    for (std::size_t k = 0; k < counters; ++k) {
        for (std::size_t c = 0; c < count.size(); ++c) count[c] += found[k * size + c + 1];
    }
}

void sum_by_code(std::span<const std::int32_t> code, std::span<const double> weight,
                 std::span<double> sum) noexcept {
    std::ranges::fill(sum, 0.0);
    for (std::size_t row = 0; row < code.size(); ++row) {
        if (code[row] >= 0) sum[static_cast<std::size_t>(code[row])] += weight[row];
    }
}

}  // namespace rulewright
