// Logistic regression on few columns of zeros and ones, by Newton's method.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// log(1 + exp(x)) without overflow.
inline double softplus(double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// Zeros and ones of each condition, by group of rows.
using HoldsColumns = std::vector<std::vector<double>>;

// The intercept plus the coefficients of the conditions that hold, for each group of rows.
std::vector<double> scores_of(const HoldsColumns& holds, std::span<const double> coefficient,
                              std::size_t groups);

// Minimises the logistic loss plus half the ridge times the squared coefficients; the intercept,
// which comes first, is free. `own` and `weight` are the weights of the class and of all rows, by
// group. `coefficient` has the start and receives the result. `signs` are 1 or -1 where a
// coefficient may not have the other sign. Returns the penalised loss.
double fit_logistic(const HoldsColumns& holds, std::span<const double> own,
                    std::span<const double> weight, std::span<const std::int32_t> signs,
                    double ridge, std::vector<double>& coefficient);

}  // namespace rulewright
