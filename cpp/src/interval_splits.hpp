// The best interval of a sorted column, inside against outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "measures.hpp"

namespace rulewright {

struct IntervalSplit {
    double gain = -std::numeric_limits<double>::infinity();
    std::size_t first = 0;  // entries
    std::size_t last = 0;

    bool found() const noexcept { return gain > -std::numeric_limits<double>::infinity(); }
};

// `inside` and `outside` are the sums of the missing values on each side.
IntervalSplit best_interval(const Measure& measure, const Members& members,
                            std::span<const std::uint32_t> entries, const double* inside,
                            const double* outside, const SplitConstraints& constraints);

}  // namespace rulewright
