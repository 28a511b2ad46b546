// Examples of two classes in the cells of coded columns.
//
// Of the children of a node, the largest has what the others leave of the node's counts: only the
// rows of the others are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

// Counts of one column of a coded node, numeric ones first; see `CodedCounts`.
std::vector<std::uint64_t> count_codes(const GrowthContext& context, const OpenNode& node,
                                       std::size_t place);

// Counts of all columns of a coded node.
void count_all_codes(const GrowthContext& context, OpenNode& node);

// Gives the largest child of a coded node the counts that the other children leave, if it is coded
// and reading the rows of the others takes less time than reading its own. `kept` are the places of
// the columns of the children among those of the node.
void pass_on_counts(const GrowthContext& context, const OpenNode& node,
                    const std::vector<std::size_t>& kept, std::vector<OpenNode>& children,
                    const std::vector<bool>& grows);

}  // namespace rulewright
