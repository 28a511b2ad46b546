// Partition of the examples of an open node among its branches, with their part of every column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

// Branches of the examples of an open node: one branch and a number in it, or all branches, with
// numbers after those of each branch's own.
struct Assignment {
    std::vector<std::uint32_t> branch, number;
    std::vector<std::uint32_t> own;         // number of examples of each branch only
    std::vector<std::uint32_t> everywhere;  // examples that go to all branches
};

// Fills `entries` with the examples that have a value, in the order of their values, and returns
// their number.
std::size_t sort_entries(const GrowthContext& context, Column x,
                         std::span<const std::uint16_t> label, std::span<std::uint32_t> entries);

// The heavier of two branches by known weight; the second on ties.
std::int32_t heavier(const GrowthContext& context, const OpenNode& node, const Split& split);

Assignment assign(const GrowthContext& context, const OpenNode& node, const Split& split);

// The children, with their examples and bounds, without columns.
std::vector<OpenNode> make_children(const GrowthContext& context, const OpenNode& node,
                                    const Split& split, const Assignment& to);

// Distributes each column, in order, among the children that grow. The columns of children of a
// coded node are sorted, unless they are coded themselves.
void partition_columns(const GrowthContext& context, const OpenNode& node, const Assignment& to,
                       std::vector<OpenNode>& children, const std::vector<bool>& grows);

}  // namespace rulewright
