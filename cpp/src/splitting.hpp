// The best split of a bud, over all its columns.
#pragma once

#include "buds.hpp"

namespace rulewright {

// Marks the columns that are worth nothing to the bud, nor to what grows from it. Of equally good
// splits the one on the first column wins.
Split best_split(const Ground& ground, Bud& bud);

}  // namespace rulewright
