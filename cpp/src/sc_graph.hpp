// The rules that thresholds on a few columns can make, visited from the fewest errors upwards.
//
// An object is covered when none of its values exceeds the threshold of its column. Rules that
// cover the same objects are one rule, whose thresholds are the largest covered values. Two rules
// are neighbours when one covers more than the other and no rule lies between: the objects on top
// of a column are dropped, or the nearest uncovered ones are added. A layer holds the rules with
// equally many errors.
//
// Of every rule it is counted how many neighbours with one error more it has, that contain its
// errors (connectivity, q), and on how many objects it errs where some rule does not, whose errors
// are contained in its own (inferiority, h). Neither needs the graph:
//   - a covered positive counts in q when it is alone on top of a column, an uncovered negative
//     when no other uncovered object is as near;
//   - the least rule that has no other errors is the closure C of the covered positives, so every
//     covered negative outside C counts in h, and an uncovered positive counts when adding it to C
//     covers no negative that the rule leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"
#include "overfitting.hpp"

namespace rulewright {

// More would need tables too large to hold.
inline constexpr std::int32_t max_sc_objects = 1 << 14;

struct ScObjects {
    std::span<const Column> columns;
    std::span<const std::uint8_t> at_least;  // a column's terms are x >= t, and not x <= t
    std::span<const std::uint8_t> positive;
    std::span<const std::uint8_t> possible;  // others are never covered, nor are missing values
};

// When to stop before every rule was visited.
struct ScLimits {
    std::size_t rules;    // visited at most
    std::int32_t layers;  // above the lowest; negative: any number
    std::size_t always;   // so many rules are visited whatever they add
    double share;         // after that, stop when two layers in a row add less than this share
    std::int64_t least;   // of the probability that errors deviate by so much (see Splits::term)
};

enum class ScEnd : std::int32_t { complete = 0, layers = 1, share = 2, rules = 3 };

struct ScVisit {
    std::size_t rules;
    std::int32_t lowest;   // fewest errors
    std::int32_t highest;  // errors of the highest layer that was visited
    ScEnd end;
};

// Fills one entry a visited rule, and one line of `thresholds` with an object a column whose value
// is the threshold, or -1 where nothing is covered. Rules come by layer unless a lower one was
// found late; the same input gives the same order. `counts` has room for `limits.rules`.
ScVisit visit_sc_rules(const ScObjects& objects, const Splits& splits, const ScLimits& limits,
                       std::span<RuleCounts> counts, std::span<std::int32_t> thresholds);

}  // namespace rulewright
