// How likely the rule that was picked in training does worse on the hidden objects.
//
// All objects are split at random into those of training and hidden ones. A rule of a set can only
// be picked when certain objects are in training (q of them) and certain others hidden (h): that
// has a probability, the rule's weight. Given that, each count of the rule (its errors, the
// negatives or the positives that it covers) is hypergeometric. Summed over the rules this is the
// bound of splitting and connectivity (Vorontsov & Ivahnenko 2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

// What the bound needs of a rule.
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

// So many objects drawn from all, of which some are marked.
struct Draw {
    std::int32_t all;
    std::int32_t marked;
    std::int32_t drawn;
};

// A count whose deviation, in units of 1 / (training size x hidden size), is
// `most - objects * (marked ones that are drawn)`.
struct Deviation {
    Draw draw;
    std::int64_t most;
};

class Splits {
public:
    // Needs 0 < trained < objects.
    Splits(std::int32_t objects, std::int32_t trained);

    std::int64_t objects() const noexcept { return objects_; }

    // The probability that the objects which a rule needs in training and hidden are there.
    double weight(const RuleCounts& rule) const noexcept;

    Deviation deviation(const RuleCounts& rule, Counted counted) const noexcept;

    // The probability that a rule is picked and deviates by `least` or more, bounded from above.
    double term(const RuleCounts& rule, Counted counted, std::int64_t least) const noexcept;

    // The smallest deviation, at least 0, that is exceeded with probability at most `eta`, summed
    // over the rules. Sums that differ from eta by a billionth of it are equal to it.
    std::int64_t exceeded_at_most(std::span<const RuleCounts> rules, Counted counted,
                                  double eta) const;

private:
    double log_choose(std::int32_t n, std::int32_t k) const noexcept;
    double mass(const Draw& draw, std::int32_t marked) const noexcept;

    // Calls `take(s, probability)` for every number s of marked ones up to `most`, from the most
    // likely one on, until what is left cannot be seen in a sum.
    template <class Take>
    void each_mass(const Draw& draw, std::int64_t most, Take take) const noexcept;

    std::int32_t objects_;
    std::int32_t trained_;
    std::vector<double> log_factorial_;
    double log_splits_;
};

}  // namespace rulewright
