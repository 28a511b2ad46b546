#include "categories.hpp"

#include <algorithm>
#include <cstddef>

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

}  // namespace rulewright
