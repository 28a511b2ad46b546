// The heaviest ball: centres are rows, a border row gives the radius.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"
#include "geometry.hpp"
#include "rays.hpp"

namespace rulewright {

struct Centres {
    std::span<const std::int32_t> row;
    std::span<const std::uint8_t> below;  // the ball fires on what is closer than the border
};

// A metric of the columns, or of a kernel.
struct BallShape {
    bool in_kernel_space = false;
    Metric metric = Metric::l2;
    SimilarityShape kernel{};
};

// With `apart` a ball that fires on what is closer must fire on its centre.
HeaviestRay heaviest_ball(std::span<const Column> columns, const BallShape& shape,
                          const Centres& centres, const Apartness& apartness, const RayQuery& query,
                          std::span<std::int64_t> kept);

// By a matrix of distances, a line a centre.
HeaviestRay heaviest_given_ball(const double* distances, const Centres& centres,
                                const Apartness& apartness, const RayQuery& query,
                                std::span<std::int64_t> kept);

}  // namespace rulewright
