// The examples of a bud handed on to its branches, and with them their part of every column.
#pragma once

#include <cstdint>
#include <vector>

#include "buds.hpp"

namespace rulewright {

// Where the examples of a bud go: to a branch, under a number there; or to all, under numbers that
// follow those of each branch's own.
struct Assignment {
    std::vector<std::uint32_t> branch, number;
    std::vector<std::uint32_t> own;         // how many go to each branch only
    std::vector<std::uint32_t> everywhere;  // those that go to all
};

// Which of two branches has the more of the weight that is known; the second on ties.
std::int32_t heavier(const Bud& bud, const Split& split);

Assignment assign(const Bud& bud, const Split& split);

// The children, with their examples and bounds, and as yet no columns.
std::vector<Bud> make_children(const Ground& ground, const Bud& bud, const Split& split,
                               const Assignment& to);

// Gives every child that grows its part of each column, in order.
void hand_on(const Ground& ground, const Bud& bud, const Assignment& to, std::vector<Bud>& children,
             const std::vector<bool>& grows);

}  // namespace rulewright
