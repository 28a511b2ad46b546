// The heaviest ball: centres are rows, and a border row gives the radius.
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
    std::span<const std::uint8_t> below;  // the ball covers the rows closer than the border
};

// A metric of the columns, or of a kernel.
struct BallShape {
    bool in_kernel_space = false;
    Metric metric = Metric::l2;
    SimilarityShape kernel{};
};

// With `apart`, a ball that covers the closer rows must cover its centre.
HeaviestRay heaviest_ball(std::span<const Column> columns, const BallShape& shape,
                          const Centres& centres, const PrototypeConstraint& constraint,
                          const RayQuery& query, std::span<std::int64_t> limits);

// Balls of a matrix of distances, one line per centre.
HeaviestRay heaviest_given_ball(const double* distances, const Centres& centres,
                                const PrototypeConstraint& constraint, const RayQuery& query,
                                std::span<std::int64_t> limits);

}  // namespace rulewright
