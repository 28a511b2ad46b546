// Columns coded once per fit into cells that respect the order of their values.
//
// A code is 16 bits: the high byte is a coarse bin, the low byte a cell inside it, and x <= x'
// implies code(x) <= code(x'). A search adds up weights by coarse bin, looks at the cells of the
// bins that can win, and at single rows only in those cells that can win and hold several values.
// Nothing is sorted but what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

inline constexpr std::size_t coarse_bins = 255;  // the 256th is for missing values
inline constexpr std::size_t codes = 65536;
inline constexpr std::uint16_t missing_code = 0xFFFF;

// Up to so many rows every distinct value gets a cell of its own.
inline constexpr std::size_t max_ranked_rows = 4096;

// A set of small numbers, as bits.
inline constexpr std::size_t code_words = codes / 64;
inline constexpr std::size_t bin_words = 256 / 64;

inline bool has(std::span<const std::uint64_t> set, std::size_t i) noexcept {
    return set[i >> 6] >> (i & 63) & 1;
}

struct Bins {
    std::span<const std::uint16_t> code;    // one per row
    std::span<const std::uint64_t> mixed;   // cells of several values; empty: there are none
    std::span<const std::uint64_t> single;  // coarse bins of one value
    double smallest;                        // of the present values; NaN when there are none
    std::size_t cells;                      // in each coarse bin, at most 256
};

struct BinsOut {
    std::span<std::uint16_t> code;
    std::span<std::uint64_t> mixed;  // code_words, or none for up to max_ranked_rows rows
    std::span<std::uint64_t> single;
    double* smallest;
    std::int32_t* cells;
};

void bin_column(Column x, BinsOut out);

}  // namespace rulewright
