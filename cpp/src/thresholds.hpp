// The heaviest threshold: given a signed weight for every row, the {x <= t} or {x > t} over all
// columns with the largest total weight; t is a value of a training row.
//
// Exact, and the same for any number of threads: weights are integers, so sums do not depend on
// their order. Ties are broken by, in this order: larger positive weight, the lower column, the
// preferred direction, the lower cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bins.hpp"
#include "column.hpp"

namespace rulewright {

struct HeaviestThreshold {
    std::int64_t total = 0;     // total weight
    std::int64_t gathered = 0;  // sum of the positive weights
    std::int64_t column = -1;   // -1: no column has a present value
    double cut = 0.0;
    bool above = false;  // {x > cut} rather than {x <= cut}
};

struct ThresholdQuery {
    std::span<const std::int64_t> weight;  // the sum of absolute values fits in 62 bits
    bool gathers_missing = false;          // rows where x is missing count on both sides
    bool prefers_above = false;            // on ties {x > t} comes before {x <= t}
    std::size_t threads = 1;
};

HeaviestThreshold heaviest_threshold(std::span<const Column> columns, std::span<const Bins> bins,
                                     const ThresholdQuery& query);

}  // namespace rulewright
