// Routing of rows through a tree of tests to leaves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "column.hpp"

namespace rulewright {

// A categorical column in place: numbers of categories, -1 where missing.
struct CodeColumn {
    const std::int32_t* data;
    std::ptrdiff_t stride;  // in elements

    std::int32_t operator[](std::size_t row) const noexcept {
        return data[static_cast<std::ptrdiff_t>(row) * stride];
    }
};

// If `bits` is negative: whether a number is from `low` to `high`. Otherwise: whether the bit of a
// category is set, starting at the word `bits`, whose first bit is not used. The ends are those of
// a value inside, of one outside and of a missing one: later tests, complements of leaves, or, with
// the number of leaves added, complements of forks.
struct RouteTest {
    double low;
    double high;
    std::int32_t column;
    std::int32_t bits;
    std::array<std::int32_t, 3> ends;
};

struct RoutedTable {
    std::span<const Column> numbers;
    std::span<const CodeColumn> codes;
};

// The tests and forks. At fork f a row goes on to all of the ends `target[first[f]]` up to
// `target[first[f + 1]]`, its weight multiplied by `share`. Its result is the heaviest leaf of the
// class (`output`, below `classes`) with the largest total weight.
struct Routes {
    std::span<const RouteTest> tests;
    std::span<const std::uint64_t> words;
    std::span<const std::int32_t> first;
    std::span<const std::int32_t> target;
    std::span<const double> share;
    std::span<const std::int32_t> output;
    std::size_t classes;
};

// The shares of rows that were split at forks, row by row, each with its leaf.
struct Parts {
    std::vector<std::int32_t> row, leaf;
    std::vector<double> share;
};

// Writes the number of each row's leaf. There must be tests; the first one is the root. Ties go to
// the lower class, and within a class to the lower leaf.
void route(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
           std::size_t threads);

// Also returns the shares.
Parts route_in_parts(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
                     std::size_t threads);

}  // namespace rulewright
