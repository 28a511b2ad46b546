#include "geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rulewright {
namespace {

template <class Step>
void accumulate(std::span<const Column> columns, std::span<const double> point,
                std::span<double> out, Step step) noexcept {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t j = 0; j < columns.size(); ++j) {
        for (std::size_t row = 0; row < out.size(); ++row) {
            out[row] = step(out[row], columns[j][row], point[j]);
        }
    }
}

void squared_distances(std::span<const Column> columns, std::span<const double> point,
                       std::span<double> out) noexcept {
    accumulate(columns, point, out, [](double sum, double x, double c) {
        const double difference = x - c;
        return sum + difference * difference;
    });
}

double whole_power(double base, std::int32_t exponent) noexcept {
    double product = 1.0;
    for (std::int32_t i = 0; i < exponent; ++i) product *= base;
    return product;
}

}  // namespace

void distances(std::span<const Column> columns, std::span<const double> point, Metric metric,
               std::span<double> out) noexcept {
    switch (metric) {
        case Metric::l1:
            accumulate(columns, point, out,
                       [](double sum, double x, double c) { return sum + std::abs(x - c); });
            return;
        case Metric::l2:
            squared_distances(columns, point, out);
            for (double& d : out) d = std::sqrt(d);
            return;
        case Metric::linf:
            // Not std::fmax, which would pass over a missing coordinate.
            accumulate(columns, point, out, [](double most, double x, double c) {
                const double difference = std::abs(x - c);
                return difference <= most ? most : (std::isnan(most) ? most : difference);
            });
            return;
    }
}

void similarities(std::span<const Column> columns, std::span<const double> point,
                  const SimilarityShape& shape, std::span<double> out) noexcept {
    if (shape.kind == Similarity::rbf) {
        squared_distances(columns, point, out);
        for (double& s : out) s = std::exp(-shape.gamma * s);
        return;
    }
    accumulate(columns, point, out, [](double sum, double x, double c) { return sum + x * c; });
    if (shape.kind == Similarity::polynomial) {
        for (double& s : out) s = whole_power(shape.gamma * s + shape.offset, shape.degree);
    }
}

}  // namespace rulewright
