// A decision tree grown from columns that are sorted once.
//
// Each split hands every child its part of every order, so that nothing is sorted twice. Nodes wait
// in a list and not on the call stack: depth is bounded by memory.
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
    std::vector<double> low, high;     // of a cut: its value, and the least that lies above
    std::vector<std::int32_t> low_row, high_row;
    std::vector<std::int32_t> missing;  // the branch that missing values take; -1: all
    // The branch of unknown categories: that of missing values, or the one of the most weight.
    std::vector<std::int32_t> largest;
    std::vector<std::int32_t> start;  // of each node's branches; one more
    std::vector<std::int32_t> branches;
    std::vector<std::int32_t> table_start;
    std::vector<std::int32_t> branch_of;  // of each category; -1 where the node has none of it
    std::vector<double> sums;             // width a node
    std::vector<double> gain, impurity, value;
};

Grown grow(const TrainingColumns& training, const GrowthOptions& options, const Measure& measure);

}  // namespace rulewright
