// Logarithms for entropies.
#pragma once

#include <cmath>

namespace rulewright {

inline double xlogx(double x) noexcept { return x > 0.0 ? x * std::log2(x) : 0.0; }

}  // namespace rulewright
