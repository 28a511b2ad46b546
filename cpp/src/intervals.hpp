// The heaviest interval: given a signed weight for every row, which {a <= x <= b}, or which
// {x < a or x > b}, over all columns, a and b values that occur in training, gathers the most?
//
// One pass over the order of each column, which is made once: the largest sum of consecutive terms
// (Kadane), a term being what the rows of one value weigh. Exact, and the same for any number of
// threads: weights are integers. Ties are broken by, in this order: more positive weight gathered,
// the lower column, the preferred side, the lower a, the lower b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// The present rows by increasing value, equal values by row, and which are the last of their value.
struct SortedColumn {
    std::span<const std::int32_t> order;
    std::span<const bool> last;
};

// Fill `last` for an order that sort_rows made.
void mark_last(Column x, std::span<const std::int32_t> order, std::span<bool> last) noexcept;

struct HeaviestInterval {
    std::int64_t total = 0;     // weight gathered
    std::int64_t gathered = 0;  // its positive part
    std::int64_t column = -1;   // -1: there is no interval
    std::int32_t low = -1;      // the first row that has the value a and may give it
    std::int32_t high = -1;
    bool inside = false;  // {a <= x <= b} rather than {x < a or x > b}
};

struct IntervalQuery {
    std::span<const std::int64_t> weight;  // the sum of absolute values fits in 62 bits
    // Rows that may give the ends of what is gathered inside, and outside; empty where all may.
    std::span<const std::uint8_t> inside_end;
    std::span<const std::uint8_t> outside_end;
    bool gathers_missing = false;  // rows where x is missing belong to either side
    bool prefers_outside = false;  // on ties outside comes before inside
    std::size_t threads = 1;
};

HeaviestInterval heaviest_interval(std::span<const SortedColumn> columns,
                                   const IntervalQuery& query);

}  // namespace rulewright
