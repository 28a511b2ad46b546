#include "pair_rules.hpp"

namespace rulewright {

namespace {

RULEWRIGHT_CLONES void find_most_right(const ClassWeights& a, const ClassWeights& b,
                                       const std::int32_t* closed, const std::int32_t* closed_other,
                                       std::size_t tests, std::array<std::int32_t, 4>& found) {
    const ClassWeights k0 = a;
    const ClassWeights k1 = b;
    std::int32_t best0 = found[0];
    std::int32_t best1 = found[1];
    std::int32_t best2 = found[2];
    std::int32_t best3 = found[3];
    const auto right = [k0, k1](std::int32_t c0, std::int32_t c1) {
        return std::max(c0, c1) + std::max(k0.whole - c0, k1.whole - c1);
    };
#pragma omp simd reduction(max : best0, best1, best2, best3)
    for (std::size_t t = 0; t < tests; ++t) {
        const auto c0 = parts_of(k0.both[t], k0.one, k0.other[t], k0.counted);
        const auto c1 = parts_of(k1.both[t], k1.one, k1.other[t], k1.counted);
        best0 = std::max(best0, right(c0[0], c1[0]) + closed[t]);
        best1 = std::max(best1, right(c0[1], c1[1]) + closed_other[t]);
        best2 = std::max(best2, right(c0[2], c1[2]) + closed[t]);
        best3 = std::max(best3, right(c0[3], c1[3]) + closed_other[t]);
    }
    found = {best0, best1, best2, best3};
}

}  // namespace

std::array<std::int32_t, 4> most_right(const std::array<ClassWeights, 2>& weights,
                                       const std::array<std::vector<std::int32_t>, 2>& closed,
                                       std::size_t first, std::size_t tests) {
    std::array<std::int32_t, 4> found;
    found.fill(std::numeric_limits<std::int32_t>::min() / 4);
    find_most_right(weights[0], weights[1], closed[0].data() + first, closed[1].data() + first,
                    tests, found);
    return found;
}

}  // namespace rulewright
