// The best split of an open node over all its columns.
#pragma once

#include "open_nodes.hpp"

namespace rulewright {

// Marks the columns that are useless to the open node and its descendants. Ties go to the first
// column. If time is over before all columns are searched, no split is found.
Split best_split(const GrowthContext& context, OpenNode& node);

}  // namespace rulewright
