#include "intervals.hpp"

#include <vector>

#include "interruption.hpp"
#include "parallel.hpp"
#include "sums.hpp"

namespace rulewright {
namespace {

// The heaviest run of consecutive values so far. The first of equals has the lowest low end, since
// the best start only moves up, and then the lowest high end.
class Run {
public:
    // `before` and `after` are the sums of all values before the new one, and up to it. `row` is
    // the first row with the new value that may be an end; negative if there is none.
    void extend(Sums before, Sums after, std::int32_t row) noexcept {
        if (row < 0) return;
        if (begin_ < 0 || before < before_begin_) {
            begin_ = row;
            before_begin_ = before;
        }
        const Sums sums = after - before_begin_;
        if (low >= 0 && sums <= heaviest) return;
        heaviest = sums;
        low = begin_;
        high = row;
    }

    Sums heaviest;
    std::int32_t low = -1;  // -1: no row may be an end
    std::int32_t high = -1;

private:
    Sums before_begin_;
    std::int32_t begin_ = -1;
};

bool may_end(std::span<const std::uint8_t> ends, std::int32_t row) noexcept {
    return ends.empty() || ends[static_cast<std::size_t>(row)] != 0;
}

HeaviestInterval found(const Run& run, Sums sums, std::size_t column, bool inside) noexcept {
    const auto number = run.low < 0 ? -1 : static_cast<std::int64_t>(column);
    return {sums.total, sums.positive, number, run.low, run.high, inside};
}

// The documented order, without the ends: a run is already the first of its column and side.
bool ahead(const HeaviestInterval& a, const HeaviestInterval& b, bool prefers_outside) noexcept {
    if (a.column < 0 || b.column < 0) return a.column >= 0;
    if (a.total != b.total) return a.total > b.total;
    if (a.gathered != b.gathered) return a.gathered > b.gathered;
    if (a.column != b.column) return a.column < b.column;
    return a.inside != prefers_outside;
}

HeaviestInterval heaviest_of_column(std::size_t number, const SortedColumn& column,
                                    const IntervalQuery& query, Sums everything) noexcept {
    Run inside;
    Run outside;  // the excluded run: the lightest is the heaviest of the negated weights
    Sums before;
    for (std::size_t i = 0; i < column.order.size();) {
        Sums after = before;
        std::int32_t inside_row = -1;
        std::int32_t outside_row = -1;
        for (bool last = false; !last && i < column.order.size(); ++i) {
            const std::int32_t row = column.order[i];
            after.add(query.weight[static_cast<std::size_t>(row)]);
            if (inside_row < 0 && may_end(query.inside_end, row)) inside_row = row;
            if (outside_row < 0 && may_end(query.outside_end, row)) outside_row = row;
            last = column.last[i];
        }
        inside.extend(before, after, inside_row);
        outside.extend(-before, -after, outside_row);
        before = after;
    }
    const Sums missing = query.gathers_missing ? everything - before : Sums{};
    const auto within = found(inside, inside.heaviest + missing, number, true);
    const auto without = found(outside, before + outside.heaviest + missing, number, false);
    return ahead(within, without, query.prefers_outside) ? within : without;
}

}  // namespace

void mark_last(Column x, std::span<const std::int32_t> order, std::span<bool> last) noexcept {
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto row = static_cast<std::size_t>(order[i]);
        last[i] = i + 1 == order.size() || x[row] != x[static_cast<std::size_t>(order[i + 1])];
    }
}

HeaviestInterval heaviest_interval(std::span<const SortedColumn> columns,
                                   const IntervalQuery& query) {
    Sums everything;
    for (const auto w : query.weight) everything.add(w);
    std::vector<HeaviestInterval> winners(columns.size());
    for_each_task(columns.size(), query.threads, [&](std::size_t j) {
        checkpoint(columns[j].order.size());
        winners[j] = heaviest_of_column(j, columns[j], query, everything);
    });
    HeaviestInterval winner;
    for (const auto& candidate : winners) {
        if (ahead(candidate, winner, query.prefers_outside)) winner = candidate;
    }
    return winner;
}

}  // namespace rulewright
