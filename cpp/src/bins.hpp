// Columns coded once per fit into cells in the order of their values.
//
// A code has 16 bits: the high byte is a coarse bin, the low byte a cell inside it, and x <= x'
// implies code(x) <= code(x'). A search sums weights by coarse bin, then by cell in the bins that
// can win, and by row only in the cells that can win and hold several values. Only those rows are
// sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

inline constexpr std::size_t coarse_bins = 255;  // the 256th is for missing values
inline constexpr std::size_t codes = 65536;
inline constexpr std::uint16_t missing_code = 0xFFFF;

// Maximum number of rows for which every distinct value has its own cell.
inline constexpr std::size_t max_ranked_rows = 4096;

// A set of small numbers as bits.
inline constexpr std::size_t code_words = codes / 64;
inline constexpr std::size_t bin_words = 256 / 64;

inline bool has(std::span<const std::uint64_t> set, std::size_t i) noexcept {
    return set[i >> 6] >> (i & 63) & 1;
}

struct Bins {
    std::span<const std::uint16_t> code;    // one per row
    std::span<const std::uint64_t> mixed;   // cells with several values; empty if there are none
    std::span<const std::uint64_t> single;  // coarse bins with one value
    double smallest;                        // of the present values; NaN if there are none
    std::size_t cells;                      // in each coarse bin, at most 256
};

struct BinsOut {
    std::span<std::uint16_t> code;
    std::span<std::uint64_t> mixed;  // code_words, or empty for up to max_ranked_rows rows
    std::span<std::uint64_t> single;
    double* smallest;
    std::int32_t* cells;
};

void bin_column(Column x, BinsOut out);

}  // namespace rulewright
