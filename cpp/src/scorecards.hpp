// Scorecards: supports of logistic models over simple conditions, and their whole-number points.
//
// The search follows the line of FasterRisk (J. Liu, C. Zhong, B. Li, M. Seltzer and C. Rudin 2022,
// FasterRisk: Fast and Accurate Interpretable Risk Scores, NeurIPS): a beam over supports with
// swaps, then rounding over multipliers and descent over single points with the true loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// Relations of a term to the code of a value. Code 0 is a missing value.
enum class TermRelation : std::int32_t { at_most, above, is, is_not, missing, present };

// A test of one column. `sign` is 1 or -1 if the coefficient may not have the other sign, else 0.
// Terms that are `paired` may be combined in conditions of two terms. Terms that are `fine` replace
// a cut of the same column and relation when a model is complete.
struct ScoreTerm {
    std::int32_t column;
    TermRelation relation;
    std::int32_t code;
    std::int32_t sign;
    bool paired;
    bool fine;
};

// Coded columns, one line each, weights, and for each table of points the rows of its class.
struct ScoreRows {
    std::span<const std::uint8_t> codes;
    std::span<const std::uint8_t> own;
    std::span<const double> weight;
    std::size_t columns;
    std::size_t tables;
    std::size_t rows;
};

// A condition is one term, or two that must both hold; -1 for no second term.
struct ScoreCondition {
    std::int32_t first;
    std::int32_t second;

    std::size_t tests() const { return second < 0 ? 1 : 2; }
    bool operator==(const ScoreCondition&) const = default;
    auto operator<=>(const ScoreCondition&) const = default;
};

struct ScoreOptions {
    std::size_t max_tests;
    std::size_t beam_width;
    std::size_t expansions;  // candidates that are refitted for each model
    std::size_t swap_passes;
    double ridge;
    double min_weight;      // of the rows on each side of a condition
    double min_refinement;  // decrease of the loss for which a cut is replaced by a fine one
    bool pairs;             // conditions of two terms on different columns
    bool intervals;         // conditions of two cuts of one column
    std::size_t threads;    // results do not depend on it
};

// Conditions with their coefficients, by condition and then by table, and the penalised loss.
struct FittedScore {
    std::vector<ScoreCondition> conditions;
    std::vector<double> intercept;
    std::vector<double> coefficient;
    double loss;
    std::size_t tests;
};

// The best model of each number of tests, from none; the conditions `kept` are in every model, and
// every model tests the columns `forced`.
std::vector<FittedScore> search_scores(const ScoreRows& rows, std::span<const ScoreTerm> terms,
                                       std::span<const ScoreCondition> kept,
                                       std::span<const std::int32_t> forced,
                                       const ScoreOptions& options);

// Rows on which conditions hold (0 or 1, one line each), and the limits of the points of each.
struct PointsProblem {
    std::span<const std::uint8_t> holds;
    std::span<const double> weight;
    std::span<const std::int32_t> low;
    std::span<const std::int32_t> high;
    std::size_t conditions;
    std::size_t rows;
    double ridge;
};

// Whole-number points of two classes; the chance of the second is logistic in the total.
struct RoundedPoints {
    std::vector<std::int32_t> points;
    double slope;
    double intercept;
    double loss;
};

RoundedPoints round_points(const PointsProblem& problem, std::span<const std::uint8_t> own,
                           std::span<const double> coefficient);

// Points by condition and then by class. The last condition holds always: the points at the start.
// Chances are proportional to exp(slope * total).
RoundedPoints round_class_points(const PointsProblem& problem, std::span<const std::int32_t> y,
                                 std::size_t classes, std::span<const double> coefficient);

}  // namespace rulewright
