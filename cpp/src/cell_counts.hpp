// Rows of each class by value, or by bin, in cells: ranges of values of one column at nodes of a
// tree. Rows come in batches, so that a table need not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// The cells of node n have the numbers first[n] to first[n + 1]. They are in increasing order and
// do not overlap. A cell has all values from `low` to `high`; `scale` is its number of bins for
// each unit of a value.
struct NodeCells {
    std::span<const std::int32_t> first;
    std::span<const double> low, high, scale;
};

// Rows of one column: values, NaN where missing; nodes, -1 for a row that is not counted; and
// classes. Without nodes all rows are at the first one.
struct CountedRows {
    std::span<const double> value;
    std::span<const std::int32_t> node;
    std::span<const std::int32_t> label;
};

// Groups of neighbouring values in order: the place of each (cell * bins + bin, or the cell), its
// ends, and its rows of each class.
struct CountedGroups {
    std::vector<std::int64_t> place;
    std::vector<double> low, high;
    std::vector<std::int64_t> counts;
};

struct Cell {
    double low, high, scale;
};

// The cells of nodes, after a cell without values, which is that of rows that are not counted and
// of nodes without cells.
class CellTable {
public:
    explicit CellTable(const NodeCells& cells);

    // Number of cells, without the first one.
    std::size_t count() const noexcept { return cells_.size() - 1; }
    bool are_single() const noexcept { return single_; }
    const Cell& operator[](std::size_t number) const noexcept { return cells_[number]; }

    // The first cell of a node.
    std::size_t first_of(std::int32_t node) const noexcept {
        return nodes_[static_cast<std::size_t>(node + 1)].first;
    }

    // The only cell of a node that may have a value.
    std::size_t find(std::int32_t node, double value) const noexcept;

private:
    struct Run {
        std::size_t first, count;
    };

    std::vector<Cell> cells_;
    std::vector<Run> nodes_;
    bool single_ = true;  // no node has several cells
};

class BinCounter {
public:
    // The product of cells, bins and classes must be below 2^31.
    BinCounter(const NodeCells& cells, std::size_t bins, std::size_t classes);

    void add(const CountedRows& rows);
    CountedGroups groups() const;

private:
    void find_places(const CountedRows& rows, std::span<std::int32_t> place) const noexcept;

    CellTable cells_;
    std::size_t bins_, classes_;
    // The ends of each bin, and its rows of each class, side by side.
    std::vector<double> record_;
};

class ValueCounter {
public:
    ValueCounter(const NodeCells& cells, std::size_t classes);

    void add(const CountedRows& rows);
    CountedGroups groups();

private:
    struct Entry {
        double value;
        std::int32_t cell;
        std::int32_t label;
    };

    // Moves the rows that wait into the groups.
    void join();

    CellTable cells_;
    std::size_t classes_;
    std::vector<Entry> waiting_;
    CountedGroups joined_;
};

}  // namespace rulewright
