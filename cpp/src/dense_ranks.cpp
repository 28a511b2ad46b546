#include "dense_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr std::size_t slots = 4 * max_ranked_values;  // a power of 2
constexpr std::int32_t nobody = -1;

std::size_t slot_of(double v) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);  // -0.0 is 0.0
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> 32) & (slots - 1);
}

// Different values, numbered in the order of their first occurrence.
class ValueNumbers {
public:
    // The number of a value; `nobody` if it is new and there are too many.
    std::int32_t number(double v) {
        for (std::size_t slot = slot_of(v);; slot = (slot + 1) & (slots - 1)) {
            const std::int32_t found = table_[slot];
            if (found == nobody) {
                if (values_.size() == max_ranked_values) return nobody;
                values_.push_back(v);
                return table_[slot] = static_cast<std::int32_t>(values_.size() - 1);
            }
            if (values_[static_cast<std::size_t>(found)] == v) return found;
        }
    }

    const std::vector<double>& values() const noexcept { return values_; }

private:
    std::vector<std::int32_t> table_ = std::vector<std::int32_t>(slots, nobody);
    std::vector<double> values_;
};

}  // namespace

std::size_t dense_ranks(Column x, std::span<std::int64_t> ranks) {
    ValueNumbers numbers;
    bool missing = false;
    constexpr std::size_t stretch = 1 << 16;
    for (std::size_t row = 0; row < ranks.size(); ++row) {
        if (row % stretch == 0) checkpoint(stretch);
        const double v = x[row];
        if (std::isnan(v)) {
            ranks[row] = nobody;
            missing = true;
            continue;
        }
        const std::int32_t number = numbers.number(v);
        if (number == nobody) return 0;
        ranks[row] = number;
    }
    const auto& values = numbers.values();
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<std::int64_t> rank(values.size() + 1);
    for (std::size_t k = 0; k < order.size(); ++k) {
        rank[order[k] + 1] = static_cast<std::int64_t>(k);
    }
    rank[0] = static_cast<std::int64_t>(values.size());  // of missing values
    for (std::int64_t& found : ranks) found = rank[static_cast<std::size_t>(found + 1)];
    return values.size() + (missing ? 1 : 0);
}

}  // namespace rulewright
