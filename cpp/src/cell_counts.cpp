#include "cell_counts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "clones.hpp"
#include "interruption.hpp"

namespace rulewright {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t block = 2048;           // rows that are looked at together
constexpr std::size_t min_waiting = 1 << 20;  // rows before equal values are joined

CountedRows part_of(const CountedRows& rows, std::size_t start, std::size_t count) noexcept {
    return {rows.value.subspan(start, count),
            rows.node.empty() ? rows.node : rows.node.subspan(start, count),
            rows.label.subspan(start, count)};
}

// No value is in this cell. Its bins are computed as those of others are, without a branch that
// would often be predicted wrongly.
constexpr Cell no_cell = {std::numeric_limits<double>::lowest(), -infinity, 1.0};

// Place of the bin of a value, from `start` on, or 0 if it is not in the cell.
RULEWRIGHT_INLINE std::int32_t place_in(const Cell& cell, std::int32_t start, std::int32_t bins,
                                        double value) noexcept {
    const bool inside = (value >= cell.low) & (value <= cell.high);
    const double scaled = (value - cell.low) * cell.scale;
    const auto last = static_cast<double>(bins - 1);
    const double bin = std::max(0.0, std::min(scaled, last));  // 0 if it is no number
    return (start + static_cast<std::int32_t>(bin)) & -static_cast<std::int32_t>(inside);
}

RULEWRIGHT_CLONES void places_in(Cell cell, std::int32_t bins, std::span<const double> value,
                                 std::span<std::int32_t> place) noexcept {
    for (std::size_t row = 0; row < place.size(); ++row) {
        place[row] = place_in(cell, 1, bins, value[row]);
    }
}

}  // namespace

CellTable::CellTable(const NodeCells& cells) : cells_{{infinity, -infinity, 0.0}}, nodes_{{0, 1}} {
    for (std::size_t i = 0; i < cells.low.size(); ++i) {
        cells_.push_back({cells.low[i], cells.high[i], cells.scale[i]});
    }
    for (std::size_t node = 0; node + 1 < cells.first.size(); ++node) {
        const auto from = static_cast<std::size_t>(cells.first[node]);
        const std::size_t count = static_cast<std::size_t>(cells.first[node + 1]) - from;
        nodes_.push_back(count == 0 ? Run{0, 1} : Run{from + 1, count});
        single_ &= count <= 1;
    }
}

std::size_t CellTable::find(std::int32_t node, double value) const noexcept {
    auto [from, count] = nodes_[static_cast<std::size_t>(node + 1)];
    // The last cell that does not begin above the value, without branches.
    while (count > 1) {
        const std::size_t half = count / 2;
        from += cells_[from + half].low <= value ? half : 0;
        count -= half;
    }
    return from;
}

BinCounter::BinCounter(const NodeCells& cells, std::size_t bins, std::size_t classes)
    : cells_(cells),
      bins_(bins),
      classes_(classes),
      record_(cells_.count() * bins * (classes + 2), 0.0) {
    for (std::size_t i = 0; i < record_.size(); i += classes_ + 2) {
        record_[i] = infinity;
        record_[i + 1] = -infinity;
    }
}

// Places of the bins of rows, counted from 1; 0 is no cell.
void BinCounter::find_places(const CountedRows& rows,
                             std::span<std::int32_t> place) const noexcept {
    const auto bins = static_cast<std::int32_t>(bins_);
    if (rows.node.empty() && cells_.are_single()) {
        places_in(cells_[cells_.first_of(0)], bins, rows.value, place);
        return;
    }
    for (std::size_t row = 0; row < place.size(); ++row) {
        const std::int32_t node = rows.node.empty() ? 0 : rows.node[row];
        const std::size_t cell =
            cells_.are_single() ? cells_.first_of(node) : cells_.find(node, rows.value[row]);
        const std::int32_t start = 1 + (static_cast<std::int32_t>(cell) - 1) * bins;
        place[row] = place_in(cells_[cell], start, bins, rows.value[row]);
    }
}

void BinCounter::add(const CountedRows& rows) {
    std::array<std::int32_t, block> places{};
    std::array<std::uint16_t, block> counted{};
    for (std::size_t start = 0; start < rows.value.size(); start += block) {
        const std::size_t count = std::min(block, rows.value.size() - start);
        checkpoint(count);
        find_places(part_of(rows, start, count), {places.data(), count});
        std::size_t found = 0;
        for (std::size_t row = 0; row < count; ++row) {
            counted[found] = static_cast<std::uint16_t>(row);
            found += places[row] != 0;
        }
        for (std::size_t i = 0; i < found; ++i) {
            const std::size_t row = start + counted[i];
            const auto place = static_cast<std::size_t>(places[counted[i]] - 1);
            double* const record = &record_[place * (classes_ + 2)];
            const double value = rows.value[row] + 0.0;  // -0.0 becomes 0.0
            // Branches that are seldom taken are faster than stores that later loads wait for.
            if (value < record[0]) record[0] = value;
            if (value > record[1]) record[1] = value;
            record[2 + static_cast<std::size_t>(rows.label[row])] += 1.0;
        }
    }
}

CountedGroups BinCounter::groups() const {
    CountedGroups found;
    for (std::size_t place = 0; place < cells_.count() * bins_; ++place) {
        const double* const record = &record_[place * (classes_ + 2)];
        if (record[0] > record[1]) continue;
        found.place.push_back(static_cast<std::int64_t>(place));
        found.low.push_back(record[0]);
        found.high.push_back(record[1]);
        for (std::size_t c = 0; c < classes_; ++c) {
            found.counts.push_back(static_cast<std::int64_t>(record[2 + c]));
        }
    }
    return found;
}

ValueCounter::ValueCounter(const NodeCells& cells, std::size_t classes)
    : cells_(cells), classes_(classes) {}

void ValueCounter::add(const CountedRows& rows) {
    for (std::size_t row = 0; row < rows.value.size(); ++row) {
        checkpoint(1);
        const double value = rows.value[row] + 0.0;  // -0.0 becomes 0.0
        const std::size_t cell = cells_.find(rows.node.empty() ? 0 : rows.node[row], value);
        if (value >= cells_[cell].low && value <= cells_[cell].high) {
            waiting_.push_back({value, static_cast<std::int32_t>(cell) - 1, rows.label[row]});
        }
    }
    if (waiting_.size() >= std::max(min_waiting, joined_.place.size())) join();
}

void ValueCounter::join() {
    std::sort(waiting_.begin(), waiting_.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.cell, a.value) < std::tie(b.cell, b.value);
    });
    CountedGroups found;
    // Counts of a cell and value, which are new or the last ones.
    const auto counts_of = [&](std::int64_t cell, double value) {
        if (found.place.empty() || found.place.back() != cell || found.low.back() != value) {
            found.place.push_back(cell);
            found.low.push_back(value);
            found.counts.resize(found.counts.size() + classes_, 0);
        }
        return std::span(found.counts).last(classes_);
    };
    std::size_t old = 0;
    const auto take_old = [&] {
        const auto counts = counts_of(joined_.place[old], joined_.low[old]);
        for (std::size_t c = 0; c < classes_; ++c) counts[c] += joined_.counts[old * classes_ + c];
        ++old;
    };
    for (const Entry& entry : waiting_) {
        const std::int64_t cell = entry.cell;
        while (old < joined_.place.size() &&
               std::tie(joined_.place[old], joined_.low[old]) <= std::tie(cell, entry.value)) {
            take_old();
        }
        ++counts_of(cell, entry.value)[static_cast<std::size_t>(entry.label)];
    }
    while (old < joined_.place.size()) take_old();
    joined_ = std::move(found);
    waiting_.clear();
}

CountedGroups ValueCounter::groups() {
    join();
    joined_.high = joined_.low;
    return std::exchange(joined_, {});
}

}  // namespace rulewright
