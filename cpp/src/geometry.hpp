// Distances to a point and similarities with a point, row by row.
//
// Training and prediction call the same routine, sums run over the columns in order, and the target
// is compiled without fused multiply-add. So an example lies exactly on the border that it defines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

enum class Metric : std::int32_t { l1 = 0, l2 = 1, linf = 2 };

void distances(std::span<const Column> columns, std::span<const double> point, Metric metric,
               std::span<double> out);

enum class Similarity : std::int32_t { linear = 0, rbf = 1, polynomial = 2 };

// Maximum degree: a power is a product, so that it has the same bits on every machine.
inline constexpr std::int32_t max_degree = 64;

struct SimilarityShape {
    Similarity kind = Similarity::linear;
    double gamma = 1.0;  // rbf: exp(-gamma |x - x'|^2); polynomial: (gamma x.x' + offset)^degree
    double offset = 0.0;
    std::int32_t degree = 1;  // from 0 to max_degree
};

void similarities(std::span<const Column> columns, std::span<const double> point,
                  const SimilarityShape& shape, std::span<double> out);

// Of every row with itself.
void self_similarities(std::span<const Column> columns, const SimilarityShape& shape,
                       std::span<double> out);

// Distances in the kernel's space, sqrt(k(x,x) - 2 k(x,p) + k(p,p)), where rounding may give a
// negative number; `self` is k(x,x) of every row.
void kernel_distances(std::span<const Column> columns, std::span<const double> self,
                      std::span<const double> point, const SimilarityShape& shape,
                      std::span<double> out);

// Similarities with each of some rows, one line of `out` each.
void similarity_rows(std::span<const Column> columns, std::span<const std::int32_t> rows,
                     const SimilarityShape& shape, std::size_t all_rows, double* out,
                     std::size_t threads);

}  // namespace rulewright
