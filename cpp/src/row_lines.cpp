#include "row_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "interruption.hpp"

namespace rulewright {

std::size_t size_of_lines(std::uint64_t first, std::size_t rows,
                          std::span<const CodedTexts> columns) {
    std::size_t size = rows;  // the last digit of every number
    // Numbers are far below 2^63, so that no power of 10 overflows.
    for (std::uint64_t power = 10; power < first + rows; power *= 10) {
        size += static_cast<std::size_t>(first + rows - std::max(first, power));
    }
    for (const CodedTexts& column : columns) {
        for (const std::int32_t code : column.codes) {
            const auto text = static_cast<std::size_t>(code);
            size += static_cast<std::size_t>(column.start[text + 1] - column.start[text]);
        }
    }
    return size;
}

void write_lines(std::uint64_t first, std::size_t rows, std::span<const CodedTexts> columns,
                 std::span<char> lines) {
    char* at = lines.data();
    char* const end = at + lines.size();
    for (std::size_t row = 0; row < rows; ++row) {
        at = std::to_chars(at, end, first + row).ptr;
        for (const CodedTexts& column : columns) {
            const auto code = static_cast<std::size_t>(column.codes[row]);
            const std::int64_t from = column.start[code];
            const auto size = static_cast<std::size_t>(column.start[code + 1] - from);
            std::memcpy(at, column.bytes + from, size);
            at += size;
        }
        if (row % 1024 == 0) checkpoint(1024);
    }
}

}  // namespace rulewright
