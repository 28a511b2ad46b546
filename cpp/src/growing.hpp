// A decision tree grown from columns that are sorted once, or coded once while nodes are large.
//
// Each split partitions every sorted column among the children, so nothing is sorted twice. Open
// nodes are kept in a list and not on the call stack, so depth is limited only by memory.
#pragma once

#include <cstdint>
#include <vector>

#include "measures.hpp"
#include "training_columns.hpp"

namespace rulewright {

// The nodes, the root first and every child after its parent.
struct Grown {
    std::vector<std::int8_t> kind;
    std::vector<std::int32_t> column;  // numeric ones first
    std::vector<double> low, high;     // for a cut: its value, and the smallest value above it
    std::vector<std::int32_t> low_row, high_row;
    std::vector<std::int32_t> missing;  // the branch of missing values; -1: all
    // The branch of unknown categories: that of missing values, or the heaviest.
    std::vector<std::int32_t> largest;
    std::vector<std::int32_t> start;  // of each node's branches, and the end
    std::vector<std::int32_t> branches;
    std::vector<std::int32_t> table_start;
    std::vector<std::int32_t> branch_of;  // of each category; -1 if the node does not have it
    std::vector<double> sums;             // `width` numbers per node
    std::vector<double> gain, impurity, value;
    bool stopped = false;  // time was over while nodes could still be split
};

Grown grow(const TrainingColumns& training, const GrowthOptions& options, const Measure& measure);

}  // namespace rulewright
