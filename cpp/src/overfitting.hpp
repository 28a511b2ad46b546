// Probability that the rule chosen in training performs worse on the hidden objects.
//
// All objects are split at random into training and hidden ones. A rule of a set can only be chosen
// if certain objects are in training (q of them) and certain others hidden (h): the probability of
// this is the rule's weight. Given that, each count of the rule (its errors, or the negatives or
// positives that it covers) is hypergeometric. Summed over the rules this is the
// splitting-connectivity bound (Vorontsov & Ivahnenko 2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// Counts of a rule that the bound needs.
struct RuleCounts {
    std::int32_t errors;
    std::int32_t negatives;            // covered
    std::int32_t positives;            // covered
    std::int32_t connected;            // q: objects that must be in training
    std::int32_t inferior;             // h: objects that must be hidden
    std::int32_t connected_positives;  // of q, covered
    std::int32_t inferior_negatives;   // of h, covered
};

// The count that deviates: too many errors or covered negatives among the hidden objects, or too
// few covered positives.
enum class Counted : std::int32_t { errors = 0, negatives = 1, positives = 2 };

// A number of objects drawn from all, some of which are marked.
struct Draw {
    std::int32_t all;
    std::int32_t marked;
    std::int32_t drawn;
};

// A count whose deviation, in units of 1 / (training size x hidden size), is `max_deviation -
// objects * (marked ones that are drawn)`.
struct Deviation {
    Draw draw;
    std::int64_t max_deviation;
};

class Splits {
public:
    // Requires 0 < trained < objects.
    Splits(std::int32_t objects, std::int32_t trained);

    std::int64_t objects() const noexcept { return objects_; }

    // The probability that the objects that a rule needs in training and hidden are there.
    double weight(const RuleCounts& rule) const noexcept;

    Deviation deviation(const RuleCounts& rule, Counted counted) const noexcept;

    // Upper bound on the probability that a rule is chosen and deviates by `min_deviation` or more.
    double term(const RuleCounts& rule, Counted counted, std::int64_t min_deviation) const noexcept;

    // The smallest deviation, at least 0, that is exceeded with probability at most `eta`,
    // summed over the rules. Sums that differ from eta by a relative 1e-9 count as equal.
    std::int64_t exceeded_at_most(std::span<const RuleCounts> rules, Counted counted,
                                  double eta) const;

private:
    double log_choose(std::int32_t n, std::int32_t k) const noexcept;
    double mass(const Draw& draw, std::int32_t marked) const noexcept;

    // Calls `take(s, probability)` for every number s of marked objects up to `max_marked`, from
    // the most probable one, until the rest is negligible.
    template <class Take>
    void each_mass(const Draw& draw, std::int64_t max_marked, Take take) const noexcept;

    std::int32_t objects_;
    std::int32_t trained_;
    std::vector<double> log_factorial_;
    double log_splits_;
};

}  // namespace rulewright
