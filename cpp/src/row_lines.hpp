// Lines of text, one for each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rulewright {

// Cells of one column: text c is `bytes[start[c]]` up to `bytes[start[c + 1]]`.
struct CodedTexts {
    std::span<const std::int32_t> codes;
    const char* bytes;
    std::span<const std::int64_t> start;
};

// Joins the number of each row, counted from `first`, and its cells. `lines` has `size_of_lines`
// bytes.
void write_lines(std::uint64_t first, std::size_t rows, std::span<const CodedTexts> columns,
                 std::span<char> lines);

std::size_t size_of_lines(std::uint64_t first, std::size_t rows,
                          std::span<const CodedTexts> columns);

}  // namespace rulewright
