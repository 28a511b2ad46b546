// The best split of an open node on a categorical column: one category against the others, a set
// against the others, or a branch for each.
#pragma once

#include <cstddef>

#include "open_nodes.hpp"

namespace rulewright {

Split best_on_categories(const GrowthContext& context, const OpenNode& node, std::size_t place);

}  // namespace rulewright
