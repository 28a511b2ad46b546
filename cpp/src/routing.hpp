// Rows routed through a tree of tests, each to its leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "column.hpp"

namespace rulewright {

// A categorical column as it lies in memory: numbers of categories, -1 where missing.
struct CodeColumn {
    const std::int32_t* data;
    std::ptrdiff_t stride;  // in elements

    std::int32_t operator[](std::size_t row) const noexcept {
        return data[static_cast<std::ptrdiff_t>(row) * stride];
    }
};

// Where `bits` is negative: whether a number is from `low` to `high`, which no missing one is.
// Elsewhere: whether the bit of a category is set, from the word `bits` on; the first bit is that
// of missing values. `inside` and `outside` are ends: tests that come later, complements of leaves,
// or, with the number of leaves added, complements of forks.
struct RouteTest {
    double low;
    double high;
    std::int32_t column;
    std::int32_t bits;
    std::int32_t inside;
    std::int32_t outside;
};

struct RoutedTable {
    std::span<const Column> numbers;
    std::span<const CodeColumn> codes;
};

// What is asked. At fork f a row goes on to all of the ends `target[first[f]]` up to
// `target[first[f + 1]]`, its weight multiplied by `share`, and comes back as one: of all leaves
// that it reaches, the weightiest of the class (`output`, of so many `classes`) that weighs the
// most.
struct Routes {
    std::span<const RouteTest> tests;
    std::span<const std::uint64_t> words;
    std::span<const std::int32_t> first;
    std::span<const std::int32_t> target;
    std::span<const double> share;
    std::span<const std::int32_t> output;
    std::size_t classes;
};

// The shares of rows that were parted at forks, row by row, each with the leaf that it reaches.
struct Parts {
    std::vector<std::int32_t> row, leaf;
    std::vector<double> share;
};

// Gives every row the number of its leaf. There must be tests, the first of which comes first. Ties
// go to the lower class, and within a class to the lower leaf.
void route(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
           std::size_t threads);

// Gives the shares besides.
Parts route_in_parts(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
                     std::size_t threads);

}  // namespace rulewright
