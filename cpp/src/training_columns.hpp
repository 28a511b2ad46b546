// What a decision tree is grown from, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "column.hpp"

namespace rulewright {

struct Codes {
    std::span<const std::int32_t> code;  // -1 where missing
    std::size_t categories;
};

// Rows are at most 2^30, and all weights above zero.
struct TrainingColumns {
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
struct GrowthOptions {
    bool cuts = true;
    bool intervals = false;
    CategorySplit categories = CategorySplit::subset;
    // Missing values go down all branches; or else to a side that is learned.
    bool fractional = false;
    // C4.5: of the columns whose gain is at least average the one of the largest gain ratio; cuts
    // pay for their number, and leave a tenth of a class's share on each side.
    bool by_ratio = false;
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    // The most useful splits first.
    std::size_t max_leaves = std::numeric_limits<std::size_t>::max();
    double min_split = 2.0;  // weight of a node that is split
    double min_leaf = 1.0;   // weight of a branch; of a multiway split two branches have it
    double min_gain = 0.0;   // a split saves this much impurity, as a share of all weight
    std::size_t threads = 1;
};

}  // namespace rulewright
