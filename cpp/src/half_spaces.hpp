// The heaviest half-space: toward one prototype, away from another, through a border row.
//
// Ray i * away + j has the values S[toward i] - S[away j], where S is a matrix of similarities with
// one line per prototype and one column per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rays.hpp"

namespace rulewright {

// Orders a list of lines of S so that neighbours, in groups of two, are similar: `order` receives
// positions in the list.
void couple_lines(const double* similarity, std::size_t rows, std::span<const std::int32_t> list,
                  std::span<std::int32_t> order);

struct Prototypes {
    std::span<const std::int32_t> line;   // of S
    std::span<const std::int32_t> order;  // the result of couple_lines
};

struct Pairs {
    const double* similarity;
    std::span<const std::int32_t> row;  // of each line
    Prototypes toward;
    Prototypes away;
};

// With `apart`, the half-space must cover the toward prototype and not the away prototype.
HeaviestRay heaviest_half_space(const Pairs& pairs, const PrototypeConstraint& constraint,
                                const RayQuery& query, std::span<std::int64_t> limits);

}  // namespace rulewright
