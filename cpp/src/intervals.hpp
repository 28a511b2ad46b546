// The heaviest interval: given a signed weight for every row, the {a <= x <= b} or {x < a or x > b}
// over all columns with the largest total weight; a and b are values of training rows.
//
// One pass over the order of each column, which is sorted once: the largest sum of consecutive
// terms (Kadane), where a term is the weight of the rows of one value. Exact, and the same for any
// number of threads: weights are integers. Ties are broken by, in this order: larger positive
// weight, the lower column, the preferred side, the lower a, the lower b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// The present rows by increasing value, equal values by row, and marks of the last of each value.
struct SortedColumn {
    std::span<const std::int32_t> order;
    std::span<const bool> last;
};

// Fills `last` for an order of sort_rows.
void mark_last(Column x, std::span<const std::int32_t> order, std::span<bool> last) noexcept;

struct HeaviestInterval {
    std::int64_t total = 0;     // total weight
    std::int64_t gathered = 0;  // sum of the positive weights
    std::int64_t column = -1;   // -1: there is no interval
    std::int32_t low = -1;      // the first permitted row that has the value a
    std::int32_t high = -1;
    bool inside = false;  // {a <= x <= b} rather than {x < a or x > b}
};

struct IntervalQuery {
    std::span<const std::int64_t> weight;  // the sum of absolute values fits in 62 bits
    // Rows that may be ends of an interval that counts inside, and outside; empty if all may.
    std::span<const std::uint8_t> inside_end;
    std::span<const std::uint8_t> outside_end;
    bool gathers_missing = false;  // rows where x is missing count on both sides
    bool prefers_outside = false;  // on ties, outside comes before inside
    std::size_t threads = 1;
};

HeaviestInterval heaviest_interval(std::span<const SortedColumn> columns,
                                   const IntervalQuery& query);

}  // namespace rulewright
