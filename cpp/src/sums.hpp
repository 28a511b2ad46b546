// Sums of weights.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace rulewright {

// Total weight, and its positive part, which breaks ties: they are added and compared like one
// number.
struct Sums {
    std::int64_t total = 0;
    std::int64_t positive = 0;

    auto operator<=>(const Sums&) const noexcept = default;

    void add(std::int64_t weight) noexcept {
        total += weight;
        positive += std::max<std::int64_t>(weight, 0);
    }
};

inline Sums operator+(Sums a, Sums b) noexcept {
    return {a.total + b.total, a.positive + b.positive};
}
inline Sums operator-(Sums a, Sums b) noexcept {
    return {a.total - b.total, a.positive - b.positive};
}
inline Sums operator-(Sums a) noexcept { return Sums{} - a; }

}  // namespace rulewright
