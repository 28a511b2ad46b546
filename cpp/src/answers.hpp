// Answers of lists, votes and scorecards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "conditions.hpp"

namespace rulewright {

// Results do not depend on the number of threads.

// Writes the number of the first true condition of each row; their count where none is true.
void first_true(const ConditionTable& table, const Conditions& conditions,
                std::span<const std::int32_t> roots, std::span<std::int32_t> answer,
                std::size_t threads);

// Writes the truth of each condition on all rows, one condition after the other.
void find_truth(const ConditionTable& table, const Conditions& conditions,
                std::span<const std::int32_t> roots, std::span<std::uint8_t> truth,
                std::size_t threads);

struct Voters {
    std::span<const std::int32_t> roots;
    std::span<const std::int32_t> output;  // below `classes`
    std::span<const double> weight;
    std::span<const std::int32_t> heaviest_first;  // the order of the voters that decides
    std::size_t classes;
};

// Where votes and probabilities are written, class by class in each row, if they are not empty.
// `default_chance` is the probability of each class where no rule votes.
struct VoteResults {
    std::span<std::int32_t> answer;
    std::span<double> votes;
    std::span<double> chance;
    std::span<const double> default_chance;
};

// Adds up the weights of the true conditions for each class, in their order; sums are clipped to
// finite numbers, and minus infinity where no condition is true. The answer is the first true
// condition for the class of the largest sum in the order `heaviest_first`; the number of voters
// where none is true. Ties go to the lower class.
void count_votes(const ConditionTable& table, const Conditions& conditions, const Voters& voters,
                 const VoteResults& results, std::size_t threads);

struct Points {
    std::span<const std::int32_t> roots;
    std::span<const std::int32_t> points;  // by condition, for each of the totals
    std::span<const std::int32_t> start;   // one for each of the totals
    std::span<const std::int32_t> lows;    // increasing; for a single total
    double slope;                          // of the probabilities of several totals
};

struct PointResults {
    std::span<std::int32_t> answer;
    std::span<std::int64_t> totals;
    std::span<double> chance;
};

// Adds up the points of the true conditions. The answer of a single total is how many of `lows` it
// reaches. The answer of several is the largest; ties go to the first. Their probabilities are
// proportional to exp(slope * total).
void add_points(const ConditionTable& table, const Conditions& conditions, const Points& points,
                const PointResults& results, std::size_t threads);

}  // namespace rulewright
