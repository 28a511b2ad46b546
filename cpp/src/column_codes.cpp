#include "column_codes.hpp"

#include <algorithm>
#include <array>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {

ColumnCodes::ColumnCodes(std::span<const Column> columns, std::size_t rows, std::size_t threads)
    : rows_(rows),
      code_(std::make_unique_for_overwrite<std::uint16_t[]>(columns.size() * rows)),
      mixed_(columns.size() * code_words),
      has_missing_(columns.size()) {
    for_each_task(columns.size(), threads, [&](std::size_t j) {
        checkpoint(rows);
        const std::span<std::uint16_t> code(code_.get() + j * rows, rows);
        std::array<std::uint64_t, bin_words> single{};
        double smallest = 0.0;
        std::int32_t cells = 0;
        bin_column(columns[j],
                   {code, {mixed_.data() + j * code_words, code_words}, single, &smallest, &cells});
        has_missing_[j] = std::ranges::find(code, missing_code) != code.end();
    });
}

}  // namespace rulewright
