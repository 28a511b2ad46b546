// The best split of a bud on a column of categories: one against the others, a set of them against
// the others, or a branch for each.
#pragma once

#include <cstddef>

#include "buds.hpp"

namespace rulewright {

Split best_on_categories(const Ground& ground, const Bud& bud, std::size_t place);

}  // namespace rulewright
