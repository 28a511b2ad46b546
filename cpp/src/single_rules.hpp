// Single rules of one or two literals, scored on some of the cells.
//
// A literal is a side of a test that a predicate can express: a predicate is false on missing
// values, so that of a test which separates known from known and missing values one side is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coded_cells.hpp"

namespace rulewright {

// Twice the number of a test, plus one where the test does not hold.
using LiteralNumber = std::int32_t;

struct CodedRule {
    LiteralNumber first = -1;
    LiteralNumber second = -1;  // -1 for a rule of one literal

    bool operator==(const CodedRule&) const = default;
};

// A rule with the weights of the cells that it covers.
struct RuleCandidate {
    CodedRule rule;
    std::int64_t right;   // weight of the heaviest class
    std::int64_t errors;  // weight of all others
    std::int64_t alone;   // errors of the list of this rule alone
};

class SingleRules {
public:
    SingleRules() = default;
    virtual ~SingleRules() = default;
    SingleRules(const SingleRules&) = delete;
    SingleRules& operator=(const SingleRules&) = delete;

    // The list of one rule with the fewest errors; a rule without literals if none has fewer errors
    // than a constant answer. Rules of one literal are preferred among equals.
    virtual RuleCandidate best(std::span<const std::int32_t> members, std::size_t max_terms) = 0;

    // Rules that cover more than `min_right` of a class, and less than `max_errors` of others.
    virtual void find(std::span<const std::int32_t> members, std::size_t max_terms,
                      std::int64_t min_right, std::int64_t max_errors,
                      std::vector<RuleCandidate>& found) = 0;
};

std::unique_ptr<SingleRules> single_rules_of(const Cells& cells);

// Whether a literal holds on a cell.
inline bool literal_holds(const Cells& cells, LiteralNumber literal, std::size_t cell) {
    const Test& test = cells.tests()[static_cast<std::size_t>(literal / 2)];
    const auto code = cells.codes(static_cast<std::size_t>(test.column))[cell];
    return cells.holds(test, code) == (literal % 2 == 0);
}

}  // namespace rulewright
