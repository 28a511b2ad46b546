#include "geometry.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "clones.hpp"
#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

// Sums that stay in the cache while the columns are added to them.
constexpr std::size_t block_rows = 1024;

struct AddDifference {
    double operator()(double sum, double x, double c) const noexcept {
        return sum + std::abs(x - c);
    }
};

struct AddSquare {
    double operator()(double sum, double x, double c) const noexcept {
        const double difference = x - c;
        return sum + difference * difference;
    }
};

struct AddProduct {
    double operator()(double sum, double x, double c) const noexcept { return sum + x * c; }
};

struct MaxDifference {
    double operator()(double largest, double x, double c) const noexcept {
        // Not std::fmax, which would ignore a missing coordinate.
        const double difference = std::abs(x - c);
        return difference <= largest ? largest : (std::isnan(largest) ? largest : difference);
    }
};

// Both loops compute the same; one assumes that the values are contiguous.
template <class Step>
RULEWRIGHT_INLINE void add_column(Column x, double c, double* out, std::size_t count,
                                  Step step) noexcept {
    if (x.stride == 1) {
        for (std::size_t row = 0; row < count; ++row) out[row] = step(out[row], x.data[row], c);
    } else {
        for (std::size_t row = 0; row < count; ++row) out[row] = step(out[row], x[row], c);
    }
}

RULEWRIGHT_CLONES void add(AddDifference step, Column x, double c, double* out,
                           std::size_t count) noexcept {
    add_column(x, c, out, count, step);
}

RULEWRIGHT_CLONES void add(AddSquare step, Column x, double c, double* out,
                           std::size_t count) noexcept {
    add_column(x, c, out, count, step);
}

RULEWRIGHT_CLONES void add(AddProduct step, Column x, double c, double* out,
                           std::size_t count) noexcept {
    add_column(x, c, out, count, step);
}

RULEWRIGHT_CLONES void add(MaxDifference step, Column x, double c, double* out,
                           std::size_t count) noexcept {
    add_column(x, c, out, count, step);
}

// Calls `use` with the first row and the number of rows of each block.
template <class Use>
void by_blocks(std::size_t rows, std::size_t work_a_row, Use use) {
    for (std::size_t first = 0; first < rows; first += block_rows) {
        const std::size_t count = std::min(block_rows, rows - first);
        checkpoint(count * work_a_row);
        use(first, count);
    }
}

template <class Step>
void accumulate(std::span<const Column> columns, std::span<const double> point,
                std::span<double> out, Step step) {
    std::fill(out.begin(), out.end(), 0.0);
    by_blocks(out.size(), columns.size(), [&](std::size_t first, std::size_t count) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const Column x = {
                columns[j].data + static_cast<std::ptrdiff_t>(first) * columns[j].stride,
                columns[j].stride};
            add(step, x, point[j], out.data() + first, count);
        }
    });
}

// The same sums for a point and itself.
template <class Coordinates, class Step>
double accumulated(std::size_t count, Coordinates x, Step step) noexcept {
    double sum = 0.0;
    for (std::size_t j = 0; j < count; ++j) sum = step(sum, x(j), x(j));
    return sum;
}

double whole_power(double base, std::int32_t exponent) noexcept {
    double product = 1.0;
    for (std::int32_t i = 0; i < exponent; ++i) product *= base;
    return product;
}

// The similarity from the sum over columns.
double finished(double sum, const SimilarityShape& shape) noexcept {
    switch (shape.kind) {
        case Similarity::linear:
            return sum;
        case Similarity::rbf:
            return std::exp(-shape.gamma * sum);
        case Similarity::polynomial:
            return whole_power(shape.gamma * sum + shape.offset, shape.degree);
    }
    return sum;
}

// The cost, in additions.
std::size_t costs_of(const SimilarityShape& shape) noexcept {
    constexpr std::size_t exponential = 16;
    return shape.kind == Similarity::polynomial ? static_cast<std::size_t>(shape.degree) + 1
                                                : exponential;
}

template <class Coordinates>
double self_similarity(std::size_t count, Coordinates x, const SimilarityShape& shape) noexcept {
    return finished(shape.kind == Similarity::rbf ? accumulated(count, x, AddSquare{})
                                                  : accumulated(count, x, AddProduct{}),
                    shape);
}

}  // namespace

void distances(std::span<const Column> columns, std::span<const double> point, Metric metric,
               std::span<double> out) {
    switch (metric) {
        case Metric::l1:
            accumulate(columns, point, out, AddDifference{});
            return;
        case Metric::l2:
            accumulate(columns, point, out, AddSquare{});
            for (double& d : out) d = std::sqrt(d);
            return;
        case Metric::linf:
            accumulate(columns, point, out, MaxDifference{});
            return;
    }
}

void similarities(std::span<const Column> columns, std::span<const double> point,
                  const SimilarityShape& shape, std::span<double> out) {
    if (shape.kind == Similarity::rbf) {
        accumulate(columns, point, out, AddSquare{});
    } else {
        accumulate(columns, point, out, AddProduct{});
    }
    if (shape.kind == Similarity::linear) return;
    by_blocks(out.size(), costs_of(shape), [&](std::size_t first, std::size_t count) {
        for (double& s : out.subspan(first, count)) s = finished(s, shape);
    });
}

void self_similarities(std::span<const Column> columns, const SimilarityShape& shape,
                       std::span<double> out) {
    const std::size_t work = columns.size() + costs_of(shape);
    by_blocks(out.size(), work, [&](std::size_t first, std::size_t count) {
        for (std::size_t row = first; row < first + count; ++row) {
            const auto x = [&](std::size_t j) { return columns[j][row]; };
            out[row] = self_similarity(columns.size(), x, shape);
        }
    });
}

void kernel_distances(std::span<const Column> columns, std::span<const double> self,
                      std::span<const double> point, const SimilarityShape& shape,
                      std::span<double> out) {
    const auto c = [&](std::size_t j) { return point[j]; };
    const double of_point = self_similarity(point.size(), c, shape);
    similarities(columns, point, shape, out);
    for (std::size_t row = 0; row < out.size(); ++row) {
        const double square = (self[row] - 2.0 * out[row]) + of_point;
        out[row] = std::sqrt(square < 0.0 ? 0.0 : square);  // NaN stays NaN
    }
}

void similarity_rows(std::span<const Column> columns, std::span<const std::int32_t> rows,
                     const SimilarityShape& shape, std::size_t all_rows, double* out,
                     std::size_t threads) {
    for_each_task(rows.size(), threads, [&](std::size_t i) {
        std::vector<double> point;
        point.reserve(columns.size());
        for (const auto& column : columns) {
            point.push_back(column[static_cast<std::size_t>(rows[i])]);
        }
        similarities(columns, point, shape, {out + i * all_rows, all_rows});
    });
}

}  // namespace rulewright
