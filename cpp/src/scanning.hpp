// The best cut of a sorted column, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "clones.hpp"
#include "measures.hpp"

namespace rulewright {

// Examples are moved to a Side one by one; it has the weight on both sides and the gain. The caller
// makes it, and it stays in registers only if this function is inlined.
template <class Side>
RULEWRIGHT_INLINE Cut scan(std::span<const std::uint32_t> entries, Side side,
                           const SplitConstraints& constraints) {
    Cut best;
    double more = best.gain;
    const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        side.move(entries[i]);
        if (entries[i + 1] & tied) continue;
        if (!(side.left() >= constraints.min_weight && side.right() >= constraints.min_weight))
            continue;
        ++best.tried;
        const double gain = side.gain();
        if (gain > more && side.allowed(constraints)) {
            best.gain = gain;
            more = gain + constraints.slack;
            best.position = i;
        }
    }
    return best;
}

}  // namespace rulewright
