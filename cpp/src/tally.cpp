#include "tally.hpp"

#include <algorithm>

namespace rulewright {

std::size_t tally_cuts(Column x, std::span<const std::int32_t> order,
                       std::span<const std::int32_t> label, std::span<const double> weight,
                       std::size_t classes, TallyOut out) noexcept {
    std::size_t cuts = 0;
    double* below = out.weight.data();
    std::fill_n(below, order.empty() ? 0 : classes, 0.0);
    for (std::size_t i = 0; i < order.size();) {
        const auto first = static_cast<std::size_t>(order[i]);
        const double v = x[first];
        do {
            const auto row = static_cast<std::size_t>(order[i]);
            below[label[row]] += weight[row];
        } while (++i < order.size() && x[static_cast<std::size_t>(order[i])] == v);
        out.row[cuts++] = static_cast<std::int32_t>(first);
        if (i < order.size()) {
            std::copy_n(below, classes, below + classes);
            below += classes;
        }
    }
    return cuts;
}

}  // namespace rulewright
