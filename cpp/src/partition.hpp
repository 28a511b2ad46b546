// The examples of an open node handed on to its branches, and with them their part of every column.
#pragma once

#include <cstdint>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

// Where the examples of an open node go: to a branch, under a number there; or to all, under
// numbers that follow those of each branch's own.
struct Assignment {
    std::vector<std::uint32_t> branch, number;
    std::vector<std::uint32_t> own;         // how many go to each branch only
    std::vector<std::uint32_t> everywhere;  // those that go to all
};

// Which of two branches has the more of the weight that is known; the second on ties.
std::int32_t heavier(const OpenNode& node, const Split& split);

Assignment assign(const OpenNode& node, const Split& split);

// The children, with their examples and bounds, and as yet no columns.
std::vector<OpenNode> make_children(const GrowthContext& context, const OpenNode& node,
                                    const Split& split, const Assignment& to);

// Gives every child that grows its part of each column, in order.
void partition_columns(const GrowthContext& context, const OpenNode& node, const Assignment& to,
                       std::vector<OpenNode>& children, const std::vector<bool>& grows);

}  // namespace rulewright
