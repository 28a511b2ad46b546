// The heaviest half-space: toward one prototype, away from another, through a border row.
//
// Ray i * away + j has the values S[toward i] - S[away j], S a matrix of similarities with a line
// a prototype and a column a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rays.hpp"

namespace rulewright {

// Order a list of lines of S so that neighbours, two and two, are alike: `order` becomes positions
// in the list.
void couple_lines(const double* similarity, std::size_t rows, std::span<const std::int32_t> list,
                  std::span<std::int32_t> order);

struct Prototypes {
    std::span<const std::int32_t> line;   // of S
    std::span<const std::int32_t> order;  // as couple_lines gives it
};

struct Pairs {
    const double* similarity;
    std::span<const std::int32_t> row;  // of each line
    Prototypes toward;
    Prototypes away;
};

// With `apart` the away prototype must not fire, and the toward prototype must.
HeaviestRay heaviest_half_space(const Pairs& pairs, const Apartness& apartness,
                                const RayQuery& query, std::span<std::int64_t> kept);

}  // namespace rulewright
