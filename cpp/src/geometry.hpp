// Distances to a point and similarities with a point, row by row.
//
// Training and prediction call the same routine, sums run over the columns in their order, and the
// target is compiled without fused multiply-add: an example lies exactly on the border it gave.
#pragma once

#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

enum class Metric : std::int32_t { l1 = 0, l2 = 1, linf = 2 };

void distances(std::span<const Column> columns, std::span<const double> point, Metric metric,
               std::span<double> out) noexcept;

enum class Similarity : std::int32_t { linear = 0, rbf = 1, polynomial = 2 };

struct SimilarityShape {
    Similarity kind = Similarity::linear;
    double gamma = 1.0;  // rbf: exp(-gamma |x - x'|^2); polynomial: (gamma x.x' + offset)^degree
    double offset = 0.0;
    std::int32_t degree = 1;
};

void similarities(std::span<const Column> columns, std::span<const double> point,
                  const SimilarityShape& shape, std::span<double> out) noexcept;

}  // namespace rulewright
