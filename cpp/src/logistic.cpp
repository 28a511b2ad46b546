#include "logistic.hpp"

#include <algorithm>
#include <numeric>

namespace rulewright {

namespace {

constexpr std::size_t max_steps = 30;
constexpr double precision = 1e-8;  // of the loss

double loss_of(std::span<const double> score, std::span<const double> own,
               std::span<const double> weight, std::span<const double> coefficient, double ridge) {
    double loss = 0.0;
    for (std::size_t i = 0; i < score.size(); ++i) {
        loss += weight[i] * softplus(score[i]) - own[i] * score[i];
    }
    for (std::size_t j = 1; j < coefficient.size(); ++j) {
        loss += ridge / 2 * coefficient[j] * coefficient[j];
    }
    return loss;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Solves a symmetric positive definite system in place, by Cholesky's method.
void solve(std::vector<double>& matrix, std::vector<double>& right, std::size_t size) {
    for (std::size_t j = 0; j < size; ++j) {
        double pivot = matrix[j * size + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= matrix[j * size + k] * matrix[j * size + k];
        const double root = std::sqrt(std::max(pivot, 1e-12));
        matrix[j * size + j] = root;
        for (std::size_t i = j + 1; i < size; ++i) {
            double value = matrix[i * size + j];
            for (std::size_t k = 0; k < j; ++k)
                value -= matrix[i * size + k] * matrix[j * size + k];
            matrix[i * size + j] = value / root;
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i * size + k] * right[k];
        right[i] /= matrix[i * size + i];
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t k = i + 1; k < size; ++k) right[i] -= matrix[k * size + i] * right[k];
        right[i] /= matrix[i * size + i];
    }
}

// The step of Newton's method over the free coefficients, and the decrease that it promises.
class NewtonStep {
public:
    NewtonStep(const HoldsColumns& holds, std::span<const double> own,
               std::span<const double> weight, double ridge)
        : holds_(holds), own_(own), weight_(weight), ridge_(ridge) {
        const std::size_t groups = weight.size(), size = holds.size() + 1;
        slope_.resize(groups);
        curve_.resize(groups);
        product_.resize(groups);
        gradient_.resize(size);
        hessian_.resize(size * size);
    }

    void differentiate(std::span<const double> score, std::span<const double> coefficient) {
        const std::size_t groups = weight_.size(), size = coefficient.size();
        for (std::size_t i = 0; i < groups; ++i) {
            const double p = sigmoid(score[i]);
            slope_[i] = weight_[i] * p - own_[i];
            curve_[i] = weight_[i] * p * (1 - p);
        }
        gradient_[0] = std::accumulate(slope_.begin(), slope_.end(), 0.0);
        hessian_[0] = std::accumulate(curve_.begin(), curve_.end(), 0.0) + 1e-9;
        for (std::size_t j = 1; j < size; ++j) {
            const std::vector<double>& column = holds_[j - 1];
            gradient_[j] = dot(slope_, column) + ridge_ * coefficient[j];
            for (std::size_t i = 0; i < groups; ++i) product_[i] = curve_[i] * column[i];
            const double own = dot(product_, column);
            hessian_[j * size] = own;
            hessian_[j * size + j] = own + ridge_ + 1e-9;
            for (std::size_t k = 1; k < j; ++k) {
                hessian_[j * size + k] = dot(product_, holds_[k - 1]);
            }
        }
    }

    // A coefficient that is 0 and would get the wrong sign is left out.
    double solve_free(std::span<const double> coefficient, std::span<const std::int32_t> signs,
                      std::vector<double>& step) {
        const std::size_t size = coefficient.size();
        std::vector<bool> fixed(size, false);
        for (std::size_t round = 0; round <= size; ++round) {
            std::vector<std::size_t> free;
            for (std::size_t j = 0; j < size; ++j) {
                if (!fixed[j]) free.push_back(j);
            }
            std::vector<double> matrix(free.size() * free.size(), 0.0), right;
            for (std::size_t a = 0; a < free.size(); ++a) {
                right.push_back(-gradient_[free[a]]);
                for (std::size_t b = 0; b <= a; ++b) {
                    matrix[a * free.size() + b] = hessian_[free[a] * size + free[b]];
                }
            }
            solve(matrix, right, free.size());
            std::ranges::fill(step, 0.0);
            for (std::size_t a = 0; a < free.size(); ++a) step[free[a]] = right[a];
            bool valid = true;
            for (std::size_t j = 1; j < size; ++j) {
                if (!fixed[j] && signs[j - 1] * coefficient[j] <= 0 && signs[j - 1] * step[j] < 0) {
                    fixed[j] = true;
                    valid = false;
                }
            }
            if (valid) break;
        }
        return -std::inner_product(step.begin(), step.end(), gradient_.begin(), 0.0);
    }

private:
    const HoldsColumns& holds_;
    std::span<const double> own_;
    std::span<const double> weight_;
    double ridge_;
    std::vector<double> slope_, curve_, product_, gradient_, hessian_;
};

}  // namespace

std::vector<double> scores_of(const HoldsColumns& holds, std::span<const double> coefficient,
                              std::size_t groups) {
    std::vector<double> score(groups, coefficient[0]);
    for (std::size_t j = 0; j < holds.size(); ++j) {
        const double value = coefficient[j + 1];
        if (value == 0) continue;
        const std::vector<double>& column = holds[j];
        for (std::size_t i = 0; i < groups; ++i) score[i] += value * column[i];
    }
    return score;
}

double fit_logistic(const HoldsColumns& holds, std::span<const double> own,
                    std::span<const double> weight, std::span<const std::int32_t> signs,
                    double ridge, std::vector<double>& coefficient) {
    NewtonStep newton(holds, own, weight, ridge);
    std::vector<double> score = scores_of(holds, coefficient, weight.size()),
                        step(coefficient.size());
    double loss = loss_of(score, own, weight, coefficient, ridge);
    for (std::size_t iteration = 0; iteration < max_steps; ++iteration) {
        newton.differentiate(score, coefficient);
        const double promised = newton.solve_free(coefficient, signs, step);
        if (!(promised > precision * (1 + loss))) break;
        bool moved = false;
        for (double share = 1.0; share > 1e-6 && !moved; share /= 2) {
            std::vector<double> next(coefficient);
            for (std::size_t j = 0; j < next.size(); ++j) {
                next[j] += share * step[j];
                if (j > 0 && signs[j - 1] * next[j] < 0) next[j] = 0.0;
            }
            std::vector<double> moved_score = scores_of(holds, next, weight.size());
            const double lower = loss_of(moved_score, own, weight, next, ridge);
            if (lower < loss) {
                coefficient = std::move(next);
                score = std::move(moved_score);
                loss = lower;
                moved = true;
            }
        }
        if (!moved) break;
    }
    return loss;
}

}  // namespace rulewright
