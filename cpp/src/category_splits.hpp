// The best split of an open node on a categorical column: one category against the others, a set
// against the others, a branch for each, or a branch for each of some neighbouring ranges.
#pragma once

#include <cstddef>

#include "open_nodes.hpp"

namespace rulewright {

Split best_on_categories(const GrowthContext& context, const OpenNode& node, std::size_t place);

}  // namespace rulewright
