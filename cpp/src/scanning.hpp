// The best cut of a sorted column, by one pass over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "clones.hpp"
#include "measures.hpp"

namespace rulewright {

// A Side has the examples moved to it one by one, and knows the weight on both sides and the gain.
// It is made by the caller, and stays in registers only if this is part of the caller.
template <class Side>
RULEWRIGHT_INLINE Cut scan(std::span<const std::uint32_t> entries, Side side, const Terms& terms) {
    Cut best;
    double more = best.gain;
    const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        side.move(entries[i]);
        if (entries[i + 1] & tied) continue;
        if (!(side.left() >= terms.least && side.right() >= terms.least)) continue;
        ++best.tried;
        const double gain = side.gain();
        if (gain > more && side.allowed(terms)) {
            best.gain = gain;
            more = gain + terms.slack;
            best.position = i;
        }
    }
    return best;
}

}  // namespace rulewright
