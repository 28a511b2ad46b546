// The best split of an open node, over all its columns.
#pragma once

#include "open_nodes.hpp"

namespace rulewright {

// Marks the columns that are worth nothing to the open node, nor to what grows from it. Of equally
// good splits the one on the first column wins.
Split best_split(const GrowthContext& context, OpenNode& node);

}  // namespace rulewright
