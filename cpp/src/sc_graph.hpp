// The rules of thresholds on a few columns, visited in the order of their errors.
//
// An object is covered if none of its values exceeds the threshold of its column. Rules that cover
// the same objects are one rule, whose thresholds are the largest covered values. Two rules are
// neighbours if one covers more than the other and no rule lies between: the objects on top of a
// column are dropped, or the nearest uncovered ones are added. A layer holds the rules with the
// same number of errors.
//
// Two numbers are computed for every rule. The connectivity q is the number of neighbours with one
// more error whose errors contain its own. The inferiority h is the number of objects on which it
// errs and some rule, whose errors are contained in its own, does not. Neither needs the graph:
//   - a covered positive counts in q if it is alone on top of a column, an uncovered negative if no
//     other uncovered object is as near;
//   - the smallest rule that has no other errors is the closure C of the covered positives. So
//     every covered negative outside C counts in h, and an uncovered positive counts if adding it
//     to C covers no negative that the rule leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"
#include "overfitting.hpp"

namespace rulewright {

// Maximum number of objects; more would need too large tables.
inline constexpr std::int32_t max_sc_objects = 1 << 14;

struct ScObjects {
    std::span<const Column> columns;
    std::span<const std::uint8_t>
        at_least;  // whether a column's terms are x >= t instead of x <= t
    std::span<const std::uint8_t> positive;
    std::span<const std::uint8_t> possible;  // others are never covered, nor are missing values
};

// Limits of a visit.
struct ScLimits {
    std::size_t rules;    // maximum number of visited rules
    std::int32_t layers;  // maximum number above the lowest; negative: no limit
    std::size_t always;   // minimum number of rules before `share` applies
    double share;         // end when two successive layers add less than this share
    std::int64_t
        min_deviation;  // of the probability that errors deviate by this much (see Splits::term)
};

enum class ScEnd : std::int32_t { complete = 0, layers = 1, share = 2, rules = 3 };

struct ScVisit {
    std::size_t rules;
    std::int32_t lowest;   // fewest errors
    std::int32_t highest;  // errors of the highest layer visited
    ScEnd end;
};

// Fills one entry per visited rule, and one line of `thresholds` with an object per column whose
// value is the threshold, or -1 if nothing is covered. Rules come by layer unless a lower one was
// found late; the same input gives the same order. `counts` has room for `limits.rules`.
ScVisit visit_sc_rules(const ScObjects& objects, const Splits& splits, const ScLimits& limits,
                       std::span<RuleCounts> counts, std::span<std::int32_t> thresholds);

}  // namespace rulewright
