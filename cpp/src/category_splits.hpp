// The best split of an open node on a column of categories: one against the others, a set of them
// against the others, or a branch for each.
#pragma once

#include <cstddef>

#include "open_nodes.hpp"

namespace rulewright {

Split best_on_categories(const GrowthContext& context, const OpenNode& node, std::size_t place);

}  // namespace rulewright
