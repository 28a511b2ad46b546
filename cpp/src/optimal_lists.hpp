// Lists of rules with the fewest errors for every number of rules, by branch and bound.
//
// The first rule of a list covers some cells; the rest of the list is the best one for the other
// cells, whatever the order of the rules before it. So lists are solved by the set of cells that is
// left, which is kept with its bounds (the permutation bound of CORELS, Angelino et al. 2018). The
// last rule of a list is found directly (`single_rules.hpp`). A rule is excluded if
// - what it covers correctly is no more than what all further rules have to save: without the rule
//   the rest of the list has at least the errors of the best list with a rule less;
// - its errors and those that no list avoids, of rows that no test separates, are too many;
// - a rule that covers similar cells left a rest with too many errors.
// Rules are tried in batches, the best single rules first. A further batch is found with the limit
// on errors that those before it gave, so that memory is bounded and most rules are never listed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bounded_search.hpp"
#include "coded_cells.hpp"
#include "single_rules.hpp"

namespace rulewright {

struct ListLimits {
    std::size_t max_rules;
    std::size_t max_terms;
    SearchLimits search;  // subproblems: sets of cells whose rules are counted
};

inline constexpr std::size_t max_optimal_rules = 8;
inline constexpr std::size_t max_list_tests = 2048;

// For at most 0, 1, 2, ... rules: the fewest errors found, a list that has them, a lower bound.
struct OptimalLists {
    std::vector<std::int64_t> errors;
    std::vector<std::int64_t> lower;
    std::vector<std::vector<CodedRule>> lists;
    std::size_t subproblems = 0;
    std::size_t memory = 0;
    bool stopped = false;
};

OptimalLists optimal_lists(const Cells& cells, const ListLimits& limits);

// The best list for each first rule.
struct FirstRule {
    std::int64_t errors;
    std::vector<CodedRule> rules;
};

struct FirstRules {
    std::vector<FirstRule> choices;  // in increasing order of errors and then of rules
    bool stopped = false;
};

// First rules for which a list of at most `limits.max_rules` rules has at most `max_errors` errors;
// of rules that cover the same cells one.
FirstRules first_rules(const Cells& cells, const ListLimits& limits, std::int64_t max_errors);

}  // namespace rulewright
