// A decision tree grown from columns that are sorted once.
//
// Every node owns its examples, numbered from 0, and for each column their order; a split hands
// each child its part of every order, so that nothing is sorted twice and what a node looks at lies
// together. Nodes wait in a list and not on the call stack: depth is bounded by memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "column.hpp"
#include "measures.hpp"

namespace rulewright {

enum class Kind : std::int8_t {
    leaf = 0,
    cut = 1,
    interval = 2,
    subset = 3,
    multiway = 4,
    present = 5
};

struct Codes {
    std::span<const std::int32_t> code;  // -1 where missing
    std::size_t categories;
};

// What a tree is grown from. Rows are at most 2^30, and all weights above zero.
struct Soil {
    std::span<const Column> numeric;  // NaN where missing
    std::size_t plain;  // so many of these are columns; the others have cuts, and nothing else
    std::span<const Codes> categorical;
    std::span<const std::uint16_t> label;    // classes; or else
    std::span<const double> target;          // numbers
    std::span<const double> weight;          // empty: all 1
    std::span<const std::int8_t> direction;  // of each numeric column: 1, -1, or 0 for free

    std::size_t rows() const noexcept { return label.empty() ? target.size() : label.size(); }
};

enum class CategorySplit { none, single, subset, multiway };

// How a tree grows, and when it stops.
struct Habits {
    bool cuts = true;
    bool intervals = false;
    CategorySplit categories = CategorySplit::subset;
    bool fractional =
        false;  // missing values go down all branches; or else to a side that is learned
    // C4.5: of the columns whose gain is at least average the one of the largest gain ratio; cuts
    // pay for their number, and leave a tenth of a class's share on each side.
    bool by_ratio = false;
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    std::size_t max_leaves =
        std::numeric_limits<std::size_t>::max();  // the most useful splits first
    double min_split = 2.0;                       // weight of a node that is split
    double min_leaf = 1.0;  // weight of a branch; of a multiway split two branches have it
    double min_gain = 0.0;  // a split saves this much impurity, as a share of all weight
    std::size_t threads = 1;
};

// The nodes, the root first and every child after its parent.
struct Grown {
    std::vector<std::int8_t> kind;
    std::vector<std::int32_t> column;  // numeric ones first
    std::vector<double> low, high;     // of a cut: its value, and the least that lies above
    std::vector<std::int32_t> low_row, high_row;
    std::vector<std::int32_t> missing;  // the branch that missing values take; -1: all
    std::vector<std::int32_t>
        largest;  // that of unknown categories: the same, or the one of the most weight
    std::vector<std::int32_t> start;  // of each node's branches; one more
    std::vector<std::int32_t> branches;
    std::vector<std::int32_t> table_start;
    std::vector<std::int32_t> branch_of;  // of each category; -1 where the node has none of it
    std::vector<double> sums;             // width a node
    std::vector<double> gain, impurity, value;
};

Grown grow(const Soil& soil, const Habits& habits, const Measure& measure);

}  // namespace rulewright
