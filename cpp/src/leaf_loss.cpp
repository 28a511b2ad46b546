#include "leaf_loss.hpp"

#include <vector>

namespace rulewright {

std::int64_t leaf_loss(const Cells& cells, std::span<const std::int32_t> members,
                       const LeafLoss& loss) {
    std::vector<std::int64_t> sums(cells.classes(), 0);
    for (const std::int32_t member : members) {
        const auto cell = static_cast<std::size_t>(member);
        sums[static_cast<std::size_t>(cells.labels()[cell])] += cells.weights()[cell];
    }
    return loss(sums.size(), [&](std::size_t k) { return sums[k]; });
}

std::int64_t inseparable_loss(const Cells& cells, std::span<const std::int32_t> members,
                              const LeafLoss& loss) {
    std::int64_t sum = 0;
    // The cells of a point are its classes, one after the other.
    for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
        const std::int32_t point = cells.point(static_cast<std::size_t>(members[begin]));
        while (end < members.size() && cells.point(static_cast<std::size_t>(members[end])) == point)
            ++end;
        sum += loss(end - begin, [&](std::size_t i) {
            return cells.weights()[static_cast<std::size_t>(members[begin + i])];
        });
    }
    return sum;
}

}  // namespace rulewright
