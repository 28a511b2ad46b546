// Single rules of up to three literals, scored on some of the cells.
//
// A literal is a side of a test that a predicate can express: a predicate is false on missing
// values, so that of a test which separates known from known and missing values one side is none.
// Rules of two literals come from the counts of all pairs of tests (`pair_rules.hpp`); those of
// three from the same counts on the cells that one literal covers. A literal is left out where even
// a rule that covers only the heaviest class of its cells would not be good enough.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "coded_cells.hpp"
#include "time_limit.hpp"

namespace rulewright {

// Twice the number of a test, plus one where the test does not hold.
using LiteralNumber = std::int32_t;

inline constexpr std::size_t max_optimal_terms = 3;

struct CodedRule {
    std::array<LiteralNumber, max_optimal_terms> literals = {-1, -1, -1};  // -1 after the last

    std::size_t terms() const noexcept {
        return static_cast<std::size_t>(
            std::ranges::count_if(literals, [](LiteralNumber literal) { return literal >= 0; }));
    }
    bool operator==(const CodedRule&) const = default;
};

// A rule with the weights of the cells that it covers.
struct RuleCandidate {
    CodedRule rule;
    std::int64_t right;   // weight of the heaviest class
    std::int64_t errors;  // weight of all others
    std::int64_t alone;   // errors of the list of this rule alone

    // Lower bound on the errors of a list that begins with the rule. Lists of a rule less have at
    // least `without` errors: without the rule, what it covers correctly may be wrong.
    std::int64_t least(std::int64_t without) const noexcept {
        return std::max(without - right, errors);
    }

    // Order in which rules are tried.
    bool operator<(const RuleCandidate& other) const noexcept {
        return std::tuple(alone, rule.terms(), rule.literals) <
               std::tuple(other.alone, other.rule.terms(), other.rule.literals);
    }
};

// The list of one rule with the fewest errors; a rule without literals if none has fewer errors
// than a constant answer. Rules of fewer literals are preferred among equals.
struct BestRule {
    RuleCandidate rule;
    std::int64_t lower;  // no list of one rule has fewer errors
};

// Rules whose lower bound `least(without)` is below a limit.
struct RuleQuery {
    std::size_t max_terms;
    std::int64_t without;
    std::int64_t limit;
    std::size_t max_rules;                 // only the first of them
    const RuleCandidate* after = nullptr;  // only those after it
};

// The first rules of a query in their order, and a lower bound for the rules that come after them.
struct RuleBatch {
    std::vector<RuleCandidate> rules;
    std::int64_t left_out;
};

class SingleRules {
public:
    SingleRules() = default;
    virtual ~SingleRules() = default;
    SingleRules(const SingleRules&) = delete;
    SingleRules& operator=(const SingleRules&) = delete;

    // The best rule. Where it has at least `limit` errors, there may be better ones of three
    // literals with as many, and where time is over, with fewer.
    virtual BestRule best(std::span<const std::int32_t> members, std::size_t max_terms,
                          std::int64_t limit) = 0;

    // Of rules that cover the same cells as one with fewer literals, only some are found.
    virtual RuleBatch find(std::span<const std::int32_t> members, const RuleQuery& query) = 0;
};

// Rules of three literals are searched until time is over.
std::unique_ptr<SingleRules> single_rules_of(const Cells& cells, const TimeLimit& time);

// Whether a literal holds on a cell.
inline bool literal_holds(const Cells& cells, LiteralNumber literal, std::size_t cell) {
    const Test& test = cells.tests()[static_cast<std::size_t>(literal / 2)];
    const auto code = cells.codes(static_cast<std::size_t>(test.column))[cell];
    return cells.holds(test, code) == (literal % 2 == 0);
}

// Whether all literals of a rule hold on a cell.
inline bool rule_holds(const Cells& cells, const CodedRule& rule, std::size_t cell) {
    return std::ranges::all_of(rule.literals, [&](LiteralNumber literal) {
        return literal < 0 || literal_holds(cells, literal, cell);
    });
}

}  // namespace rulewright
