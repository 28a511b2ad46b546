// Training data of a decision tree, and the options of its growth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "column.hpp"

namespace rulewright {

struct Codes {
    std::span<const std::int32_t> code;  // -1 where missing
    std::size_t categories;
    // Whether the codes are ranges of numbers in increasing order. A split then has a branch for
    // each of some neighbouring ranges together, whatever the splits of categories are.
    bool ranges = false;
};

// At most 2^30 rows, and all weights above zero.
struct TrainingColumns {
    std::span<const Column> numeric;  // NaN where missing
    std::size_t plain;  // the first `plain` are columns of a table; the others allow cuts only
    std::span<const Codes> categorical;
    std::span<const std::uint16_t> label;    // classes, or else
    std::span<const double> target;          // numbers
    std::span<const double> weight;          // empty: all 1
    std::span<const std::int8_t> direction;  // of each numeric column: 1, -1, or 0 for none

    std::size_t rows() const noexcept { return label.empty() ? target.size() : label.size(); }
};

enum class CategorySplit { none, single, subset, multiway };

// Options of growing a tree.
// Columns that a tree may test.
struct ColumnLimits {
    std::size_t max_columns = std::numeric_limits<std::size_t>::max();  // in the tree
    std::size_t max_on_path = std::numeric_limits<std::size_t>::max();  // from the root to a leaf
    // Sets of columns, each with a mark for every column, numeric ones first. The columns of a path
    // are all in one of them. Empty for no constraint.
    std::vector<std::span<const std::uint8_t>> groups;
    std::vector<std::uint8_t> used;  // marks of columns that are in use from the beginning, or none

    bool limited() const noexcept { return max_columns < std::numeric_limits<std::size_t>::max(); }
    bool any() const noexcept {
        return limited() || max_on_path < std::numeric_limits<std::size_t>::max() ||
               !groups.empty();
    }
};

struct GrowthOptions {
    bool cuts = true;
    bool intervals = false;
    CategorySplit categories = CategorySplit::subset;
    // Missing values go down all branches; otherwise to a side that is learned.
    bool fractional = false;
    // C4.5: among the columns whose gain is at least average, the one with the highest gain ratio.
    // Cuts pay for their number, and leave a tenth of a class's share on each side.
    bool by_ratio = false;
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    // With a limit, the node with the highest gain is split first.
    std::size_t max_leaves = std::numeric_limits<std::size_t>::max();
    double min_split = 2.0;  // minimum weight of a node that is split
    double min_leaf = 1.0;   // minimum weight of a branch; in a multiway split, of two branches
    double min_gain = 0.0;   // minimum decrease of impurity by a split, as a share of all weight
    std::size_t threads = 1;
    // Growth stops after this time, and open nodes become leaves. With a limit, the node with the
    // highest gain is split first.
    double seconds = std::numeric_limits<double>::infinity();
    // With a limit on the columns of the tree, the node with the highest gain is split first.
    ColumnLimits columns = {};
    // Each node draws as many columns at random, and more until one has a split.
    std::size_t max_features = std::numeric_limits<std::size_t>::max();
    std::uint64_t seed = 0;
    // Nodes with more rows keep no sorted columns: their cuts are found by cells, where the measure
    // allows it. This does not change the tree.
    std::size_t max_sorted_rows = 1 << 16;
};

}  // namespace rulewright
